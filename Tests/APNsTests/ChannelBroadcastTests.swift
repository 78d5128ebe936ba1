import APNs
import Testing
import Timeline
import WireFormats

@Suite("A broadcast")
struct ChannelBroadcastTests {
  @Test("a broadcast is accepted with everything that was read from the request")
  func accepted() throws {
    var stage = try ChannelStage()
    let call = ChannelCall.publish(to: stage.stored).with("apns-expiration", "1700000600").with("apns-priority", "5")
    let verdict = stage.publish(call)
    let broadcast = try #require(verdict.broadcast)
    #expect(broadcast.home == ChannelStage.home && broadcast.channel.id.text == stage.stored)
    #expect(broadcast.channel.policy == .mostRecent && broadcast.priority == .powerAware)
    #expect(broadcast.expiration == Instant(seconds: 1_700_000_600))
    #expect(Array(call.request.storage[broadcast.payload]) == call.body)
    #expect(verdict.channelID == broadcast.channel.id && verdict.keyNumber == 0 && verdict.requestID == nil)
  }

  /// Documented: "Sending broadcast push notification requests to APNs", the response's table, for any environment.
  @Test("a broadcast returns 200 with an empty body, its request id and a unique id; a rejection has no unique id")
  func answered() throws {
    var stage = try ChannelStage()
    let call = ChannelCall.publish(to: stage.unstored)
    let response = stage.publish(call).answer(ChannelStage.drawnIDs).response
    #expect(response.status == 200 && response.body.isEmpty)
    #expect(response.fields.list.map(\.name) == ["apns-request-id", "apns-unique-id"])
    #expect(response.fields["apns-unique-id"] == ChannelStage.drawnIDs.uniqueID.text)
    #expect(ChannelStage.drawnIDs.uniqueID != ChannelStage.drawn)
    let refused = stage.publish(call.saying("")).answer(ChannelStage.drawnIDs).response
    #expect(refused.status == 400 && refused.fields["apns-unique-id"] == nil)
    #expect(response.fields["apns-request-id"] == ChannelStage.drawn.text)
    let id = "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"
    let echoed = stage.publish(call.with("apns-request-id", id)).answer(ChannelStage.drawnIDs)
    #expect(echoed.requestID.text == id)
  }

  /// Documented: 429, and "allows a higher publishing budget" for channels without message storage.
  @Test("a budget by the hour is used up by a burst, and grants one broadcast each time its share of the hour is over")
  func budget() throws {
    var stage = try ChannelStage {
      $0.broadcastRate = BroadcastRate(unstored: .init(60, per: .minute), stored: .init(4, per: .hour))
    }
    func accepted(_ channel: String) -> Int { (0..<40).count { _ in stage.reason(.publish(to: channel)) == nil } }
    #expect(accepted(stage.stored) == 10 && accepted(stage.unstored) == 10)
    stage.gate.now = Now(stage.gate.now.world.advanced(by: .seconds(899)))
    #expect(accepted(stage.stored) == 0 && accepted(stage.unstored) == 10)
    stage.gate.now = Now(stage.gate.now.world.advanced(by: .seconds(1)))
    #expect(accepted(stage.stored) == 1 && accepted(stage.unstored) == 1)
  }

  @Test("a broadcast beyond the rate of its storage policy returns 429 for a moment; each channel has a separate rate")
  func rate() throws {
    var stage = try ChannelStage { $0.broadcastRate = BroadcastRate(unstored: .init(20), stored: .init(5)) }
    func accepted(_ channel: String, _ count: Int) -> Int {
      (0..<count).count { _ in stage.reason(.publish(to: channel)) == nil }
    }
    // The first ten come at once: rules.tokenBurst.
    #expect(accepted(stage.stored, 12) == 10 && accepted(stage.unstored, 12) == 10)
    let rejection = stage.rejection(.publish(to: stage.stored))
    #expect(rejection?.rule == .channel(.broadcastRate) && rejection?.reason == .tooManyRequests)
    #expect(stage.reason(.publish(to: stage.stored).saying("")) == .payloadEmpty, "what else is wrong comes first")
    stage.gate.now = Now(stage.gate.now.world.advanced(by: .seconds(1)))
    #expect(accepted(stage.stored, 40) == 5 && accepted(stage.unstored, 40) == 10)
    let made = stage.create(policy: 1)
    let other = try #require(made).text
    #expect(accepted(other, 12) == 10)
    var usual = try ChannelStage()
    #expect((0..<300).allSatisfy { _ in usual.reason(.publish(to: usual.stored)) == nil }, "no limit unless set")
  }

  @Test(
    "the push type of a broadcast may be written in any case",
    arguments: ["liveactivity", "Liveactivity", "LiveActivity"])
  func pushTypeCase(word: String) throws {
    var stage = try ChannelStage()
    #expect(stage.reason(.publish(to: stage.stored).with("apns-push-type", word)) == nil)
  }

  @Test("the priority of a broadcast is 10, 5 or 1", arguments: ["10", "5", "1"])
  func priority(word: String) throws {
    var stage = try ChannelStage()
    #expect(stage.reason(.publish(to: stage.stored).with("apns-priority", word)) == nil)
  }

  @Test("a broadcast without a priority is rejected, unless the rulebook lets it pass as 10")
  func withoutPriority() throws {
    var strict = try ChannelStage()
    #expect(strict.reason(.publish(to: strict.stored).with("apns-priority", nil)) == .badPriority)
    var lenient = try ChannelStage { $0.priorityRequired = false }
    #expect(lenient.publish(.publish(to: lenient.stored).with("apns-priority", nil)).broadcast?.priority == .immediate)
    #expect(lenient.reason(.publish(to: lenient.stored).with("apns-priority", "7")) == .badPriority)
  }

  @Test("a broadcast may have at most 5,120 bytes")
  func size() throws {
    var stage = try ChannelStage()
    for (count, reason) in [(5120, nil), (5121, RejectionReason.payloadTooLarge)] {
      let call = ChannelCall.publish(to: stage.stored).changed { $0.body = [UInt8](repeating: 0x20, count: count) }
      #expect(stage.reason(call) == reason)
    }
  }

  @Test("a broadcast of a start, or of a payload that is not JSON, is accepted: the devices ignore it")
  func startIsAccepted() throws {
    var stage = try ChannelStage()
    for body in [#"{"aps":{"event":"start"}}"#, "no JSON"] {
      #expect(stage.reason(.publish(to: stage.stored).saying(body)) == nil)
    }
  }

  @Test("a broadcast ignores a topic header")
  func topicIsIgnored() throws {
    var stage = try ChannelStage()
    #expect(stage.reason(.publish(to: stage.stored).with("apns-topic", "org.other.app")) == nil)
  }

  @Test("a broadcast to a deleted or unknown channel, or to that of another app or environment, is rejected")
  func channels() throws {
    var stage = try ChannelStage()
    #expect(stage.reason(.publish(to: stage.deleted)) == .channelNotRegistered)
    #expect(stage.reason(.publish(to: ChannelStage.strange)) == .badChannelID)
    #expect(stage.reason(.publish(to: stage.stored, app: "com.example.two")) == .badChannelID)
    stage.gate.reconnect(to: .production)
    #expect(stage.reason(.publish(to: stage.stored)) == .badChannelID)
  }

  @Test("a broadcast may expire later than at once only where messages are stored")
  func expiration() throws {
    var stage = try ChannelStage()
    for (channel, expiration, reason) in [
      (stage.unstored, "0", nil), (stage.unstored, "1700000600", RejectionReason.badExpirationDate),
      (stage.unstored, "1", .badExpirationDate), (stage.stored, "0", nil), (stage.stored, "1700000600", nil),
      (stage.stored, "tomorrow", .badExpirationDate), (stage.stored, "-1", .badExpirationDate),
    ] {
      #expect(stage.reason(.publish(to: channel).with("apns-expiration", expiration)) == reason)
    }
  }

  @Test("a broadcast is stored for at most eight hours, less if it expires earlier, and never if the policy forbids it")
  func stored() throws {
    var stage = try ChannelStage()
    let now = stage.gate.now.world
    func until(_ channel: String, _ expiration: Int64) -> Instant? {
      let call = ChannelCall.publish(to: channel).with("apns-expiration", String(expiration))
      return stage.publish(call).broadcast?.storedUntil(at: now)
    }
    #expect(until(stage.stored, now.seconds + 60) == now.advanced(by: .seconds(60)))
    #expect(until(stage.stored, now.seconds + 99_999) == now.advanced(by: .seconds(8 * 3600)))
    #expect(until(stage.stored, 0) == nil && until(stage.stored, now.seconds - 1) == nil)
    #expect(until(stage.unstored, 0) == nil)
    for (channel, expiration, isExpired) in [
      (stage.stored, now.seconds - 1, true), (stage.stored, 0, false), (stage.stored, now.seconds + 60, false),
      (stage.unstored, 0, false),
    ] {
      let call = ChannelCall.publish(to: channel).with("apns-expiration", String(expiration))
      #expect(stage.publish(call).broadcast?.isExpired(at: now) == isExpired, "\(expiration)")
    }
  }

  @Test("a broadcast is refused by the gate for pushes; its path shows that it is a broadcast")
  func recognised() throws {
    var gate = try Gate()
    var push = Push()
    for path in ["/4/broadcasts/apps/com.example.app", "/4/broadcasts/apps/x", "/4/broadcasts/apps/org.other.app"] {
      push.path = path
      #expect(gate.rejection(push)?.rule == .knownPath && BroadcastRequest.isAddressed(by: push.request))
    }
    for path in [
      "", "/", "/3/device/", "/3/device/" + Gate.deadToken, "/4/broadcasts/apps/", "/4/broadcasts/apps/a/b",
      "/4/broadcasts/apps", "4/broadcasts/apps/a", "x/4/broadcasts/apps/a", "/3/broadcasts/apps/a",
      "/1/apps/a/channels",
      "/4/broadcasts/apps/a/", "///////", "/4/broadcast/apps/a",
    ] {
      push.path = path
      #expect(!BroadcastRequest.isAddressed(by: push.request), "\(path)")
    }
  }

  @Test("a broadcast is not a push")
  func isNoPush() throws {
    var gate = try Gate()
    var push = Push()
    push.path = "/4/broadcasts/apps/com.example.app"
    #expect(gate.rejection(push)?.rule == .knownPath)
  }
}

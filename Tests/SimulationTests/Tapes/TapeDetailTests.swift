import APNs
import Devices
import Orders
import Simulation
import Testing
import Timeline

@Suite("A tape with the same words and other details")
struct TapeDetailTests {
  private static let at = Stage.began

  private static func phone(
    _ deviceEvent: DeviceEvent, device: UInt32 = 1, app: Int? = 0, at: Instant = at
  ) -> WorldEvent { .phone(DeviceID(device), app: app, deviceEvent, at: at) }

  /// Two events each, of one sentence.
  private static let pairs: [(what: String, WorldEvent, WorldEvent)] = [
    ("a time", phone(.locked), phone(.locked, at: at.advanced(by: .nanoseconds(1)))),
    ("a device", phone(.locked), phone(.locked, device: 2)), ("an app", phone(.locked), phone(.locked, app: 1)),
    ("a number", phone(.activityStale(1)), phone(.activityStale(2))),
    ("an answer", phone(.promptAnswered(1, allowed: true)), phone(.promptAnswered(1, allowed: false))),
    ("a cause", phone(.activityEnded(1, .push)), phone(.activityEnded(1, .user))),
    ("a type", phone(.tokenIssued(.pushToStart(type: 0))), phone(.tokenIssued(.pushToStart(type: 1)))),
    (
      "a push", .pushSettled(number: 1, DeviceID(1), .discarded(.appAbsent), at: at),
      .pushSettled(number: 2, DeviceID(1), .discarded(.appAbsent), at: at)
    ),
    (
      "a code", .wire(ProviderConnectionID(1), .reset(stream: 1, code: 7)),
      .wire(ProviderConnectionID(1), .reset(stream: 1, code: 8))
    ),
    (
      "a stream", .wire(ProviderConnectionID(1), .reset(stream: 1, code: 7)),
      .wire(ProviderConnectionID(1), .reset(stream: 3, code: 7))
    ),
  ]

  @Test("two events with the same words and different details have different checksums", arguments: pairs.indices)
  func sums(_ index: Int) {
    let (what, one, other) = Self.pairs[index]
    let (left, right) = (TapeOutcome([one]), TapeOutcome([other]))
    #expect(left.words == right.words && left.count == right.count, "\(what)")
    #expect(left != right && left.digest != right.digest, "\(what)")
  }

  /// A tape of a push, on which the outcome of one call is changed.
  private func play(_ change: (TapeOutcome) -> TapeOutcome) throws -> [TapeDifference?] {
    var stage = Stage()
    let before = stage.record()
    for _ in 0..<3 { _ = try stage.push(stage.token()) }
    _ = stage.events()
    let calls = try Reel(stage.batches).read.records.flatMap { $0 }
    return calls.indices.map { index in
      var spoilt = calls
      let call = calls[index]
      spoilt[index] = TapeCall(
        call: call.call, now: call.now, outcome: change(call.outcome), isSettled: call.isSettled)
      var player = TapePlayer(world: before)
      return player.play(spoilt)
    }
  }

  @Test("a tape is played to its end if unchanged, otherwise to the first call whose checksum differs")
  func played() throws {
    #expect(try play { $0 }.allSatisfy { $0 == nil })
    let found = try play { TapeOutcome(count: $0.count, words: $0.words, digest: ($0.digest ?? 0) ^ 1) }
    #expect(found.count >= 3)
    for (index, difference) in found.enumerated() {
      #expect(difference?.callNumber == UInt64(index + 1))
      #expect(difference?.text.contains("both have") == true, "\(difference?.text ?? "")")
    }
  }

  @Test("a tape is played to the first call whose number of events differs")
  func counts() throws {
    let found = try play { TapeOutcome(count: $0.count + 1, words: $0.words, digest: $0.digest) }
    for (index, difference) in found.enumerated() { #expect(difference?.callNumber == UInt64(index + 1)) }
  }
}

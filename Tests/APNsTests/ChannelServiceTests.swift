import APNs
import Testing
import Timeline
import WireFormats

@Suite("The channel service")
struct ChannelServiceTests {
  @Test("the channel service makes a channel with 201, no body, and the ids of channel and request in headers")
  func create() throws {
    var stage = try ChannelStage()
    let verdict = stage.manage(.create(policy: 0).with("apns-request-id", "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"))
    let response = verdict.answer.response
    #expect(response.status == 201 && response.body.isEmpty && response.fields["content-type"] == nil)
    #expect(response.fields["apns-request-id"] == "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D")
    let text = try #require(response.fields["apns-channel-id"])
    let id = try #require(ChannelID(text))
    let channel = try #require(stage.desk.registry.status(of: id, in: ChannelStage.home).channel)
    #expect(channel.policy == .none && verdict.change == .created(channel, ChannelStage.home))
    #expect(verdict.operation == .create && verdict.home == ChannelStage.home && verdict.keyNumber == 0)
  }

  @Test("the push type of a new channel may be written in any case", arguments: ["LiveActivity", "liveactivity"])
  func pushTypeCase(word: String) throws {
    var stage = try ChannelStage()
    let call = ChannelCall.create().saying(#"{"push-type":"\#(word)","message-storage-policy":1}"#)
    #expect(stage.manage(call).answer.status == 201)
  }

  @Test("the channel service reads a channel with 200 and the configuration it was made with", arguments: [0, 1])
  func read(policy: Int) throws {
    var stage = try ChannelStage()
    let verdict = stage.manage(.read(policy == 0 ? stage.unstored : stage.stored))
    #expect(verdict.answer.status == 200 && verdict.change == nil)
    #expect(verdict.answer.body == #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
    #expect(verdict.answer.response.fields["content-type"] == "application/json")
  }

  @Test("the channel service deletes a channel with 204 and no body; then it is gone")
  func delete() throws {
    var stage = try ChannelStage()
    let id = try #require(ChannelID(stage.stored))
    let channel = try #require(stage.desk.registry.status(of: id, in: ChannelStage.home).channel)
    let verdict = stage.manage(.delete(stage.stored))
    #expect(verdict.answer.status == 204 && verdict.answer.body.isEmpty)
    #expect(verdict.answer.response.fields.list.map(\.name) == ["apns-request-id"])
    #expect(verdict.change == .deleted(channel, ChannelStage.home))
    #expect(stage.desk.registry.status(of: id, in: ChannelStage.home) == .deleted)
  }

  @Test("the channel service lists the channels of the app in this environment, in the order they were made")
  func list() throws {
    var stage = try ChannelStage()
    #expect(stage.manage(.list()).answer.body == #"{"channels":["\#(stage.stored)","\#(stage.unstored)"]}"#)
    #expect(stage.manage(.list(app: "com.example.two")).answer.body == #"{"channels":[]}"#)
    stage.connection = ProviderConnection(environment: .production)
    #expect(stage.manage(.list()).answer.body == #"{"channels":[]}"#)
  }

  @Test("the channel service lists channels at `channels` too, if no channel is named and the setting permits it")
  func listAtBothPaths() throws {
    var call = ChannelCall.list()
    call.path.replace("all-channels", with: "channels")
    var stage = try ChannelStage()
    #expect(stage.manage(call).answer.body == stage.manage(.list()).answer.body)
    #expect(stage.manage(call).operation == .list)
    #expect(stage.manage(.read(stage.stored)).operation == .read)
    #expect(stage.reason(call.with("apns-channel-id", "")) == .missingChannelID)
    var documented = try ChannelStage { $0.listsAtBothPaths = false }
    #expect(documented.reason(call) == .missingChannelID)
    #expect(documented.manage(.list()).answer.status == 200)
  }

  @Test("a request without an id gets one from the server")
  func drawnID() throws {
    var stage = try ChannelStage()
    for call in [ChannelCall.list(), .create(), .read(""), .list().with("apns-request-id", "1")] {
      #expect(stage.manage(call).answer.requestID == ChannelStage.drawn)
    }
  }

  @Test("a refusal is JSON with Apple's reason, and echoes the request's id")
  func rejection() throws {
    var stage = try ChannelStage()
    let id = "ec1bf194-b3b2-424a-89a9-5a918a6e6b5d"
    let answer = stage.manage(.delete(stage.deleted).with("apns-request-id", id)).answer
    #expect(answer.status == 404 && answer.body == #"{"reason":"BadPath"}"#)
    #expect(answer.response.fields["apns-request-id"] == id)
    #expect(answer.response.fields["content-type"] == "application/json")
  }

  @Test("a refused request changes nothing")
  func refusedChangesNothing() throws {
    var stage = try ChannelStage()
    let before = stage.desk.registry.channels(in: ChannelStage.home)
    for flaw in ChannelFlaw.all where flaw.rule != .roomForChannel {
      guard let call = flaw.call(stage), call.path.hasPrefix("/1/") else { continue }
      #expect(stage.manage(call).change == nil)
    }
    #expect(stage.desk.registry.channels(in: ChannelStage.home) == before)
  }

  @Test("an app at its limit gets no more channels")
  func full() throws {
    var stage = try ChannelStage { $0.channelsPerApp = 2 }
    #expect(stage.create() != nil && stage.create() != nil)
    #expect(stage.reason(.create()) == .cannotCreateChannelConfig)
    #expect(stage.create(app: "com.example.two") != nil)
    let id = try #require(stage.desk.registry.channels(in: ChannelStage.home).first).id.text
    #expect(stage.manage(.delete(id)).answer.status == 204)
    #expect(stage.create() != nil)
  }

  @Test("the first valid provider token opens the connection's streams, as for pushes")
  func authorises() throws {
    var stage = try ChannelStage()
    stage.connection = ProviderConnection(environment: .sandbox)
    #expect(!stage.manage(.list().changed { $0.authorization = "" }).authorizesConnection)
    #expect(stage.manage(.list(app: "org.other.app")).authorizesConnection)
    #expect(!stage.manage(.list()).authorizesConnection && stage.connection.isAuthorised)
  }

  @Test("a provider's token is verified once on each connection, for pushes and broadcasts together")
  func verifiedOnce() throws {
    var stage = try ChannelStage()
    _ = stage.manage(.list())
    _ = stage.publish(.publish(to: stage.stored))
    _ = stage.gate.send(Push())
    #expect(stage.gate.checks.count == 2)
  }

  @Test("a management connection accepts no broadcasts, and a broadcast connection no channel requests")
  func doors() throws {
    var stage = try ChannelStage()
    #expect(stage.manage(.publish(to: stage.stored)).answer.rejection?.rule == .channel(.knownPath))
    #expect(stage.publish(.list()).answer(ChannelStage.drawnIDs).rejection?.rule == .channel(.knownPath))
    #expect(stage.manage(.create().changed { $0.path = Push().path }).answer.rejection?.rule == .channel(.knownPath))
  }
}

import APNs
import Testing
import Timeline
import WireFormats

/// A gate with a desk for channels behind it, one connection to each, and a channel of each policy.
struct ChannelStage {
  static let home = ChannelOwner(.sandbox, ChannelCall.app)
  /// The ids that the stage draws for an answer whose request brought no id.
  static let drawn = drawnIDs.id
  static let drawnIDs = PushAnswer.DrawnIDs(Chance(seed: 1), connection: 1, stream: 1)
  /// Well-formed, and never made.
  static let strange = "tvI2UK0vEfEAAA6GFnjo2Q=="

  var gate: Gate
  var desk: ChannelService
  /// The management connection; pushes and broadcasts go over the gate's own.
  var connection = ProviderConnection(environment: .sandbox)
  var stored = ""
  var unstored = ""
  var deleted = ""

  init(_ change: (inout ChannelRulebook) -> Void = { _ in }) throws {
    var rulebook = ChannelRulebook()
    change(&rulebook)
    gate = try Gate()
    desk = ChannelService(seed: 1, rulebook: rulebook)
    guard rulebook.channelsPerApp > 2 else { return }
    stored = try #require(create(policy: 1)).text
    unstored = try #require(create(policy: 0)).text
    deleted = try #require(create(policy: 1)).text
    #expect(manage(.delete(deleted)).answer.status == 204)
  }

  mutating func manage(_ call: ChannelCall) -> ChannelVerdict {
    desk.answer(call.request, on: &connection, through: &gate.validator, drawing: Self.drawn, at: gate.now)
  }

  mutating func publish(_ call: ChannelCall) -> BroadcastVerdict {
    desk.admitBroadcast(call.request, on: &gate.connection, through: &gate.validator, at: gate.now)
  }

  mutating func create(policy: Int = 1, app: String = ChannelCall.app) -> ChannelID? {
    if case .created(let id) = manage(.create(policy: policy, app: app)).answer.outcome { id } else { nil }
  }

  /// The reason why the call is refused, at the door that its path belongs to.
  mutating func rejection(_ call: ChannelCall) -> ChannelRejection? {
    if call.path.hasPrefix("/1/") { return manage(call).answer.rejection }
    return publish(call).answer(Self.drawnIDs).rejection
  }

  mutating func reason(_ call: ChannelCall) -> RejectionReason? { rejection(call)?.reason }
}

extension BroadcastVerdict {
  var broadcast: BroadcastRequest? { try? outcome.get() }
}

extension ChannelAnswer {
  var body: String { String(decoding: response.body, as: UTF8.self) }
}

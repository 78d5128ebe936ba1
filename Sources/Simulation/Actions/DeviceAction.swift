import Devices
import Grammar
import WireFormats

/// An action on one device.
package struct DeviceAction: Hashable, Sendable {
  let kind: any ActionKind

  init(_ kind: any ActionKind) { self.kind = kind }

  package static func == (one: DeviceAction, two: DeviceAction) -> Bool {
    AnyHashable(one.kind) == AnyHashable(two.kind)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(kind)) }

  // MARK: - Reading and writing

  /// The names of all actions, as in `do`.
  package static let names = ActionKinds.all.map { $0.word }

  /// The members of all actions. One that several actions have is as the last of them describes it.
  package static let members: [Schema.Member] = {
    var all: [Schema.Member] = [.init("do", .words(names))]
    for member in ActionKinds.all.flatMap({ $0.members }) {
      let place = all.firstIndex { $0.name == member.name } ?? all.count
      all.replaceSubrange(place..<min(place + 1, all.count), with: [.maybe(member.name, member.schema)])
    }
    return all
  }()

  /// All keys that any action has.
  package static let keys = members.map(\.name)

  private static let types: [String: ValueType] = ActionKinds.all.reduce(into: ["do": .words(names)]) { all, kind in
    for (name, type) in kind.types { all[name] = type }
  }

  package static let type = ValueType.members(keys.compactMap { key in types[key].map { (key, $0) } }, needed: ["do"])

  /// The members of an action besides `do`.
  package static func details(of name: String) -> [(name: String, type: ValueType)] {
    ActionKinds.all.first { $0.word == name }?.types ?? []
  }

  package static let schema = Schema.either(ActionKinds.all.map { $0.schema })
    .named("Action", "The action in `do`, with its parameters.")

  /// - Parameter others: keys of the body that another reader reads.
  package static func read(_ fields: Fields, beside others: [String] = []) throws(InputProblem) -> DeviceAction {
    let kind = try fields.neededChoice("do", ActionKinds.all.map { (name: $0.word, value: $0) })
    try fields.takesOnly(["do"] + kind.members.map(\.name), because: kind.word, beside: others)
    return try kind.read(fields)
  }

  package var name: String { Swift.type(of: kind).word }

  /// The form that `read` reads.
  package var json: JSONValue { kind.json }

  /// The channel on which it starts an activity; nil if it does not.
  package var channel: String? {
    get { (kind as? StartActivity)?.channel }
    set {
      guard var start = kind as? StartActivity, let newValue else { return }
      start.order.updates = .channel(newValue)
      self = DeviceAction(start)
    }
  }
}

import Admin
import Grammar
import Orders
import Pushpit
import WireFormats

/// A fault made of flags: `pushpit fault set`.
package struct FaultOrder: Sendable {
  /// The keys of a fault that have flags, in the order of the help.
  static let keys = [
    "name", "then.answer", "then.retryAfter", "then.delay", "then.lose", "then.loseAnswer", "then.silence",
    "then.reset", "odds", "limit", "from", "until", "for", "when.device", "when.app", "when.pushType", "when.event",
    "when.environment", "when.share", "session",
  ]
  package static let flags = RequestKey.fault(keys).flatMap(RequestFlag.flags)

  private static let reasons = flags.first { $0.key == "then.answer" }?.words ?? []

  /// The flags for consequences. A fault needs one of them.
  package static let consequences = flags.filter { flag in
    ConsequenceReader.names.contains { "then.\($0)" == flag.key }
  }

  /// The keys that were given, as paths such as `when.device`, with their values.
  private let given: [(key: String, value: String)]

  package init(_ given: [(key: String, value: String)]) { self.given = given }

  /// True if a consequence was given.
  package var isComplete: Bool { given.contains { given in Self.consequences.contains { $0.key == given.key } } }

  /// The body for `POST /v1/faults`. A fault without a name is named after what it does.
  package var body: [UInt8] {
    let (when, then) = (object("when", FaultReader.condition), object("then", ConsequenceReader.type))
    let others = object("", FaultReader.type)
    var members = others.filter { $0.key == "name" }
    if members.isEmpty, let first = then.first {
      let reason = first.value.string.flatMap { Self.reasons.contains($0) ? $0 : nil }
      members = [.init("name", .string(reason ?? first.key))]
    }
    if !when.isEmpty { members.append(.init("when", .object(when))) }
    if !then.isEmpty { members.append(.init("then", .object(then))) }
    return Array(JSONValue.object(members + others.filter { $0.key != "name" }).text.utf8)
  }

  /// The members of one object of the body.
  ///
  /// - Parameter path: the path of the object; empty for the body itself.
  private func object(_ path: String, _ type: ValueType) -> [JSONValue.Member] {
    given.compactMap { key, text in
      let names = key.split(separator: ".").map(String.init)
      guard let name = names.last, names.dropLast().joined(separator: ".") == path else { return nil }
      return .init(name, GivenText.json(text, as: type.members.first { $0.name == name }?.type) ?? .string(text))
    }
  }

  /// Removes all faults, or those of a session.
  package static func removal(session: String?) -> AdminAPI.Order {
    AdminAPI.Order(post: ["v1", "reset"], .object(session.map { [.init("session", .string($0))] } ?? []))
  }

  /// Removes one fault.
  package static func removal(of name: String, session: String?) -> AdminAPI.Order {
    var order = AdminAPI.Order("v1", "faults", name)
    order.method = "DELETE"
    order.query = session.map { [("session", $0)] } ?? []
    return order
  }
}

import Pushpit
import WireFormats

/// A fault made of flags: `pushpit fault set`.
package struct FaultOrder: Sendable {
  /// Nil names the fault after what it does.
  package var name: String?
  /// The consequence of the fault, as members of `then`.
  package var then: [(key: String, value: String)] = []
  package var when: [(key: String, value: String)] = []
  /// `odds`, `limit`, `from`, `until`, `for` and `session`.
  package var others: [(key: String, value: String)] = []

  package init() {}

  package var isEmpty: Bool { name == nil && then.isEmpty && when.isEmpty && others.isEmpty }

  /// The body for `POST /v1/faults`.
  package var body: [UInt8] {
    let usual = then.first.map { $0.key == "answer" ? $0.value : $0.key }
    var members: [JSONValue.Member] = []
    if let name = name ?? usual { members.append(.init("name", .string(name))) }
    if !when.isEmpty { members.append(.init("when", Self.object(when))) }
    if !then.isEmpty { members.append(.init("then", Self.object(then))) }
    return Array(JSONValue.object(members + (Self.object(others).members ?? [])).text.utf8)
  }

  /// Removes all faults, or those of a session.
  package static func removal(session: String?) -> AdminAPI.Order {
    AdminAPI.Order(post: ["v1", "reset"], object(session.map { [("session", $0)] } ?? []))
  }

  /// Removes one fault.
  package static func removal(of name: String, session: String?) -> AdminAPI.Order {
    var order = AdminAPI.Order("v1", "faults", name)
    order.method = "DELETE"
    order.query = session.map { [("session", $0)] } ?? []
    return order
  }

  /// Keys whose values are texts even if they look like numbers.
  private static let texts: Set = ["name", "session", "app", "device", "os", "answer", "reset"]

  private static func object(_ pairs: [(key: String, value: String)]) -> JSONValue {
    .object(pairs.map { .init($0.key, texts.contains($0.key) ? .string($0.value) : value($0.value)) })
  }

  private static func value(_ text: String) -> JSONValue {
    if text == "true" { return .bool(true) }
    return Int64(text).map { .integer($0) } ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil } ?? .string(text)
  }
}

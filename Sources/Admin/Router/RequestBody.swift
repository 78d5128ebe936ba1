import APNs
import Grammar
import Orders
import Simulation
import WireFormats

/// The body of a request: the keys that its reader takes, and its schema.
struct RequestBody: Sendable {
  /// A body that the OpenAPI document shows.
  struct Example: Sendable {
    fileprivate let name: String
    fileprivate let summary: String
    fileprivate let value: JSONValue

    init(_ name: String, _ summary: String, value: JSONValue) {
      self.name = name
      self.summary = summary
      self.value = value
    }
  }

  let keys: [String]
  /// Further keys that responses have; they are ignored.
  let answered: [String]
  let schema: Schema
  private let isNeeded: Bool

  /// - Parameters:
  ///   - name: of its type in the document; nil for a body that only one route has.
  ///   - shown: the schema, if it is more than an object with these members.
  init(
    _ members: [Schema.Member], named name: String? = nil, _ meaning: String? = nil, answered: [String] = [],
    isNeeded: Bool = true, as shown: Schema? = nil
  ) {
    keys = members.map(\.name)
    self.answered = answered
    self.isNeeded = isNeeded
    let ignored = answered.filter { name in !members.contains { $0.name == name } }
      .map { Schema.Member.maybe($0, .plain(["readOnly": true])) }
    let object = shown ?? .object(members + ignored)
    schema = name.map { object.named($0, meaning) } ?? object
  }

  func json(_ schemas: inout [(name: String, schema: JSONValue)], _ examples: [Example]) -> JSONValue {
    var content: [JSONValue.Member] = [.init("schema", schema.json(&schemas))]
    if !examples.isEmpty {
      content.append(
        .init(
          "examples", .object(examples.map { .init($0.name, ["summary": .string($0.summary), "value": $0.value]) })))
    }
    return ["required": .bool(isNeeded), "content": ["application/json": .object(content)]]
  }
}

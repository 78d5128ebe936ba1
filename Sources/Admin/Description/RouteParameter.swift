import Grammar
import WireFormats

/// The description of a parameter of a route.
struct RouteParameter: Sendable {
  enum Place: String, Sendable {
    case path
    case query
    case header
  }

  let name: String
  let place: Place
  private let schema: Schema
  private let meaning: String
  private let example: JSONValue?

  init(_ name: String, in place: Place, _ schema: Schema, meaning: String, example: JSONValue? = nil) {
    self.name = name
    self.place = place
    self.schema = schema
    self.meaning = meaning
    self.example = example
  }

  /// A part of the path.
  static func path(_ name: String, _ schema: Schema, meaning: String, example: JSONValue? = nil) -> RouteParameter {
    RouteParameter(name, in: .path, schema, meaning: meaning, example: example)
  }

  func json(_ schemas: inout [(name: String, schema: JSONValue)]) -> JSONValue {
    var members: [JSONValue.Member] = [.init("name", .string(name)), .init("in", .string(place.rawValue))]
    if place == .path { members.append(.init("required", true)) }
    members += [.init("description", .string(meaning)), .init("schema", schema.json(&schemas))]
    if let example { members.append(.init("example", example)) }
    return .object(members)
  }
}

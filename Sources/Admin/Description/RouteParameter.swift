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
  let schema: Schema
  let meaning: String
  let example: JSONValue?
  /// The word for false on command lines, such as `offline`.
  let opposite: String?

  /// - Parameter meaning: the sentences of the document. With an `opposite`, the first one names both cases, as in
  ///   "Only A, or only B.": commands make two flags of it.
  init(
    _ name: String, in place: Place, _ schema: Schema, meaning: String, example: JSONValue? = nil,
    opposite: String? = nil
  ) {
    self.name = name
    self.place = place
    self.schema = schema
    self.meaning = meaning
    self.example = example
    self.opposite = opposite
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

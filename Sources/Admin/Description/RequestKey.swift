import Grammar
import WireFormats

/// A key of a request with its description, from which a command makes a flag.
package struct RequestKey: Sendable {
  package enum Value: Sendable {
    /// True or false; the opposite is the word for false.
    case truth(opposite: String?)
    /// Only true.
    case mark
    case number
    /// A text: one of the words, or any text if the list is empty.
    case text([String])
  }

  /// The name; in a body with the names of the objects around it, such as `when.device`.
  package let path: String
  package let meaning: String
  package let value: Value
  package let example: JSONValue?

  /// The filters of a list: the query parameters of its route, except those of its pages.
  package static func filters(of path: String) -> [RequestKey] {
    let route = Router.routes.first { $0.method == "GET" && $0.path == path }
    let pages = Parameters.paging(Parameters.page).map(\.name)
    return (route?.parameters ?? []).filter { $0.place == .query && !pages.contains($0.name) }.map { parameter in
      let (schema, schemas) = written(parameter.schema)
      return RequestKey(
        parameter.name, resolved(schema, schemas), meaning: parameter.meaning, example: parameter.example,
        opposite: parameter.opposite)
    }
  }

  /// Keys of the body of `POST /v1/faults`.
  package static func fault(_ paths: [String]) -> [RequestKey] {
    let (body, schemas) = written(RequestBody.fault.schema)
    return paths.compactMap { path in
      var found: JSONValue? = body
      for name in path.split(separator: ".") {
        let object = found.map { resolved($0, schemas) }
        let kinds = object?["oneOf"]?.elements.map { $0.map { resolved($0, schemas) } } ?? [object].compactMap(\.self)
        found = kinds.lazy.compactMap { $0["properties"]?[String(name)] }.first
      }
      return found.map { schema in
        let facts = resolved(schema, schemas)
        let meaning = schema["description"] ?? facts["description"]
        return RequestKey(path, facts, meaning: meaning?.string ?? "", example: facts["example"])
      }
    }
  }

  private init(_ path: String, _ facts: JSONValue, meaning: String, example: JSONValue?, opposite: String? = nil) {
    self.path = path
    self.meaning = meaning
    self.example = example
    let kinds = facts["oneOf"]?.elements ?? [facts]
    value =
      if kinds.contains(where: { $0["const"] == true }) {
        .mark
      } else {
        switch facts["type"]?.string {
        case "boolean": .truth(opposite: opposite)
        case "integer" where facts["enum"] == nil: .number
        default: .text((facts["enum"]?.elements ?? []).map { $0.string ?? $0.text })
        }
      }
  }

  private typealias Named = [(name: String, schema: JSONValue)]

  private static func written(_ schema: Schema) -> (JSONValue, Named) {
    var schemas: Named = []
    let written = schema.json(&schemas)
    return (written, schemas)
  }

  /// The schema that a reference leads to.
  private static func resolved(_ schema: JSONValue, _ schemas: Named) -> JSONValue {
    guard let name = schema["$ref"]?.string?.split(separator: "/").last else { return schema }
    return schemas.first { $0.name == name }?.schema ?? schema
  }
}

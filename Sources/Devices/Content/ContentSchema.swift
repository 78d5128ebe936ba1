import WireFormats

/// The JSON that the synthesized `Decodable` of a Swift type expects.
///
/// An app profile declares one schema for the attributes and one for the content state of each `ActivityAttributes`
/// type, because the fleet has no Swift types to inspect.
package indirect enum ContentSchema: Hashable, Sendable {
  case string
  case int
  case double
  case bool
  case date
  case data
  case url
  case uuid
  /// A type that decodes from any value, including null, but not from a missing one.
  case any
  /// `ClosedRange<Date>`, as a timer view takes it.
  case dateRange
  case stringEnum([String])
  case intEnum([Int64])
  case optional(ContentSchema)
  case array(ContentSchema)
  /// A dictionary whose keys are strings, by the type of its values.
  case dictionary(ContentSchema)
  case object([Property])

  package struct Property: Hashable, Sendable {
    package let key: JSONKey
    package let schema: ContentSchema
    package var name: String { key.text }

    package init(_ name: String, _ schema: ContentSchema) {
      key = JSONKey(name)
      self.schema = schema
    }
  }
}

extension ContentSchema {
  /// The keys of an object; nil for other types.
  package var propertyNames: [String]? {
    switch self {
    case .object(let properties): properties.map(\.name)
    case .optional(let schema): schema.propertyNames
    default: nil
    }
  }
}

/// The reason why a profile's schema is not valid.
package struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path in the schema's own text, such as `properties.team.properties.name`; empty for the whole schema.
  package private(set) var path = ContentPath()
  /// A sentence about the valid form.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }

  func below(_ step: ContentPath.Step) -> SchemaProblem {
    var problem = self
    problem.path.prepend(step)
    return problem
  }

  package var description: String {
    let place = path.text(from: "")
    return place.isEmpty ? sentence : "\(place): \(sentence)"
  }
}

/// The words of the schema notation.
enum SchemaKeyword: String, CaseIterable {
  case string
  case int
  case double
  case bool
  case date
  case data
  case url
  case uuid
  case any
  case dateRange

  var schema: ContentSchema {
    switch self {
    case .string: .string
    case .int: .int
    case .double: .double
    case .bool: .bool
    case .date: .date
    case .data: .data
    case .url: .url
    case .uuid: .uuid
    case .any: .any
    case .dateRange: .dateRange
    }
  }

  /// Names of these types in other languages.
  private static let synonyms = [
    "integer": "int", "int64": "int", "long": "int", "number": "double", "float": "double", "decimal": "double",
    "boolean": "bool", "str": "string", "text": "string", "timestamp": "date", "datetime": "date", "time": "date",
    "bytes": "data", "base64": "data", "uri": "url", "guid": "uuid", "range": "dateRange",
    "closedrange<date>": "dateRange", "json": "any", "object": #"{"type": "object", "properties": {…}}"#,
    "array": #"[T]"#, "enum": #"{"enum": […]}"#, "dictionary": #"{"dictionary": T}"#, "null": #"T?"#,
  ]

  static let list = allCases.map(\.rawValue).joined(separator: ", ")

  /// A spelling suggestion as part of a sentence.
  static func suggestion(for text: String) -> String? {
    synonyms[text.lowercased()] ?? SpellingSuggestion.nearest(to: text, among: allCases.map(\.rawValue))
  }
}

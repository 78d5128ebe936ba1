import WireFormats

/// The JSON that the synthesized `Decodable` of a Swift type expects.
///
/// An app profile declares one schema for the attributes and one for the content state of each `ActivityAttributes`
/// type, because the fleet has no Swift types to inspect.
package indirect enum ContentSchema: Hashable, Sendable {
  case string
  case int
  case fixedInt(FixedInteger)
  case double
  case float
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
  /// An enum without raw values, by its cases: the type of each is an object of its associated values.
  case caseEnum([Property])
  case optional(ContentSchema)
  case array(ContentSchema)
  /// A dictionary whose keys are strings, by the type of its values.
  case dictionary(ContentSchema)
  /// A dictionary whose keys are of type `Int`, by the type of its values.
  case intDictionary(ContentSchema)
  /// A dictionary whose keys have any other type, by the types of its keys and its values.
  case pairs(ContentSchema, ContentSchema)
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
  /// The word of the notation; nil for a type that is written as an array or an object.
  package var word: String? { SchemaKeyword.word(self) }

  /// The properties of an object, or the cases of an enum without raw values.
  package var properties: [Property] {
    switch self {
    case .object(let properties), .caseEnum(let properties): properties
    default: []
    }
  }

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
enum SchemaKeyword {
  private static let scalars: [(word: String, schema: ContentSchema)] = [
    ("string", .string), ("int", .int), ("double", .double), ("float", .float), ("bool", .bool), ("date", .date),
    ("data", .data), ("url", .url), ("uuid", .uuid), ("any", .any), ("dateRange", .dateRange),
  ]
  private static let all = scalars + FixedInteger.allCases.map { ($0.word, .fixedInt($0)) }

  static func schema(_ word: String) -> ContentSchema? { all.first { $0.word == word }?.schema }
  static func word(_ schema: ContentSchema) -> String? { all.first { $0.schema == schema }?.word }

  /// Names of these types in other languages.
  private static let synonyms = [
    "integer": "int", "long": "int64", "short": "int16", "byte": "uint8", "number": "double", "decimal": "double",
    "boolean": "bool", "str": "string", "text": "string", "timestamp": "date", "datetime": "date", "time": "date",
    "bytes": "data", "base64": "data", "uri": "url", "guid": "uuid", "range": "dateRange",
    "closedrange<date>": "dateRange", "json": "any", "object": #"{"type": "object", "properties": {…}}"#,
    "array": #"[T]"#, "enum": #"{"enum": […]}"#, "dictionary": #"{"dictionary": T}"#, "null": #"T?"#,
  ]

  static let list = all.map(\.word).joined(separator: ", ")

  /// A spelling suggestion as part of a sentence.
  static func suggestion(for text: String) -> String? {
    synonyms[text.lowercased()] ?? SpellingSuggestion.nearest(to: text, among: all.map(\.word))
  }
}

import WireFormats

/// The words a schema is written with.
enum SchemaWord: String, CaseIterable {
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

  /// What other languages call these types.
  private static let synonyms = [
    "integer": "int", "int64": "int", "long": "int", "number": "double", "float": "double", "decimal": "double",
    "boolean": "bool", "str": "string", "text": "string", "timestamp": "date", "datetime": "date", "time": "date",
    "bytes": "data", "base64": "data", "uri": "url", "guid": "uuid", "range": "dateRange",
    "closedrange<date>": "dateRange", "json": "any", "object": #"{"type": "object", "properties": {…}}"#,
    "array": #"[T]"#, "enum": #"{"enum": […]}"#, "dictionary": #"{"dictionary": T}"#, "null": #"T?"#,
  ]

  static let list = allCases.map(\.rawValue).joined(separator: ", ")

  /// What a wrong word probably meant, as part of a sentence.
  static func suggestion(for text: String) -> String? {
    synonyms[text.lowercased()] ?? Spelling.nearest(to: text, among: allCases.map(\.rawValue))
  }
}

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
    synonyms[text.lowercased()] ?? nearest(to: text, among: allCases.map(\.rawValue))
  }

  /// The word with the fewest letters different, when these are at most a third of it.
  static func nearest(to text: String, among words: [String]) -> String? {
    let wanted = Array(text.lowercased().utf8.prefix(longest))
    let near = words.map { ($0, distance(wanted, Array($0.lowercased().utf8))) }
    return near.filter { $0.1 <= max(1, $0.0.utf8.count / 3) }.min { $0.1 < $1.1 }?.0
  }

  /// Longer words are not compared to their end.
  private static let longest = 40

  /// Letters to insert, drop or change (Levenshtein).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (line, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in right.indices {
        let change = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}

import Devices
import Testing
import WireFormats

@Suite("A content schema")
struct ContentSchemaTests {
  private static func parse(_ text: String) throws -> ContentSchema {
    try ContentSchema(JSONValue.parse(Array(text.utf8)))
  }

  static let sound: [(String, ContentSchema)] = [
    ("\"string\"", .string), ("\"int\"", .int), ("\"double\"", .double), ("\"bool\"", .bool), ("\"date\"", .date),
    ("\"data\"", .data), ("\"url\"", .url), ("\"uuid\"", .uuid), ("\"any\"", .any), ("\"dateRange\"", .dateRange),
    ("\"int?\"", .optional(.int)), ("[\"int\"]", .array(.int)), ("[\"int?\"]", .array(.optional(.int))),
    (#"{"optional":["int"]}"#, .optional(.array(.int))), (#"{"dictionary":"date"}"#, .dictionary(.date)),
    (#"{"dictionary":["url"],"optional":true}"#, .optional(.dictionary(.array(.url)))),
    (#"{"enum":["live","break"]}"#, .stringEnum(["live", "break"])), (#"{"enum":[1,-2]}"#, .intEnum([1, -2])),
    (#"{"enum":["a"],"optional":true}"#, .optional(.stringEnum(["a"]))),
    (#"{"enum":["a"],"optional":false}"#, .stringEnum(["a"])), (#"{"type":"object","properties":{}}"#, .object([])),
    (#"{"type":"int"}"#, .int), (#"{"type":"int","optional":true}"#, .optional(.int)),
    (
      #"{"type":"object","optional":true,"properties":{"b":"int","a":{"type":"object","properties":{"é":"any?"}}}}"#,
      .optional(.object([.init("b", .int), .init("a", .object([.init("é", .optional(.any))]))]))
    ),
  ]

  @Test("is read from its text", arguments: sound)
  func reads(text: String, schema: ContentSchema) throws { #expect(try Self.parse(text) == schema) }

  static let words = "string, int, double, bool, date, data, url, uuid, any, dateRange"

  static let faulty: [(String, String)] = [
    ("\"strng\"", "\"strng\" is no type; did you mean string?"),
    ("\"Int\"", "\"Int\" is no type; did you mean int?"),
    ("\"boolean?\"", "\"boolean\" is no type; did you mean bool?"),
    ("\"number\"", "\"number\" is no type; did you mean double?"),
    ("\"timestamp\"", "\"timestamp\" is no type; did you mean date?"),
    ("\"daterange\"", "\"daterange\" is no type; did you mean dateRange?"),
    ("\"elephant\"", "\"elephant\" is no type; one of \(words)."),
    ("\"\"", "\"\" is no type; one of \(words)."),
    ("\"int??\"", "one ? makes a type optional; two mean nothing more."),
    ("5", "a type is a word (\(words)), an array or an object."),
    ("null", "a type is a word (\(words)), an array or an object."),
    ("[]", "an array is written with the one type of its elements in brackets: [\"int\"]."),
    (#"["int","int"]"#, "an array is written with the one type of its elements in brackets: [\"int\"]."),
    (#"["in"]"#, "[0]: \"in\" is no type; did you mean int?"),
    ("{}", "an object declares a type by \"type\", \"enum\", \"dictionary\" or \"optional\"."),
    (#"{"optional":true}"#, "an object declares a type by \"type\", \"enum\", \"dictionary\" or \"optional\"."),
    (#"{"properties":{}}"#, "beside \"properties\" stands \"type\": \"object\"."),
    (#"{"type":"object"}"#, "an object has \"properties\", an object of names and their types."),
    (#"{"type":"object","properties":[]}"#, "an object has \"properties\", an object of names and their types."),
    (#"{"type":"int","properties":{}}"#, "only \"type\": \"object\" has properties."),
    (#"{"type":5}"#, "\"type\" is a word, such as \"object\"."),
    (#"{"type":"objet"}"#, "type: \"objet\" is no type; one of \(words)."),
    (#"{"typ":"object"}"#, "\"typ\" means nothing here; did you mean \"type\"?"),
    (
      #"{"type":"object","properties":{},"required":["a"]}"#,
      "\"required\" means nothing here; known here: type, properties, optional."
    ),
    (#"{"type":"object","propertys":{}}"#, "\"propertys\" means nothing here; did you mean \"properties\"?"),
    (#"{"type":"string","enum":["a"]}"#, "a type has \"type\" or \"enum\", not both."),
    (#"{"enum":["a"],"properties":{}}"#, "a type has \"enum\" or \"properties\", not both."),
    (#"{"enum":["a"],"dictionary":"int"}"#, "a type has \"enum\" or \"dictionary\", not both."),
    (#"{"enum":[]}"#, "enum: an enum lists its raw values: [\"live\", \"break\"]."),
    (#"{"enum":"live"}"#, "enum: an enum lists its raw values: [\"live\", \"break\"]."),
    (#"{"enum":["a",1]}"#, "enum: the raw values of an enum are all strings or all whole numbers."),
    (#"{"enum":[1.5]}"#, "enum: the raw values of an enum are all strings or all whole numbers."),
    (#"{"enum":["a","b","a"]}"#, "enum: a raw value is there twice."),
    (#"{"enum":[1,1]}"#, "enum: a raw value is there twice."),
    (#"{"optional":"int?"}"#, "the type is optional already, without {\"optional\": …}."),
    (#"{"type":"int?","optional":true}"#, "the type is optional already, without \"optional\": true."),
    (#"{"type":"int","type":"int"}"#, "\"type\" is there twice."),
    (
      #"{"type":"object","properties":{"a":"int","b":"int","a":"int"}}"#,
      "properties: the property \"a\" is there twice."
    ),
    (
      #"{"type":"object","properties":{"a?":"int"}}"#,
      "properties[\"a?\"]: the ? stands behind the type, not behind the name."
    ),
    (
      #"{"type":"object","properties":{"team":{"type":"object","properties":{"tags":[{"dictionary":"sting"}]}}}}"#,
      "properties.team.properties.tags[0].dictionary: \"sting\" is no type; did you mean string?"
    ),
  ]

  @Test("says where it is wrong and what would be right", arguments: faulty)
  func refuses(text: String, sentence: String) throws {
    let value = try JSONValue.parse(Array(text.utf8))
    let problem = #expect(throws: SchemaProblem.self) { try ContentSchema(value) }
    #expect(problem?.description == sentence)
  }

  @Test("may be nested 64 deep and no deeper")
  func nesting() throws {
    func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce("int") { value, _ in .array([value]) } }
    _ = try ContentSchema(nested(ContentSchema.deepest))
    let problem = #expect(throws: SchemaProblem.self) { try ContentSchema(nested(ContentSchema.deepest + 1)) }
    #expect(problem?.sentence == "types may be nested 64 deep at most.")
    #expect(throws: SchemaProblem.self) { try ContentSchema(nested(500)) }
  }
}

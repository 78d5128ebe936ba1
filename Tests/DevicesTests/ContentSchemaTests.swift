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
    ("\"int8\"", .fixedInt(.int8)), ("\"uint?\"", .optional(.fixedInt(.uint))), ("\"float\"", .float),
    (#"{"dictionary":"date","keys":"string"}"#, .dictionary(.date)),
    (#"{"dictionary":"date","keys":"int"}"#, .intDictionary(.date)),
    (#"{"dictionary":"date","keys":"int64"}"#, .pairs(.fixedInt(.int64), .date)),
    (#"{"keys":{"enum":["a"]},"dictionary":"int","optional":true}"#, .optional(.pairs(.stringEnum(["a"]), .int))),
    (
      #"{"enum":{"live":{"_0":"int","over":"int?"},"tea":{}}}"#,
      .caseEnum([
        .init("live", .object([.init("_0", .int), .init("over", .optional(.int))])), .init("tea", .object([])),
      ])
    ),
    (#"{"type":"int"}"#, .int), (#"{"type":"int","optional":true}"#, .optional(.int)),
    (
      #"{"type":"object","optional":true,"properties":{"b":"int","a":{"type":"object","properties":{"é":"any?"}}}}"#,
      .optional(.object([.init("b", .int), .init("a", .object([.init("é", .optional(.any))]))]))
    ),
  ]

  @Test("A content schema is read from its text", arguments: sound)
  func reads(text: String, schema: ContentSchema) throws { #expect(try Self.parse(text) == schema) }

  static let words =
    "string, int, double, float, bool, date, data, url, uuid, any, dateRange, int8, int16, int32, int64, uint, uint8,"
    + " uint16, uint32, uint64"

  static let noCases =
    #"an enum must list its raw values: ["live", "break"], or its cases with their associated values:"#
    + #" {"live": {"_0": "int"}, "break": {}}."#

  static let faulty: [(String, String)] = [
    ("\"strng\"", "\"strng\" is not a type; did you mean string?"),
    ("\"Int\"", "\"Int\" is not a type; did you mean int?"),
    ("\"boolean?\"", "\"boolean\" is not a type; did you mean bool?"),
    ("\"number\"", "\"number\" is not a type; did you mean double?"),
    ("\"timestamp\"", "\"timestamp\" is not a type; did you mean date?"),
    ("\"daterange\"", "\"daterange\" is not a type; did you mean dateRange?"),
    ("\"elephant\"", "\"elephant\" is not a type; one of \(words)."),
    ("\"\"", "\"\" is not a type; one of \(words)."),
    ("\"int??\"", "use only one ? for an optional type."),
    ("5", "a type must be a word (\(words)), an array or an object."),
    ("null", "a type must be a word (\(words)), an array or an object."),
    ("[]", "an array must be written as the type of its elements in brackets: [\"int\"]."),
    (#"["int","int"]"#, "an array must be written as the type of its elements in brackets: [\"int\"]."),
    (#"["in"]"#, "[0]: \"in\" is not a type; did you mean int?"),
    ("{}", "a type object needs \"type\", \"enum\", \"dictionary\" or \"optional\"."),
    (#"{"optional":true}"#, "a type object needs \"type\", \"enum\", \"dictionary\" or \"optional\"."),
    (#"{"properties":{}}"#, "beside \"properties\" stands \"type\": \"object\"."),
    (#"{"type":"object"}"#, "an object needs \"properties\", an object of names and their types."),
    (#"{"type":"object","properties":[]}"#, "an object needs \"properties\", an object of names and their types."),
    (#"{"type":"int","properties":{}}"#, "only \"type\": \"object\" has properties."),
    (#"{"type":5}"#, "\"type\" must be a word, such as \"object\"."),
    (#"{"type":"objet"}"#, "type: \"objet\" is not a type; one of \(words)."),
    (#"{"typ":"object"}"#, "\"typ\" is not a valid key; did you mean \"type\"?"),
    ("\"long\"", "\"long\" is not a type; did you mean int64?"),
    ("\"UInt8\"", "\"UInt8\" is not a type; did you mean uint8?"),
    (#"{"keys":"int"}"#, "beside \"keys\" stands \"dictionary\", the type of the values."),
    (#"{"enum":["a"],"keys":"int"}"#, "a type can have \"enum\" or \"keys\", not both."),
    (#"{"dictionary":"int","keys":"key"}"#, "keys: \"key\" is not a type; one of \(words)."),
    (#"{"enum":{}}"#, "enum: an enum must have a case."),
    (#"{"enum":{"a":{},"a":{}}}"#, "enum: the case \"a\" is declared twice."),
    (
      #"{"enum":{"a":{},"b":"int"}}"#,
      "enum.b: a case must have an object with its associated values, by label or as \"_0\", \"_1\"; {} if it has none."
    ),
    (#"{"enum":{"a":{"_0":"it"}}}"#, "enum.a._0: \"it\" is not a type; did you mean int?"),
    (
      #"{"type":"object","properties":{},"required":["a"]}"#,
      "\"required\" is not a valid key; valid keys are type, properties, optional."
    ),
    (#"{"type":"object","propertys":{}}"#, "\"propertys\" is not a valid key; did you mean \"properties\"?"),
    (#"{"type":"string","enum":["a"]}"#, "a type can have \"type\" or \"enum\", not both."),
    (#"{"enum":["a"],"properties":{}}"#, "a type can have \"enum\" or \"properties\", not both."),
    (#"{"enum":["a"],"dictionary":"int"}"#, "a type can have \"enum\" or \"dictionary\", not both."),
    (#"{"enum":[]}"#, "enum: \(noCases)"),
    (#"{"enum":"live"}"#, "enum: \(noCases)"),
    (#"{"enum":["a",1]}"#, "enum: the raw values of an enum must be all strings or all whole numbers."),
    (#"{"enum":[1.5]}"#, "enum: the raw values of an enum must be all strings or all whole numbers."),
    (#"{"enum":["a","b","a"]}"#, "enum: the raw values must be unique."),
    (#"{"enum":[1,1]}"#, "enum: the raw values must be unique."),
    (#"{"optional":"int?"}"#, "the type is already optional; remove {\"optional\": …}."),
    (#"{"type":"int?","optional":true}"#, "the type is already optional; remove \"optional\": true."),
    (#"{"type":"int","type":"int"}"#, "\"type\" is a duplicate key."),
    (
      #"{"type":"object","properties":{"a":"int","b":"int","a":"int"}}"#,
      "properties: the property \"a\" is declared twice."
    ),
    (
      #"{"type":"object","properties":{"a?":"int"}}"#,
      "properties[\"a?\"]: put the ? after the type, not after the name."
    ),
    (
      #"{"type":"object","properties":{"team":{"type":"object","properties":{"tags":[{"dictionary":"sting"}]}}}}"#,
      "properties.team.properties.tags[0].dictionary: \"sting\" is not a type; did you mean string?"
    ),
  ]

  @Test("an invalid schema is refused with the place and the valid form", arguments: faulty)
  func refuses(text: String, sentence: String) throws {
    let value = try JSONValue.parse(Array(text.utf8))
    let problem = #expect(throws: SchemaProblem.self) { try ContentSchema(value) }
    #expect(problem?.description == sentence)
  }

  @Test("A content schema may be nested at most 64 levels deep")
  func nesting() throws {
    func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce("int") { value, _ in .array([value]) } }
    _ = try ContentSchema(nested(ContentSchema.deepest))
    let problem = #expect(throws: SchemaProblem.self) { try ContentSchema(nested(ContentSchema.deepest + 1)) }
    #expect(problem?.sentence == "types may be nested at most 64 levels deep.")
    #expect(throws: SchemaProblem.self) { try ContentSchema(nested(500)) }
  }
}

import Admin
import Devices
import Testing
import Timeline
import WireFormats

@testable import ClientCommands

@Suite("Examples of content for a Live Activity")
struct ContentExampleTests {
  private static let example = ContentExample(now: Instant(seconds: 1_795_000_000))
  private static let words = [
    #""string""#, #""int""#, #""double""#, #""bool""#, #""date""#, #""data""#, #""url""#, #""uuid""#, #""any""#,
    #""dateRange""#, #""int?""#, #"["int"]"#, #"{"dictionary": "int"}"#, #"{"enum": ["live", "break"]}"#,
    #"{"enum": [1, 2, 3]}"#, #""int8""#, #""uint64?""#, #""float""#, #"{"dictionary": "bool", "keys": "int"}"#,
    #"{"dictionary": "int", "keys": "uuid"}"#, #"{"dictionary": "bool", "keys": {"enum": [1, 2]}}"#,
    #"{"enum": {"live": {"_0": "int", "at": "date"}, "tea": {}}}"#, #"{"enum": {"tea": {}, "live": {"by": "string"}}}"#,
    #"{"optional": ["bool"]}"#,
    #"{"type": "object", "properties": {"at": "date", "phase": {"enum": ["a", "b"]}, "teams": ["string"]}}"#,
  ]

  private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }
  private static func decodes(_ value: JSONValue, _ schema: ContentSchema) throws -> Bool {
    let wrapped = ContentSchema.object([.init("value", schema)])
    let text = JSONValue.object([.init("value", value)]).text
    return try JSONNode.read(Array(text.utf8)) { ContentDecoder(wrapped).failure($0, at: "x") } == nil
  }

  @Test("an example of each type decodes, and so does what it is changed to", arguments: words)
  func decodes(word: String) throws {
    let schema = try ContentSchema(try Self.json(word))
    let value = Self.example.value(schema)
    #expect(try Self.decodes(value, schema), "\(value.text)")
    var shown = value
    for _ in 1...3 {
      let next = Self.example.changed(shown, schema)
      #expect(try Self.decodes(next, schema), "\(next.text)")
      shown = next
    }
  }

  @Test("content without a value to change gets a count, in place of one that is null")
  func count() throws {
    for (before, after) in [("{}", #"{"count":1}"#), (#"{"count":null,"a":{}}"#, #"{"a":{},"count":1}"#)] {
      #expect(Self.example.changed(try Self.json(before), nil).text == after)
    }
  }

  @Test("a schema is the same after it was written and read", arguments: words)
  func notation(word: String) throws {
    let schema = try ContentSchema(try Self.json(word))
    #expect(try ContentSchema(schema.notation) == schema)
  }

  @Test(
    "a change is in one place, and in a number if there is one",
    arguments: [
      (#"{"team":"Lions","score":0,"over":1}"#, #"{"team":"Lions","score":1,"over":1}"#),
      (#"{"team":"Lions"}"#, #"{"team":"Lions 2"}"#), (#"{"team":"Lions 2"}"#, #"{"team":"Lions 3"}"#),
      (#"{"live":true}"#, #"{"live":false}"#), (#"{"a":{"b":[1]}}"#, #"{"a":{"b":[2]}}"#),
      (#"{"n":9223372036854775807}"#, #"{"n":0}"#), (#"{}"#, #"{"count":1}"#),
      (#"{"a":null}"#, #"{"a":null,"count":1}"#),
    ])
  func change(before: String, after: String) throws {
    #expect(Self.example.changed(try Self.json(before), nil).text == after)
  }

  @Test("a whole number of a fixed width is 0 again after its highest")
  func overflow() throws {
    let schema = try ContentSchema(try Self.json(#""uint8""#))
    #expect(Self.example.changed(254, schema) == 255 && Self.example.changed(255, schema) == 0)
  }

  @Test("an enum with associated values changes in them, and without them to the next case")
  func cases() throws {
    let schema = try ContentSchema(try Self.json(#"{"enum": {"tea": {}, "live": {"over": "int"}}}"#))
    let live = Self.example.changed(["tea": [:]], schema)
    #expect(live == ["live": ["over": 0]] && Self.example.changed(live, schema) == ["live": ["over": 1]])
  }

  @Test("an enumeration goes to its next case, and one of a single case stays")
  func enumeration() throws {
    let schema = try ContentSchema(try Self.json(#"{"enum": ["live", "break"]}"#))
    #expect(Self.example.changed("break", schema) == "live" && Self.example.changed("live", schema) == "break")
    let single = try ContentSchema(try Self.json(#"{"enum": ["live"]}"#))
    #expect(Self.example.changed("live", single) == "live")
  }
}

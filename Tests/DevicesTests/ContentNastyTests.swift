import Devices
import Foundation
import Testing
import WireFormats

@Suite("Unusual JSON as content")
struct ContentNastyTests {
  static let schema =
    #"{"type":"object","properties":{"a":"int","s":"string?","d":"double?","l":{"optional":["int"]}}}"#
  struct Content: Decodable { let a: Int, s: String?, d: Double?, l: [Int]? }

  static func nested(_ depth: Int) -> String {
    #"{"a":1,"x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
  }

  static let table = ContentTwin(
    "nasty", Content.self, schema,
    [
      #"{"a":1,"a":"x"}"#, #"{"a":"x","a":1}"#, #"{"a":"x","\u0061":1}"#, #"{"a":1,"a":null,"a":[]}"#,
      #"{"a":null,"a":1}"#, #"{"a":1,"s":null,"s":5}"#, #"{"a":1,"s":5,"s":null}"#, nested(2), nested(511), nested(512),
      nested(513), nested(100_000), #"{"a":1,"s":"\ud83d\ude00"}"#, #"{"a":1,"s":"\ud83d"}"#, #"{"a":1,"s":"\ude00"}"#,
      #"{"a":1,"s":"\ud83d\u0041"}"#, #"{"a":1,"s":"\ude00\ud83d"}"#, #"{"a":-0,"d":-0}"#, #"{"a":-0.0,"d":-0.0}"#,
      #"{"a":1,"d":9007199254740993}"#, #"{"a":1,"d":18446744073709551615}"#, #"{"a":1,"d":1e308}"#,
      #"{"a":1,"d":1e309}"#, #"{"a":1,"d":-1e309}"#, #"{"a":1e2,"d":1e2}"#, #"{"a":1E+2}"#, #"{"a":1e-2}"#,
      #"{"a":\#(String(repeating: "9", count: 400))}"#, #"{"a":0.\#(String(repeating: "9", count: 400))}"#,
      "{\"a\":1,\"s\":\"\u{1}\"}", "{\"a\":1,\"s\":\"\n\"}", #"{"a":1,"s":"\u00"}"#, #"{"a":1}x"#, #"{"a":1}{"a":1}"#,
      #"{"a":1"#, "", " ", "null", "1", "\"x\"", "[]", "[{\"a\":1}]", " {\n\t\"a\" :\r1 } ", #"{'a':1}"#, #"{a:1}"#,
      #"{"a":1 /* one */}"#, #"{"a" 1}"#, #"{"":1}"#, #"{"a\u0000":1}"#, #"{"а":1}"#,
    ])

  @Test("S93: duplicates, depth, huge numbers, surrogates and broken text get JSONDecoder's verdict")
  func agrees() throws { try Self.table.compare() }

  @Test("S93: bytes that are not UTF-8 fail to decode only where they are read")
  func badUTF8() throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
      let bytes = Array(#"{"a":1,"s":""#.utf8) + bad + Array("\"}".utf8)
      #expect((try? JSONDecoder().decode(Content.self, from: Data(bytes))) == nil, "\(bad)")
      #expect(throws: JSONProblem.self, "\(bad)") { try JSONNode.read(bytes) { decoder.check($0) } }
    }
  }

  /// The payload is read as one document before anything is decoded, so what `JSONDecoder` never looks at counts too.
  /// On a phone this reader is the system's, too, and the document is the whole push.
  @Test(
    "some JSON that JSONDecoder accepts is refused by the reader of the payload",
    arguments: [
      #"{"x":01,"a":1}"#,
      #"{"x":"\ud800","a":1}"#, "{\"x\":\"\u{1}\",\"a\":1}", "\u{FEFF}{\"a\":1}", #"{"a":1,}"#,
      #"{"a":1,"l":[1,]}"#,
    ])
  func stricterReader(_ text: String) throws {
    #expect((try? JSONDecoder().decode(Content.self, from: Data(text.utf8))) != nil)
    #expect(!ContentTwin.accepts(try ContentTwin.decoder(Self.schema), text))
  }

  @Test(
    "numbers of any size are accepted as by JSONDecoder",
    arguments: [
      #"{"x":1e999,"a":1}"#, #"{"x":123456789012345678901234567890,"a":1}"#,
      #"{"a":1,"d":123456789012345678901234567890}"#, #"{"a":1,"d":18446744073709551616}"#,
      #"{"a":1,"d":-9223372036854775809}"#,
    ])
  func anySize(_ text: String) throws {
    #expect((try? JSONDecoder().decode(Content.self, from: Data(text.utf8))) != nil)
    #expect(ContentTwin.accepts(try ContentTwin.decoder(Self.schema), text))
  }

  /// The document that has been read holds a zero for it.
  @Test("a number too small for a Double is accepted, unlike by JSONDecoder")
  func underflow() throws {
    #expect((try? JSONDecoder().decode(Content.self, from: Data(#"{"a":1,"d":1e-400}"#.utf8))) == nil)
    #expect(ContentTwin.accepts(try ContentTwin.decoder(Self.schema), #"{"a":1,"d":1e-400}"#))
  }

  @Test("a name beyond ASCII is found in either spelling, the first one")
  func spellings() throws {
    struct Named: Decodable { let é: Int }
    let twin = ContentTwin(
      "é", Named.self, #"{"type":"object","properties":{"é":"int"}}"#,
      [
        "{\"é\":1}", "{\"e\u{301}\":1}", "{\"é\":\"x\",\"e\u{301}\":1}", "{\"e\u{301}\":1,\"é\":\"x\"}",
        #"{"\u00e9":1}"#,
        #"{"e":1}"#,
      ])
    try twin.compare()
  }

  @Test("a schema 64 levels deep is checked to its end")
  func deepSchema() throws {
    let depth = ContentSchema.deepest
    var schema = ContentSchema.int
    for _ in 1..<depth { schema = .array(schema) }
    let open = String(repeating: "[", count: depth - 1), close = String(repeating: "]", count: depth - 1)
    let decoder = ContentDecoder(schema)
    #expect(ContentTwin.accepts(decoder, open + "1" + close))
    #expect(!ContentTwin.accepts(decoder, open + "true" + close))
    #expect(!ContentTwin.accepts(decoder, "[" + open + "1" + close + "]"))
  }
}

import TestSupport
import Testing
import WireFormats

@Suite("A JSON value")
struct JSONValueTests {
  static let value: JSONValue = [
    "reason": "Unregistered", "timestamp": 1_735_689_600_123, "list": [true, nil, [:], []], "empty": "",
  ]

  @Test("a JSON value is written compactly, its members in the given order")
  func compact() {
    let text = #"{"reason":"Unregistered","timestamp":1735689600123,"list":[true,null,{},[]],"empty":""}"#
    #expect(Self.value.text == text)
  }

  @Test("only a string's quotes, backslashes and control characters are escaped")
  func escapes() {
    let string = JSONValue.string("a\"b\\c/\n\r\t\u{0}\u{1F}\u{7F}é🏏")
    #expect(string.text == #""a\"b\\c/\n\r\t\u0000\u001f"# + "\u{7F}é🏏\"")
    #expect(JSONValue.object([.init("k\"", 1)]).text == #"{"k\"":1}"#)
  }

  @Test("a number that JSON cannot express is null")
  func noNumber() {
    for number in [Double.nan, .infinity, -.infinity] { #expect(JSONValue.double(number).text == "null") }
  }

  @Test("a JSON value is read with spaces, escapes, and all kinds of number")
  func reads() throws {
    let text = #" { "a" : [ 1 , -2, 2.5, 1e3, 9223372036854775807, 18446744073709551615 ], "b":"é\n\ud83c\udfcf" } "#
    let value = try JSONValue.parse(Array(text.utf8))
    let numbers: [JSONValue] = [
      1, -2, .double(2.5), .double(1000), .integer(.max), .double(18_446_744_073_709_551_616),
    ]
    #expect(value == .object([.init("a", .array(numbers)), .init("b", "é\n🏏")]))
  }

  @Test("the last of two members with the same name is used")
  func lastCounts() throws {
    let value = try JSONValue.parse(Array(#"{"a":1,"b":2,"a":3}"#.utf8))
    #expect(value["a"]?.integer == 3)
    #expect(value.members?.count == 3)
    #expect(value["c"] == nil && value["a"]?["x"] == nil)
    #expect(value["a"]?.string == nil && value["a"]?.elements == nil && JSONValue.string("x").members == nil)
  }

  @Test(
    "text that is not a JSON document is refused in a sentence",
    arguments: [
      "", " ", "{", "}", "{]", "{\"a\"}", "{a:1}", "[1,]", "[1 2]", "01", "1.", "+1", "nul", "'a'", "\"", "\"\\x\"",
      "{} {}",
      "\u{FEFF}\u{FEFF}{}", "\"\u{1}\"", "NaN", "\"\\ud800\"", "[01e999]",
    ])
  func refuses(text: String) {
    let problem = #expect(throws: JSONProblem.self) { try JSONValue.parse(Array(text.utf8)) }
    #expect(problem?.description.isEmpty == false)
  }

  @Test("bytes that are not UTF-8 are refused")
  func refusesBadUTF8() {
    #expect(throws: JSONProblem.self) { try JSONValue.parse([0x22, 0xFF, 0x22]) }
    #expect(throws: JSONProblem.self) { try JSONValue.parse([0x22, 0xC3, 0x22]) }
  }

  @Test("nesting is read to 500 levels, and refused beyond 512")
  func depth() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
    }
    #expect(try JSONValue.parse(nested(500)).text.utf8.count == 1000)
    #expect(throws: JSONProblem.self) { try JSONValue.parse(nested(513)) }
    #expect(throws: JSONProblem.self) { try JSONValue.parse(nested(100_000)) }
  }

  @Test("written values are read back")
  func roundTrip() throws {
    for seed: UInt64 in 0..<400 {
      var dice = Dice(seed: seed)
      let value = Self.random(&dice, depth: 0)
      #expect(try JSONValue.parse(Array(value.text.utf8)) == value, "seed \(seed): \(value.text)")
    }
  }

  @Test("the size of a value is that of its text, or one more than a limit that it exceeds")
  func size() throws {
    for seed: UInt64 in 0..<200 {
      var dice = Dice(seed: seed)
      let value = Self.random(&dice, depth: 0)
      let size = value.text.utf8.count
      for limit in [0, size / 2, size - 1, size, size + 1, 5000] {
        #expect(value.size(upTo: limit) == min(size, limit + 1), "seed \(seed), limit \(limit): \(value.text)")
      }
    }
  }

  private static func random(_ dice: inout Dice, depth: Int) -> JSONValue {
    switch dice.below(depth > 4 ? 6 : 8) {
    case 0: return .null
    case 1: return .bool(dice.below(2) == 0)
    case 2: return .integer(Int64(bitPattern: dice.bits()) >> Int64(dice.below(64)))
    case 3:
      let number = Double(bitPattern: dice.bits())
      return number.isFinite ? .double(number) : .double(0.1)
    case 4, 5: return .string(string(&dice))
    case 6: return .array((0..<dice.below(5)).map { _ in random(&dice, depth: depth + 1) })
    default:
      return .object((0..<dice.below(5)).map { _ in JSONValue.Member(string(&dice), random(&dice, depth: depth + 1)) })
    }
  }

  private static func string(_ dice: inout Dice) -> String {
    var text = ""
    for _ in 0..<dice.below(12) {
      // Any scalar: mostly low ones, where the escapes are.
      let bound: UInt32 = dice.below(3) == 0 ? 0x11_0000 : 0x80
      guard let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: dice.bits()) % bound) else { continue }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}

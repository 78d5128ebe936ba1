import TestSupport
import Testing
import WireFormats

@Suite("The fault of a text that is not JSON")
struct JSONFaultTests {
  private static let aps = Array(#"{"aps":{"alert":""#.utf8)

  static let faults: [(String, [UInt8], byte: Int, words: String)] = [
    ("a comma too many", Array(#"{"aps":{"alert":"x",}}"#.utf8), 21, "}, but a name in double quotes"),
    ("single quotes", Array(#"{'aps':{'alert':'x'}}"#.utf8), 2, "', but a name in double quotes or }"),
    ("typographic quotes", Array(#"{“aps”:{}}"#.utf8), 2, "“, but a name"),
    ("Latin-1", aps + Array("caf".utf8) + [0xE9] + Array(#""}}"#.utf8), 21, "not UTF-8"),
    ("Latin-1 that begins nothing", aps + [0xFF] + Array(#""}}"#.utf8), 18, "0xFF is not UTF-8"),
    ("an overlong slash", aps + [0xC0, 0xAF] + Array(#""}}"#.utf8), 18, "not UTF-8"),
    ("a surrogate in UTF-8", aps + [0xED, 0xA0, 0x80] + Array(#""}}"#.utf8), 18, "not UTF-8"),
    ("half a surrogate pair", Array(#"{"aps":{"alert":"x\ud83d"}}"#.utf8), 19, "half of a surrogate pair"),
    ("the other half", Array(#"{"aps":{"alert":"\ude00"}}"#.utf8), 18, "half of a surrogate pair"),
    ("halves swapped", Array(#"{"aps":{"alert":"\ude00\ud83d"}}"#.utf8), 18, "half of a surrogate pair"),
    ("a character cut by bytes", aps + [0xF0, 0x9F, 0x98] + Array(#""}}"#.utf8), 18, "ends after 3"),
    ("a text cut within a character", aps + [0xE2, 0x82], 18, "ends after 2"),
    ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8), 1, "byte order mark"),
    ("a byte order mark of UTF-16", [0xFF, 0xFE, 0x7B, 0], 1, "UTF-16"),
    ("UTF-16 without a mark", [0x7B, 0, 0x22, 0], 2, "0x00, but a name"),
    ("a text that ends", Array(#"{"aps":{"#.utf8), 9, "the text ends, but a name in double quotes or } is expected"),
    ("a string that ends not", Array(#"{"aps"#.utf8), 6, "within a string"),
    ("a missing colon", Array(#"{"aps" {}}"#.utf8), 8, "a colon is expected"),
    ("a missing comma", Array(#"{"a":1 "b":2}"#.utf8), 8, "a comma or } is expected"),
    ("a missing comma of an array", Array("[1 2]".utf8), 4, "a comma or ] is expected"),
    ("a comma too many in an array", Array("[1,]".utf8), 4, "], but a value"),
    ("two documents", Array("{}{}".utf8), 3, "{, but the end of the text"),
    ("a word", Array(#"{"a":NaN}"#.utf8), 6, "N, but a value"),
    ("a number with a zero before", Array("[01]".utf8), 2, "begins with 0"),
    ("a number without digits", Array("[-]".utf8), 3, "a digit"),
    ("a fraction without digits", Array("[1.]".utf8), 4, "a digit"),
    ("an exponent without digits", Array("[1e+]".utf8), 5, "a digit"),
    ("a line break in a string", Array("[\"a\nb\"]".utf8), 4, "0x0A, which a string must escape"),
    ("a backslash before a letter", Array(#"["\x"]"#.utf8), 4, "x after a backslash"),
    ("a short escape", Array(#"["\u12"]"#.utf8), 7, "a hexadecimal digit"),
    ("nothing", [], 1, "a value is expected"),
    ("deep arrays", [UInt8](repeating: UInt8(ascii: "["), count: 600), 513, "512 levels"),
  ]

  @Test("the fault of a text is reported with its byte and what is expected there", arguments: faults)
  func named(_ name: String, _ bytes: [UInt8], _ byte: Int, _ words: String) throws {
    let fault = try #require(JSONFault(bytes[...]), "\(name)")
    #expect(fault.byte == byte && fault.sentence.contains(words), "\(name): \(fault.sentence)")
    #expect(throws: JSONProblem.self) { try JSONNode.read(bytes) { _ in } }
  }

  @Test("the byte of a fault is counted from the beginning of the text, wherever the text lies")
  func slices() {
    let bytes = Array(#"xyz{"a":1,}"#.utf8)
    #expect(JSONFault(bytes[3...])?.byte == 8)
  }

  @Test("a fault is found exactly in those texts that cannot be read")
  func agrees() {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    var dice = Dice(seed: seed)
    let sound = #"{"aps":{"alert":"é\ud83d\ude00 \"x\"","badge":-1.5e3,"n":[true,false,null,{},[]]},"x":12}"#
    for round in 0..<3000 {
      var bytes = Array(sound.utf8)
      for _ in 0...dice.below(3) {
        let index = dice.below(bytes.count)
        switch dice.below(4) {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: dice.bits())
        case 1: bytes.insert(bytes[dice.below(bytes.count)], at: index)
        case 2: bytes[index] = bytes[dice.below(bytes.count)]
        default: bytes.remove(at: index)
        }
      }
      let isRead = (try? JSONNode.read(bytes) { _ in }) != nil
      guard isRead == (JSONFault(bytes[...]) == nil) else {
        Issue.record("seed \(seed), round \(round): \(bytes) \(JSONFault(bytes[...])?.sentence ?? "no fault")")
        return
      }
    }
  }
}

import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Contents in hunts")
struct LeavesTests {
  private static let now = Instant(seconds: 1_781_373_600)

  @Test(
    "a value that differs honestly from play to play is left out",
    arguments: [
      "1781373000", "1781373000000", "803066400.5", #""2026-06-13T18:00:00Z""#, #""2026-06-13 18:00""#,
      #"[1,{"at":1781373000}]"#,
      #""7b0c1c7e-8a3f-4f6e-9a51-0d5d0c0b2f10""#, #""00fc13adff785122b4ad28809a3420982341241421348097""#,
    ])
  func drawn(text: String) throws {
    let value = try JSONValue.parse(Array(#"{"a":{"b":\#(text),"score":"1/0"}}"#.utf8))
    #expect(Leaves(value, near: Self.now).words == #"a.score="1/0""#)
  }

  @Test(
    "every other value stays", arguments: ["0", "4", "12.5", #""Lions""#, #""4-0""#, "true", "null", "[1,2]", #""""#])
  func kept(text: String) throws {
    let value = try JSONValue.parse(Array(#"{"a":\#(text)}"#.utf8))
    #expect(Leaves(value, near: Self.now).words == "a=\(text)")
  }

  @Test("the order of members and the notation of numbers do not matter, and values make an object again")
  func equal() {
    let one = Leaves(["a": ["b": 1, "c": "x"], "d": true], near: Self.now)
    let other = Leaves(["d": true, "a": ["c": "x", "b": .double(1)]], near: Self.now)
    #expect(one == other && one != Leaves(["a": ["b": 2, "c": "x"], "d": true], near: Self.now))
    #expect(one.json == ["a": ["b": 1, "c": "x"], "d": true])
    let dotted: JSONValue = ["a.b": 1, "c": ["d.e": 2]]
    #expect(Leaves(dotted, near: Self.now).json == dotted)
  }
}

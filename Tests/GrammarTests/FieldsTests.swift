import Grammar
import Testing
import Timeline
import WireFormats

@Suite("An object that a user wrote")
struct FieldsTests {
  private static func fields(_ value: JSONValue) throws -> Fields {
    try Fields(SourceNode(["x": value]), "a body", known: ["x"])
  }

  private static func problem(_ body: () throws -> Any?) -> InputProblem? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? InputProblem
    }
  }

  @Test("an invalid key of an object is rejected with the nearest valid one")
  func unknownKey() {
    let problem = Self.problem { try Fields(SourceNode(["devcies": []]), "where", known: ["devices", "app"]) }
    #expect(problem?.code == .unknownKey && problem?.field == "devcies" && problem?.place == "devcies")
    #expect(problem?.sentence == #"where has no key "devcies"; did you mean devices?"#)
  }

  @Test("a whole number is read with or without quotation marks, and only within its range")
  func whole() throws {
    #expect(try Self.fields(3).whole("x", 1...5) == 3)
    #expect(try Self.fields("3").whole("x", 1...5) == 3)
    for value: JSONValue in [6, "6", .double(3), true, [3]] {
      #expect(Self.problem { try Self.fields(value).whole("x", 1...5) }?.field == "x", "\(value)")
    }
  }

  @Test("a duration is read as a text or as seconds, to the nanosecond")
  func duration() throws {
    #expect(try Self.fields("90s").duration("x") == .seconds(90))
    #expect(try Self.fields(90).duration("x") == .seconds(90))
    #expect(try Self.fields(.double(1.5)).duration("x") == .milliseconds(1500))
    #expect(try Self.fields("0.0000000001").duration("x") == .zero)
    #expect(Self.problem { try Self.fields(-1).duration("x") }?.code == .invalidValue)
    #expect(try Self.fields(3_155_760_000).duration("x") == Self.fields("36525d").duration("x"))
    let huge = "1\(String(repeating: "0", count: 400))h"
    for value: JSONValue in [3_155_760_001, "3155760001", "36525d1s", .double(1e300), .string(huge)] {
      let problem = Self.problem { try Self.fields(value).duration("x") }
      #expect(problem?.sentence == "x must be at most 36525d.", "\(value)")
    }
  }

  @Test("a text of the user is quoted with escapes for control characters, and is cut")
  func quoted() {
    #expect(Wording.quoted("a\u{1b}[31m\nb") == #""a\u{1b}[31m\u{a}b""#)
    #expect(Wording.quoted(String(repeating: "ä", count: 81)) == "\"\(String(repeating: "ä", count: 80))…\"")
  }

  /// A tape writes it as seconds, and reads it again.
  @Test(
    "a date in seconds is read to the nearest nanosecond", arguments: [4332527.1, 1_800_000_000.123456, -0.1])
  func instant(_ seconds: Double) throws {
    let instant = try #require(try Self.fields(.double(seconds)).instant("x"))
    #expect(try Self.fields(.double(Double(instant.nanoseconds) / 1e9)).instant("x") == instant)
  }

  @Test("single values are read as they are written, and empty ones, lists and null are rejected")
  func spelling() throws {
    #expect(try Self.fields(26).spelling("x") == "26" && Self.fields(true).spelling("x") == "true")
    for value: JSONValue in [[1], .null, [:]] {
      #expect(Self.problem { try Self.fields(value).spelling("x") }?.code == .wrongType, "\(value)")
    }
    #expect(Self.problem { try Self.fields("").spelling("x") }?.sentence == "x must not be empty.")
  }
}

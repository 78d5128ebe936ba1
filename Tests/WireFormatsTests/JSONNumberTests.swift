import Testing
import WireFormats

/// JSON sets no limit to numbers (RFC 8259, section 6).
@Suite("A number that 64 bits do not hold")
struct JSONNumberTests {
  private func read(_ text: String) throws -> [JSONValue] {
    try JSONValue.parse(Array(text.utf8)).elements ?? []
  }

  @Test(
    "a number beyond 64 bits is read as a double",
    arguments: [
      ("18446744073709551616", 1.8446744073709551616e19), ("99999999999999999999", 1e20),
      ("-9223372036854775809", -9.223372036854777856e18), ("-99999999999999999999", -1e20),
      ("1" + String(repeating: "0", count: 300), 1e300),
    ])
  func double(_ text: String, _ value: Double) throws { #expect(try read("[\(text)]") == [.double(value)]) }

  @Test(
    "a number beyond 64 bits is the largest double if no double holds it",
    arguments: ["1e309", "1E+999", "12.5e400", String(repeating: "9", count: 4000)])
  func largest(_ text: String) throws {
    #expect(try read("[\(text),-\(text)]") == [.double(.greatestFiniteMagnitude), .double(-.greatestFiniteMagnitude)])
  }

  @Test("a number beyond 64 bits changes neither the numbers beside it nor the digits in strings and names")
  func others() throws {
    let text =
      #"[99999999999999999999,"99999999999999999999","\"1e999",{"1e999":9223372036854775807},-9223372036854775808]"#
    #expect(
      try read(text) == [
        .double(1e20), .string("99999999999999999999"), .string("\"1e999"), .object([.init("1e999", .integer(.max))]),
        .integer(.min),
      ])
  }

  @Test(
    "text that is not JSON is rejected",
    arguments: ["[01e999]", "[1.e999]", "[.1e999]", "[1e999", "[1e999,]", "[99999999999999999999x]"])
  func noJSON(_ text: String) { #expect(throws: JSONProblem.self) { try read(text) } }
}

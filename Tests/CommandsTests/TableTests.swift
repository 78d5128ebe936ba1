import Testing
import WireFormats

@testable import ClientCommands

@Suite("Tables on the command line")
struct TableTests {
  private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  @Test("columns are as wide as their widest cell, lines have no trailing spaces and fit the terminal")
  func table() {
    let table = Table([["a", "long", "last"], ["wide", "b", "x y"], ["c", "", ""]])
    #expect(table.lines(columns: nil) == ["a     long  last", "wide  b     x y", "c"])
    #expect(table.lines(columns: 8) == ["a     l…", "wide  b…", "c"])
    #expect(Table([["a\u{1B}[2J"]]).lines(columns: nil) == ["a\\u{1b}[2J"])
  }

  @Test("bare tokens are those of the first app")
  func bare() throws {
    let page = try Self.json(
      #"{"tokens": [{"token": "01", "app": "a"}, {"token": "02", "app": "b"}, {"token": "03", "app": "a"}]}"#)
    #expect(BareTokens(page).all == ["01", "03"])
    #expect(BareTokens(try Self.json(#"{"tokens": []}"#)).all == [])
  }
}

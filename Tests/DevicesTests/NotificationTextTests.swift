import Devices
import TestSupport
import Testing
import WireFormats

@Suite("Texts of notifications")
struct NotificationTextTests {
  private func render(_ text: LocalizedText, _ language: String = "en") -> String {
    text.rendered(NotificationPhone.strings, in: language)
  }

  @Test(
    "S121: a key is looked up in the language, without its region, then in the app's own",
    arguments: [
      ("WICKET", "en", "Wicket! %@ out for %@"), ("WICKET", "de", "Aus! %2$@ für %1$@"),
      ("WICKET", "de-AT", "Aus! %2$@ für %1$@"), ("WICKET", "de_AT", "Aus! %2$@ für %1$@"),
      ("WICKET", "fr", "Wicket! %@ out for %@"), ("WICKET", "", "Wicket! %@ out for %@"), ("ONLY", "de", "only here"),
    ])
  func lookup(key: String, language: String, text: String) {
    #expect(NotificationPhone.strings.text(key, in: language) == text)
  }

  @Test("a key that no language has is not found, as in a table without languages")
  func unknown() {
    #expect(NotificationPhone.strings.text("NONE", in: "en") == nil)
    #expect(StringTable().text("WICKET", in: "en") == nil)
  }

  @Test("of two entries or languages with the same name the first is used")
  func first() {
    let table = StringTable([.init("en", [.init("A", "1"), .init("A", "2")]), .init("en", [.init("B", "3")])])
    #expect(table.text("A", in: "en") == "1" && table.text("B", in: "en") == nil)
  }

  @Test("S121: an unknown key shows itself")
  func unknownKey() {
    #expect(render(.key("NO_SUCH_KEY", arguments: [])) == "NO_SUCH_KEY")
    #expect(render(.key("NO_SUCH_KEY", arguments: ["a"])) == "NO_SUCH_KEY")
    #expect(render(.key("%@ is out", arguments: ["Root"])) == "Root is out")
  }

  @Test(
    "S121: arguments are inserted in order or by number",
    arguments: [
      ("%@ %@", "a b"), ("%2$@ %1$@", "b a"), ("%1$@ %@ %@", "a a b"), ("%@%@%@!", "abc!"), ("%4$@|", "|"),
      ("%@%@%@%@|", "abc|"), ("%0$@|", "|"), ("%9999$@|", "|"), ("%10000$@", "%10000$@"), ("100%", "100%"),
      ("%%@", "%@"), ("%%%@", "%a"), ("%d %@", "%d a"), ("%1@", "%1@"), ("%1$", "%1$"), ("%1$d", "%1$d"),
      ("%$@", "%$@"), ("% @", "% @"), ("", ""), ("%", "%"), ("%1", "%1"), ("%é%@", "%éa"), ("%٣$@", "%٣$@"),
    ])
  func format(text: String, result: String) {
    #expect(render(.key(text, arguments: ["a", "b", "c"])) == result)
  }

  @Test("an argument is not read as a format")
  func nested() { #expect(render(.key("%@ %@", arguments: ["%@", "%1$@"])) == "%@ %1$@") }

  @Test("a literal is not read as a format")
  func literal() { #expect(render(.literal("100 %@ %%")) == "100 %@ %%") }

  @Test("S121: in German the arguments have the reverse order")
  func german() {
    let text = LocalizedText.key("WICKET", arguments: ["Root", "99"])
    #expect(render(text) == "Wicket! Root out for 99" && render(text, "de-CH") == "Aus! 99 für Root")
  }

  @Test("a line is truncated at 4,096 bytes between scalars, however often a format repeats an argument")
  func bounded() {
    let long = String(repeating: "x", count: 3000)
    #expect(render(.key(String(repeating: "%1$@", count: 1000), arguments: [long])).utf8.count == 4096)
    #expect(render(.literal(String(repeating: "é", count: 3000))).utf8.count == 4096)
    let odd = render(.literal("x" + String(repeating: "é", count: 3000) + "x"))
    #expect(odd.utf8.count == 4095 && odd.hasSuffix("é"))
    let zalgo = render(.literal("e" + String(repeating: "\u{301}", count: 9000)))
    #expect(zalgo.utf8.count <= 4096)
  }

  /// Pieces that meet at the limit, in the middle of a scalar, of a letter of several, and of a directive.
  private static let pieces = [
    "a", "é", "e\u{301}", "😀", "👩‍👩‍👧", "%", "%%", "%@", "%2$@", "%9$", "\u{0}", "\r\n", String(repeating: "x", count: 700),
    String(repeating: "漢", count: 600), String(repeating: "😀", count: 300),
  ]

  @Test("Texts are equal to those that are built scalar by scalar", arguments: 0..<300)
  func sameAsBefore(seed: UInt64) {
    var dice = Dice(seed: seed)
    func text() -> String { (0..<dice.below(12)).map { _ in Self.pieces[dice.below(Self.pieces.count)] }.joined() }
    let arguments = (0..<dice.below(4)).map { _ in text() }
    for text in [LocalizedText.literal(text()), .key(text(), arguments: arguments)] {
      let (new, old) = (render(text), ScalarText.rendered(text))
      #expect(Array(new.utf8) == Array(old.utf8), "seed \(seed): \(text)")
      #expect(new.utf8.count <= LocalizedText.longest)
    }
  }
}

/// A text that is built one scalar at a time: slow, and easy to verify.
private struct ScalarText {
  private var scalars = String.UnicodeScalarView()
  private var room = LocalizedText.longest

  static func rendered(_ text: LocalizedText) -> String {
    var output = ScalarText()
    switch text {
    case .literal(let text): output.append(text)
    case .key(let key, let arguments): output.format(key, arguments)
    }
    return String(output.scalars)
  }

  private mutating func append(_ text: String) {
    for scalar in text.unicodeScalars {
      guard room >= UTF8.width(scalar) else {
        room = 0
        return
      }
      scalars.append(scalar)
      room -= UTF8.width(scalar)
    }
  }

  private mutating func format(_ text: String, _ arguments: [String]) {
    let all = Array(text.unicodeScalars)
    var (place, turn) = (0, 0)
    while place < all.count {
      let rest = all[place...]
      if rest.starts(with: "%%".unicodeScalars) {
        append("%")
        place += 2
      } else if rest.starts(with: "%@".unicodeScalars) {
        if turn < arguments.count { append(arguments[turn]) }
        turn += 1
        place += 2
      } else if let number = rest.dropFirst().first?.properties.numericValue, rest.first == "%", number >= 1,
        rest.dropFirst(2).starts(with: "$@".unicodeScalars)
      {
        if Int(number) <= arguments.count { append(arguments[Int(number) - 1]) }
        place += 4
      } else {
        append(String(all[place]))
        place += 1
      }
    }
  }
}

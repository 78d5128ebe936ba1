import Testing
import WireFormats

@Suite("A misspelled word")
struct SpellingSuggestionTests {
  private static let words = ["serve", "send", "lint", "run", "simulate", "settings", "PUSHPIT_PORT"]

  @Test(
    "gets the nearest valid word as a suggestion",
    arguments: [
      ("sned", "send"), ("serv", "serve"), ("Send", "send"), ("simluate", "simulate"), ("lnit", "lint"),
      ("PUSHPIT_PROT", "PUSHPIT_PORT"), ("nur", nil), ("fly", nil), ("", nil),
    ] as [(String, String?)])
  func nearest(text: String, word: String?) {
    #expect(SpellingSuggestion.nearest(to: text, among: Self.words) == word)
  }
}

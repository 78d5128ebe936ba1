import Testing
import WireFormats

@Suite("A misspelt word")
struct SpellingSuggestionTests {
  private static let words = ["serve", "send", "lint", "run", "simulate", "settings", "PUSHPIT_PORT"]

  @Test(
    "is answered with the one that was probably meant",
    arguments: [
      ("sned", "send"), ("serv", "serve"), ("Send", "send"), ("simluate", "simulate"), ("lnit", "lint"),
      ("PUSHPIT_PROT", "PUSHPIT_PORT"), ("nur", nil), ("fly", nil), ("", nil),
    ] as [(String, String?)])
  func nearest(text: String, word: String?) {
    #expect(SpellingSuggestion.nearest(to: text, among: Self.words) == word)
  }
}

import Testing
import WireFormats

@Suite("A misspelled word")
struct SpellingSuggestionTests {
  private static let words = ["serve", "send", "lint", "run", "simulate", "settings", "PUSHPIT_PORT"]

  @Test(
    "a misspelled word gets the nearest valid word as a suggestion",
    arguments: [
      ("sned", "send"), ("serv", "serve"), ("Send", "send"), ("simluate", "simulate"), ("lnit", "lint"),
      ("PUSHPIT_PROT", "PUSHPIT_PORT"), ("nur", nil), ("fly", nil), ("", nil),
      // One of the words continues the other.
      ("lintPayload", "lint"), ("simul", "simulate"), ("se", nil), ("runs-all", "run"),
    ] as [(String, String?)])
  func nearest(text: String, word: String?) {
    #expect(SpellingSuggestion.nearest(to: text, among: Self.words) == word)
  }

  @Test("of several words that continue a text, the shortest is suggested")
  func shortest() {
    let words = ["Delivered to Device (From Storage)", "Delivered to Device", "Stored"]
    #expect(SpellingSuggestion.nearest(to: "delivered", among: words) == "Delivered to Device")
    #expect(SpellingSuggestion.nearest(to: "rotateTokens", among: ["rotate", "rot"]) == "rotate")
  }

  @Test("a word of an earlier version gets the new word as a suggestion, where that is valid")
  func replaced() {
    #expect(SpellingSuggestion.nearest(to: "ptsToken", among: ["launch", "pushToStartToken"]) == "pushToStartToken")
    #expect(SpellingSuggestion.nearest(to: "content", among: ["contents", "contentState"]) == "contentState")
    #expect(SpellingSuggestion.nearest(to: "type", among: ["pushType"]) == "pushType")
    #expect(SpellingSuggestion.nearest(to: "type", among: ["attributesType"]) == "attributesType")
    #expect(SpellingSuggestion.nearest(to: "ptsToken", among: ["launch"]) == nil)
    #expect(SpellingSuggestion.nearest(to: "send", among: ["do", "push"]) == "push")
    #expect(SpellingSuggestion.nearest(to: "sned", among: ["do", "push"]) == "push")
  }
}

import Testing
import WireFormats

@testable import Devices

@Suite("The card of a Live Activity")
struct CardDrawingTests {
  private let attributes: JSONValue = ["home": "Lions", "away": "Bears"]

  @Test("A card is drawn by its template: texts with key paths, and a share")
  func template() throws {
    var card = CardTemplate()
    card.tint = "#0a7d3b"
    card.title = try CardText("{attributes.home} – {attributes.away}")
    card.big = try CardText("{state.score.runs}/{state.score.wickets}")
    card.line = try CardText("{state.missing}, all")
    card.progress = CardProgress("state.overs/50")
    let drawn = CardDrawing(
      card, type: "Match", attributes: attributes,
      state: ["score": ["runs": 143, "wickets": 4], "overs": .double(12.5)])
    #expect(drawn.title == "Lions – Bears" && drawn.big == "143/4" && drawn.line == "–, all")
    #expect(drawn.progress == 0.25 && drawn.tint == "#0a7d3b" && drawn.rows.isEmpty && drawn.leading == "")
  }

  @Test("a button has its text drawn from the content, unless iOS draws no buttons")
  func buttons() throws {
    var card = CardTemplate()
    card.buttons = [.init("cheer", title: try CardText("Cheer {attributes.home}"))]
    let drawn = CardDrawing(card, type: "Match", attributes: attributes, state: nil)
    #expect(drawn.buttons == [TouchButton("cheer", title: "Cheer Lions")])
    let older = CardDrawing(card, type: "Match", attributes: attributes, state: nil, hasButtons: false)
    #expect(older.buttons.isEmpty)
  }

  @Test("a share is between 0 and 1, whatever the content", arguments: [(-5, 0.0), (75, 1.0), (25, 0.5)])
  func progress(_ overs: Int, _ share: Double) {
    var card = CardTemplate()
    card.progress = CardProgress("state.overs/50")
    let drawn = CardDrawing(card, type: "Match", attributes: nil, state: ["overs": .integer(Int64(overs))])
    #expect(drawn.progress == share)
  }

  @Test("Without a template a card shows keys and values as far as 160 points, and counts the others")
  func rows() {
    let state = JSONValue.object((0..<12).map { .init("key\($0)", .integer(Int64($0))) })
    let drawn = CardDrawing(nil, type: "Match", attributes: attributes, state: state)
    #expect(drawn.title == "Match" && drawn.rows.count == CardDrawing.mostRows && drawn.cut == 14 - drawn.rows.count)
    #expect(drawn.rows.first == .init(key: "key0", value: "0") && drawn.minimal == "0")
    let nested = CardDrawing(nil, type: "Match", attributes: nil, state: ["score": ["home": [1, 2]]])
    #expect(nested.rows == [.init(key: "score.home", value: "[1,2]")])
    #expect(CardDrawing(nil, type: "Match", attributes: nil, state: nil).rows.isEmpty)
  }

  @Test("a text of 10,000 characters is cut with a mark")
  func long() throws {
    var card = CardTemplate()
    card.title = try CardText("{state.text}")
    let text = String(repeating: "🎉", count: 10_000)
    let drawn = CardDrawing(card, type: "Match", attributes: nil, state: ["text": .string(text)])
    #expect(drawn.title.count == 120 && drawn.title.hasSuffix("…"))
  }

  @Test(
    "a flaw in a text is named",
    arguments: [
      ("{attributes.home", CardText.Flaw.openBrace), ("home}", .closeBrace), ("{home}", .badPath("home")),
      ("{state.}", .badPath("state.")), ("{}", .badPath("")), ("{states.x}", .badPath("states.x")),
    ])
  func flaws(_ text: String, _ flaw: CardText.Flaw) {
    #expect(throws: flaw) { try CardText(text) }
  }

  @Test("a progress is a key path, or one divided by a positive number")
  func readsProgress() {
    for text in ["state.overs", "state.overs/50", "attributes.a.b/0.5"] { #expect(CardProgress(text) != nil) }
    for text in ["overs", "state.overs/0", "state.overs/-1", "state.overs/x", "state.overs/", "/5", "state.x/inf"] {
      #expect(CardProgress(text) == nil)
    }
  }
}

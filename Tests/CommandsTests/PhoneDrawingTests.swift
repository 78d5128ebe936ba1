import Testing
import WireFormats

@testable import ClientCommands

@Suite("The drawing of a phone")
struct PhoneDrawingTests {
  static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private static let device = #"{"id": "d0", "os": "18.5", "online": true, "storedPushes": 2, "focus": true}"#

  private static func card(_ title: String, _ state: String = "active", _ more: String = "") -> String {
    #"""
    {"activity": "A-\#(title)", "app": "com.example.app", "attributesType": "Match", "state": "\#(state)", \#(more)
     "drawn": {"tint": null, "title": "\#(title)", "big": "IND 132-4", "line": "IND need 46", "progress": 0.5,
      "compact": {"leading": "IND", "trailing": "132-4"}, "minimal": "132", "rows": [], "cut": 0}}
    """#
  }

  private static func notification(_ title: String, _ body: String) -> String {
    #"""
    {"number": 1, "app": "com.example.app", "title": "\#(title)", "subtitle": "", "body": "\#(body)",
     "interruptionLevel": "active", "at": "2026-11-23T03:36:36.810Z", "banner": true, "quiet": false}
    """#
  }

  private static func screen(
    cards: [String] = [], notifications: [String] = [], island: String = "absent", locked: Bool = true,
    _ more: String = #""alert": null, "prompt": null, "badges": [], "sounds": [], "bells": []"#
  ) -> String {
    let shown = "ABCDEFGHIJKLMN".prefix(cards.count).map { #""A-\#($0)""# }.joined(separator: ",")
    return #"""
      {"device": "d0", "locked": \#(locked), "lit": true, "lockScreen": [\#(cards.joined(separator: ","))],
       "dynamicIsland": {"presentation": "\#(island)", "activities": [\#(shown)], "visible": \#(!locked)},
       "notifications": [\#(notifications.joined(separator: ","))], \#(more)}
      """#
  }

  private static func draw(_ screen: String) throws -> [String] {
    let lines = PhoneDrawing(device: try json(device), screen: try json(screen)).lines
    #expect(lines.allSatisfy { $0.width <= 80 })
    #expect(Set(lines.filter { "╭│╰".contains($0.plain.first ?? " ") }.map(\.width)) == [64], "the frame is closed")
    return lines.map(\.plain)
  }

  @Test("an empty screen is drawn")
  func empty() throws {
    #expect(
      try Self.draw(Self.screen()) == [
        "d0  iOS 18.5, locked, screen on, online, Focus on, 2 pushes are",
        "    stored for it",
        "╭" + String(repeating: "─", count: 62) + "╮",
        "│ Nothing on the screen." + String(repeating: " ", count: 39) + "│",
        "╰" + String(repeating: "─", count: 62) + "╯",
      ])
  }

  @Test("a card has its app, its state, its texts and its progress")
  func card() throws {
    let lines = try Self.draw(Self.screen(cards: [Self.card("A", "stale")]))
    #expect(
      Array(lines[3...8]) == [
        "│ ╭─ com.example.app " + String(repeating: "─", count: 32) + " stale ─╮ │",
        "│ │ A                                                        │ │",
        "│ │ IND 132-4                                                │ │",
        "│ │ IND need 46                                              │ │",
        "│ │ ━━━━━━━━━━━━━━━━━━━━━━━━━─────────────────────────   50% │ │",
        "│ ╰──────────────────────────────────────────────────────────╯ │",
      ])
  }

  @Test("the question about Live Activities stands on the card that asks")
  func prompt() throws {
    let question = #"""
      "alert": null, "prompt": {"activity": "A-B", "app": "x", "question": "Allow Live Activities from x?"}, "badges": [],
      "sounds": [], "bells": []
      """#
    let lines = try Self.draw(Self.screen(cards: [Self.card("A"), Self.card("B", "prompting")], question))
    let asked = try #require(lines.firstIndex { $0.contains("Allow Live Activities from x?") })
    #expect(lines[asked + 1].contains("[ Allow ]  [ Don’t Allow ]"))
    #expect(lines.firstIndex { $0.contains("│ B ") }.map { $0 < asked } == true)
    #expect(lines.count { $0.contains("Allow Live Activities") } == 1)
  }

  @Test("content that is not drawn yet, missing images, and rows without a template are reported")
  func remarks() throws {
    let late = #""notDrawnYet": {"contentState": {}, "drawnAt": "2026-11-23T03:36:46.810Z"}, "imagesMissing": true,"#
    let lines = try Self.draw(Self.screen(cards: [Self.card("A", "active", late)])).joined(separator: "\n")
    #expect(lines.contains("Newer content is drawn at 03:36:46.") && lines.contains("Images are missing."))
    let rows = #"""
      {"activity": "R", "app": "a", "attributesType": "Match", "state": "active", "drawn": {"title": "Match",
       "big": null, "line": null, "progress": null, "compact": {"leading": "", "trailing": ""}, "minimal": "",
       "rows": [{"key": "home", "value": "2"}, {"key": "visitors", "value": "1"}], "cut": 3}}
      """#
    let table = try Self.draw(Self.screen(cards: [rows])).joined(separator: "\n")
    #expect(table.contains("│ home      2 ") && table.contains("│ visitors  1 "))
    #expect(table.contains("… 3 more, cut at 160 points"))
  }

  @Test(
    "an unlocked phone shows its activities in the Dynamic Island",
    arguments: [
      ("compact", ["│ IND                  132-4 │"]), ("minimal", ["│ 132   │ │ 132   │"]),
      ("compactAndMinimal", ["│ IND                  132-4 │ │ 132   │"]),
      ("expanded", ["│ A ", "│ IND 132-4 ", "│ IND need 46 "]),
    ])
  func island(_ presentation: String, _ shown: [String]) throws {
    let cards = presentation == "compact" ? ["A"] : ["A", "B"]
    let screen = Self.screen(cards: cards.map { Self.card($0) }, island: presentation, locked: false)
    let lines = try Self.draw(screen)
    let top = lines.prefix { !$0.contains("com.example.app") }.joined(separator: "\n")
    for text in shown { #expect(top.contains(text), "\(top)") }
    let locked = try Self.draw(Self.screen(cards: cards.map { Self.card($0) }, island: presentation))
    #expect(locked[3].contains("com.example.app"), "a locked phone shows its cards instead")
  }

  @Test("notifications come with their time, the footer has badges, sounds and bells")
  func notifications() throws {
    let footer = #"""
      "alert": {"activity": "A-A", "presentation": "expanded", "title": "Kick-off", "body": "Now", "onWatch": false},
      "prompt": null, "badges": [{"app": "com.example.app", "badge": 3}], "sounds": ["default"],
      "bells": [{"app": "com.example.app", "key": "m1", "bell": "on"}]
      """#
    let text = try Self.draw(Self.screen(notifications: [Self.notification("Goal", "2–1")], footer))
      .joined(separator: "\n")
    for part in [
      "banner, 03:36:36 ─╮", "│ Goal ", "│ 2–1 ", "badges   com.example.app 3", "sounds   default",
      "bells    com.example.app m1: on", "alert of a Live Activity", "│ Kick-off ", "│ Now ",
    ] { #expect(text.contains(part), "\(text)") }
  }

  @Test("many notifications and cards are cut, and counted")
  func many() throws {
    let notifications = (0..<200).map { Self.notification("N\($0)", "x") }
    let cards = "ABCDEFGHIJKLMN".map { Self.card(String($0)) }
    let lines = try Self.draw(Self.screen(cards: cards, notifications: notifications)).joined(separator: "\n")
    #expect(lines.contains("… and 194 more notifications; --json has all"))
    #expect(lines.contains("… and 4 more Live Activities; --json has all"))
    #expect(lines.contains("N5 ") && !lines.contains("N6 "))
  }

  @Test(
    "hostile texts neither control the terminal nor break the frame",
    arguments: [
      "\\u001b[2J\\u001b[31mred\\u0007", "\\u202ereversed\\u2066", "👩‍👩‍👧‍👦👍🏽🇮🇳❤️🏏日本語 한국어", "שלום عربى",
      String(repeating: "x", count: 10_000), String(repeating: "語\\u0301 ", count: 3_000),
      "e" + String(repeating: "\\u0301", count: 5_000), "a\\nb\\r\\nc\\u2028d\\u0000", "<img src=x onerror=alert(1)>",
    ])
  func hostile(_ text: String) throws {
    let screen = Self.screen(
      cards: [Self.card("A").replacing("IND 132-4", with: text).replacing("com.example.app", with: text)],
      notifications: [Self.notification(text, text).replacing("com.example.app", with: text)], island: "compact",
      locked: false, #""alert": null, "prompt": null, "badges": [{"app": "\#(text)", "badge": 1}], "sounds": []"#)
    let lines = try Self.draw(screen.replacing(#""IND""#, with: "\"\(text)\""))
    #expect(lines.count < 40)
    #expect(lines.joined().unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
  }

  @Test("an answer of another program or version is drawn without what it lacks", arguments: ["{}", "[]", "3"])
  func other(_ text: String) throws {
    let value = try Self.json(text)
    #expect(PhoneDrawing(device: value, screen: value).lines.count >= 4)
    let wrong = try Self.json(#"{"lockScreen": 3, "notifications": [1, null], "badges": [[]], "alert": "x"}"#)
    #expect(PhoneDrawing(device: wrong, screen: wrong).lines.allSatisfy { $0.width <= 80 })
  }
}

import Testing
import WireFormats

@testable import ClientCommands

@Suite("Lists and stories of pushes")
struct PushReportTests {
  private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  private static func push(
    body: String = #"{\"aps\":{\"alert\":{\"title\":\"Goal\",\"body\":\"2–1\"}}}"#, _ changes: String = ""
  ) -> String {
    #"""
    {"sequence": 7, "receivedAt": "2026-11-23T03:36:36.905Z", "environment": "sandbox", "connection": 3, "stream": 1,
     "request": {"method": "POST", "path": "/3/device/00", "headers": [{"name": "apns-push-type", "value": "alert"},
       {"name": "apns-topic", "value": "com.example.app"}], "body": "\#(body)", "bodyEncoding": "utf8", "bodyBytes": 9},
     "answer": {"status": 200, "headers": [], "body": ""}, "sent": {"as": "answer", "status": 200, "at": ""},
     "apnsId": "DAC14742-EACE-31D8-D57D-30B71CD5BD32", "reason": null, "provider": {"keyId": "K", "teamId": "T"},
     "device": "d0", "app": "com.example.app", "tokenKind": "device", "fault": null, "outcome": "nothing", "causes": ["permission-denied"],
     "fate": "Received by APNs, Delivered to Device",
     "reaction": {"outcome": "nothing", "cause": "permission-denied", "detail": null, "remarks": ["a", "b"]},
     "onScreen": null, "why": {"rule": null, "sentence": "200. Delivered to d0: not shown.", "evidence": "documented",
     "source": "Apple"}, "story": [{"at": "2026-11-23T03:36:36.906Z", "process": "apsd", "event": "x",
     "sentence": "The phone has it"}], "lint": null \#(changes)}
    """#
  }

  @Test("a push in a list is one line with what people look for")
  func line() throws {
    let page = try Self.json(#"{"pushes": [\#(Self.push())], "next": "6"}"#)
    let list = PushListLines(page, columns: nil)
    #expect(list.lines == ["03:36:36.905  DAC14742  d0  200  alert: nothing (permission-denied)  Goal"])
    let cut = PushListLines(page, columns: 40).lines
    #expect(cut == ["03:36:36.905  DAC14742  d0  200  alert:…"])
    #expect(PushListLines(try Self.json(#"{"pushes": [], "next": null}"#), columns: nil).lines.isEmpty)
  }

  @Test("a rejection, a fault and a lost answer stand in the line")
  func faulty() throws {
    let changes = #"""
      , "answer": {"status": 429}, "reason": "TooManyRequests", "fault": "storm", "reaction": null, "device": null,
      "fate": "Refused by APNs", "sent": {"as": "nothing", "why": "silence"}
      """#
    let page = try Self.json(#"{"pushes": [\#(Self.push(body: "{}", changes)), \#(Self.push())]}"#)
    #expect(
      PushListLines(page, columns: nil).lines.first
        == "03:36:36.905  DAC14742  -   429 TooManyRequests [nothing, silence]  alert: Refused by APNs  fault storm")
  }

  @Test("a story has the answer, what the phone did, and why")
  func story() throws {
    let lines = PushReport(try Self.json(Self.push())).lines
    #expect(
      lines.prefix(15).map(\.plain) == [
        "push DAC14742-EACE-31D8-D57D-30B71CD5BD32",
        "  received  2026-11-23T03:36:36.905Z, sandbox, connection 3, stream 1",
        "  to        d0, com.example.app, device token",
        "  request   alert, topic com.example.app",
        "  provider  key K of team T",
        "  answer    200",
        "  fate      Received by APNs, Delivered to Device",
        "  phone     nothing (permission-denied)",
        "  remarks   a, b",
        "  why       200. Delivered to d0: not shown.",
        "            documented; Apple",
        "",
        "Story",
        "  03:36:36.906  apsd             The phone has it",
        "",
      ])
    #expect(lines.dropFirst(15).prefix(4).map(\.plain) == ["Payload", "  {", #"    "aps": {"#, #"      "alert": {"#])
    #expect(lines.allSatisfy { $0.width <= 80 })
  }

  @Test("a story has the card before and after, and what a check of the payload found")
  func card() throws {
    let changes = #"""
      , "onScreen": {"before": null, "after": {"state": "ended", "drawn": {"title": "A v B", "big": "2–1",
      "rows": [{"key": "k", "value": "v"}]}}}, "lint": [{"weight": "changed", "path": "aps.sound", "sentence": "No."}]
      """#
    let text = PushReport(try Self.json(Self.push(changes))).lines.map(\.plain).joined(separator: "\n")
    #expect(text.contains("\nCard\n  before    no card\n  after     A v B | 2–1 | k v | ended\n"), "\(text)")
    #expect(text.contains("\nPayload check\n  changed    aps.sound: No.\n"))
  }

  @Test(
    "hostile payloads stay within 80 columns and do not control the terminal",
    arguments: [
      #"{\"aps\":{\"alert\":\"\\u001b[31m\\u202e"# + String(repeating: "x", count: 9_000) + #"\"}}"#,
      "[" + String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "]",
      "[" + String(repeating: "1,", count: 4_000) + "1]", "not JSON \\u001b[2J", "",
    ])
  func hostile(_ body: String) throws {
    let push = try Self.json(Self.push(body: body))
    let lines = PushReport(push).lines
    #expect(lines.count < 90 && lines.allSatisfy { $0.width <= 80 })
    let list = PushListLines(.object([.init("pushes", .array([push]))]), columns: 80).lines
    let text = (lines.map(\.plain) + list).joined()
    #expect(text.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
  }

  @Test("a body that is not text, and an answer that lacks members, are shown without them")
  func lacking() throws {
    let binary = Self.push().replacing(#""utf8""#, with: #""base64""#)
    #expect(PushReport(try Self.json(binary)).lines.last?.plain == "  9 bytes, not UTF-8")
    #expect(PushReport(try Self.json("{}")).lines.first?.plain == "push ")
  }
}

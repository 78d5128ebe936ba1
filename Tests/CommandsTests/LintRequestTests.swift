import ClientCommands
import Configuration
import Testing

@Suite("A payload checked with `pushpit lint`")
struct LintRequestTests {
  private func payload(_ argument: String) -> String? {
    let bytes = LintRequest.payload(argument) { $0 == "order.json" || $0 == "1" ? Array("file".utf8) : nil }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "Lint reads its argument as JSON, also if the JSON is broken or not an object",
    arguments: ["{}", #"{"aps":"#, "\n {}", "[]", "null", #""x""#, "2", "{"])
  func json(argument: String) { #expect(payload(argument) == argument) }

  @Test("Lint takes any other argument for a file, which it prefers to JSON of the same spelling")
  func file() {
    #expect(payload("order.json") == "file" && payload("1") == "file")
    #expect(payload("missing.json") == nil && payload("-") == nil && payload("[1,") == nil && payload("") == nil)
  }

  @Test("Lint names the push type that it takes a payload for, but none for an unreadable payload")
  func guess() throws {
    let broken = "\u{FEFF}" + #"{"aps":{"event":"update"}}"#
    let guesses: [(payload: String, guess: String?)] = [
      (#"{"aps":{"alert":"A"}}"#, "alert"), (#"{"aps":{"content-available":1}}"#, "background"),
      (#"{"aps":{"event":"update"}}"#, nil), (broken, nil), ("x", nil),
    ]
    for (payload, guess) in guesses {
      let lint = try LintRequest(Array(payload.utf8), Settings(), app: nil, type: nil, os: "26.1")
      #expect(lint.guess == guess, "\(payload)")
    }
    let lint = try LintRequest(Array(broken.utf8), Settings(), app: nil, type: nil, os: "26.1")
    #expect(lint.findings.map(\.sentence).count == 1 && lint.loses, "\(lint.findings)")
  }
}

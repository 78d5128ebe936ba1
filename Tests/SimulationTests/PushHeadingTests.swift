import Testing
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The news of a push in a line")
struct PushHeadingTests {
  @Test(
    "Changed, new and removed keys of a content state are listed",
    arguments: [
      (#"{"home":1,"away":0}"#, #"{"home":0,"away":0}"#, "home 0→1"),
      (#"{"score":{"home":1},"text":"Goal"}"#, #"{"score":{"home":0}}"#, "score.home 0→1, text –→Goal"),
      (#"{"home":1}"#, #"{"home":1,"extra":true}"#, "extra true→–"), (#"{"home":1}"#, #"{"home":1}"#, "no change"),
      (#"{"overs":[1,2]}"#, #"{"overs":[1]}"#, "overs [1]→[1,2]"),
    ])
  func changes(_ state: String, _ before: String, _ words: String) throws {
    let states = try [state, before].map { try JSONValue.parse(Array($0.utf8)) }
    #expect(PushHeading.words(states[0], before: states[1]) == words)
  }

  @Test("All keys are listed if there is no earlier content, and long values are cut")
  func noCard() throws {
    let long = String(repeating: "x", count: 100)
    #expect(PushHeading.words(["home": 1, "away": 0], before: nil) == "home 1, away 0")
    #expect(PushHeading.words(["text": .string(long)], before: nil) == "text \(long.prefix(24))…")
    #expect(PushHeading.words([:], before: nil) == nil)
  }
}

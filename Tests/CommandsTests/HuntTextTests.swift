import Testing
import WireFormats

@testable import RunCommands

@Suite("Texts of a hunt")
struct HuntTextTests {
  @Test("a fault is written on one line, with quotes only where YAML would read something else")
  func flow() {
    let value: JSONValue = [
      "when": ["event": "end", "os": "26.1"], "limit": 1, "then": ["loseAnswer": "CANCEL", "on": "no"],
    ]
    let text = #"{when: {event: end, os: "26.1"}, limit: 1, then: {loseAnswer: CANCEL, "on": "no"}}"#
    #expect(FlowText.write(value) == text)
  }

  @Test(
    "a file of another folder names the same place",
    arguments: [
      ("../Examples", "/work/Scenarios", "/work/hunt", "../Examples"),
      ("courier.yaml", "/work/Examples/courier", "/work/hunt", "../Examples/courier/courier.yaml"),
      (".", "/work/stories", "/work/stories", "."), (".", "/work/stories", "/work/stories/hunt", ".."),
      ("/etc/app.yaml", "/work/stories", "/work/hunt", "/etc/app.yaml"), ("app.yaml", "/a", "/b", "../a/app.yaml"),
    ])
  func path(_ path: String, folder: String, from: String, expected: String) {
    #expect(RelativePath.of(path, in: folder, from: from) == expected)
  }
}

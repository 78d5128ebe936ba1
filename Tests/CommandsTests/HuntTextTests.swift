import Hunting
import ScenarioFiles
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

  @Test("the head of a find's file is comments, whatever a backend has written last")
  func comments() {
    let text = "it ended:\r\n\u{1B}[31mERROR\u{1B}[0m boom\rfoo: bar\u{2028}baz: 1"
    for line in HuntReport.comments([text, "faults: {}"]).split(whereSeparator: \.isNewline) {
      #expect(line.hasPrefix("# ") && line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }
  }

  @Test("a hunt that has judged nothing passes nothing, and says so")
  func unjudged() throws {
    let text = "settings: {fleet: {devices: 1}}\nfor: 1m\nsteps: [{push: {payload: {aps: {alert: A}}}}]\n"
    let file = try ScenarioFile.parse(text + "expect: [{pushes: {}, count: 1}]", named: "story.yaml")
    let story = try Story(file)
    var hunt = Hunt(Hunt.Options())
    var ground = HuntingGround(door: .scenario, length: .seconds(60), devices: ["d0"])
    ground.pushes = 1
    func report() -> HuntReport { HuntReport(hunt, story: story, flags: [], times: [], passed: .seconds(1)) }
    while case .play(let variant) = hunt.next(), variant.purpose == .plain {
      hunt.take(VariantResult(), of: variant.number, ground: ground)
    }
    #expect(!report().passes && report().refusal?.contains("nothing was judged") == true)
    #expect(report().junit(in: "hunt").contains(#"failures="1""#))
    guard case .play(let variant) = hunt.next() else { return }
    hunt.take(VariantResult(), of: variant.number, ground: ground)
    #expect(report().passes && report().refusal == nil)
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

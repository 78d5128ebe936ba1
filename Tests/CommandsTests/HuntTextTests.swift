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

  private static let ground: HuntingGround = {
    var ground = HuntingGround(door: .scenario, length: .seconds(60), devices: ["d0"])
    ground.pushes = 1
    return ground
  }()

  /// A hunt that has played its story without trouble.
  private static func begun() -> Hunt {
    var hunt = Hunt(Hunt.Options())
    for _ in 0..<hunt.options.plainPlays { play(VariantResult(), in: &hunt) }
    return hunt
  }

  /// Plays the next variant.
  private static func play(_ result: VariantResult, in hunt: inout Hunt) {
    guard case .play(let variant) = hunt.next() else { return }
    hunt.take(result, of: variant.number, ground: ground)
  }

  private static func report(_ hunt: Hunt, isInterrupted: Bool = false) throws -> HuntReport {
    let text = "settings: {fleet: {devices: 1}}\nfor: 1m\nsteps: [{push: {payload: {aps: {alert: A}}}}]\n"
    let file = try ScenarioFile.parse(text + "expect: [{pushes: {}, count: 1}]", named: "story.yaml")
    return HuntReport(
      hunt, story: try Story(file), flags: [], times: [], passed: .seconds(1), isInterrupted: isInterrupted)
  }

  @Test("a hunt that has judged nothing passes nothing, and says so")
  func unjudged() throws {
    var hunt = Self.begun()
    // A variant whose result never comes.
    _ = hunt.next()
    let report = try Self.report(hunt)
    #expect(!report.passes && report.refusal?.hasSuffix("nothing was judged; give it more time with --for.") == true)
    #expect(report.junit(in: "hunt").contains(#"failures="1""#))
    var unplayable = hunt
    Self.play(VariantResult(problem: "no licence"), in: &unplayable)
    #expect(try Self.report(unplayable).refusal?.hasSuffix("1 variant could not be played: no licence") == true)
    Self.play(VariantResult(), in: &hunt)
    let passed = try Self.report(hunt)
    #expect(passed.passes && passed.refusal == nil)
  }

  @Test("every form of a report names a failure that there was no time to examine, and what could not be played")
  func unexamined() throws {
    var hunt = Self.begun()
    Self.play(VariantResult(problem: "no licence"), in: &hunt)
    var result = VariantResult()
    result.failures = [HuntFailure(HuntFailure.Group("lastStateLost", "an end is never sent"), "a card stays behind")]
    Self.play(result, in: &hunt)
    hunt.end()
    let report = try Self.report(hunt)
    // It led to no find.
    #expect(report.modes.map(\.end).first == .unexamined && report.passes)
    #expect(
      report.text(in: nil).contains("NOT EXAMINED  lastStateLost: an end is never sent, because the hunt ended first"))
    #expect(report.text(in: nil).contains("the story has no backend"))
    #expect(report.junit(in: "hunt").contains(#"<skipped message="not examined, because the hunt ended first"/>"#))
    for text in [report.html(in: "hunt"), report.json(in: "hunt")] {
      #expect(text.contains("lastStateLost: an end is never sent") && text.contains("no licence"))
    }
  }

  @Test("every form of a report says that a signal has ended the hunt, and no sentence blames the time")
  func interrupted() throws {
    let early = try Self.report(Hunt(Hunt.Options()), isInterrupted: true)
    #expect(
      early.refusal
        == "the hunt was interrupted before the story had been played 2 times without trouble, so nothing was judged.")
    #expect(try Self.report(Self.begun(), isInterrupted: true).refusal?.contains("interrupted") == true)
    var hunt = Self.begun()
    Self.play(VariantResult(), in: &hunt)
    let report = try Self.report(hunt, isInterrupted: true)
    #expect(report.refusal == nil && report.json(in: "hunt").contains(#""interrupted":true"#))
    for text in [report.text(in: nil), report.html(in: "hunt"), report.junit(in: "hunt")] {
      #expect(text.contains("the hunt was interrupted by a signal"))
    }
    #expect(!(try Self.report(hunt).text(in: nil).contains("interrupted")))
  }

  @Test("a failure mode whose failure did not come again is told as unsteady, and not as failed")
  func unsteady() throws {
    var hunt = Self.begun()
    var result = VariantResult()
    result.struck = [true, true]
    result.failures = [HuntFailure(HuntFailure.Group("lastStateLost", "an end is never sent"), "a card stays behind")]
    Self.play(result, in: &hunt)
    while hunt.isInvestigating { Self.play(VariantResult(), in: &hunt) }
    let report = try Self.report(hunt)
    let title = try #require(hunt.options.modes.first { $0.number == hunt.tally.modes.first?.number }).title
    #expect(report.modes.first { $0.end == .unsteady }?.titles == [title])
    #expect(!report.modes.contains { $0.end == .failed })
    let cases = report.junit(in: "hunt")
    #expect(cases.contains(#"name="\#(title)">\#n      <skipped message="unsteady"/>"#))
    #expect(cases.contains(#"an end is never sent">\#n      <skipped message="did not come again often enough"/>"#))
  }

  @Test("a hunt in which no variant could be judged does not pass, and says what may help")
  func neverJudged() throws {
    var hunt = Self.begun()
    var result = VariantResult()
    (result.struck, result.isJudged) = ([true, true], false)
    Self.play(result, in: &hunt)
    let report = try Self.report(hunt)
    #expect(!report.passes && report.refusal?.hasSuffix("than ledger.pushes keeps (10000).") == true)
    result.isJudged = true
    Self.play(result, in: &hunt)
    #expect(try Self.report(hunt).passes)
  }

  @Test("a JUnit report has a case for each known failure mode, and passes only those that were survived")
  func junit() throws {
    var hunt = Self.begun()
    var result = VariantResult()
    result.struck = [true, true]
    for judged in [true, false] {
      result.isJudged = judged
      Self.play(result, in: &hunt)
    }
    let report = try Self.report(hunt)
    let cases = report.junit(in: "hunt")
    let modes = hunt.options.modes.count
    #expect(report.modes.map(\.end) == [.survived, .unjudged, .unreached, .unplayed])
    #expect(cases.contains(#"tests="\#(modes)" failures="0" errors="0" skipped="\#(modes - 1)""#), "\(cases)")
    #expect(cases.contains(#"<skipped message="not judged"/>"#) && cases.contains(#"<skipped message="not played"/>"#))
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

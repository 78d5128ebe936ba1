import APNs
import Devices
import Reporting
import Testing
import WireFormats

@Suite("Templates")
struct TemplateTests {
  @Test(
    "an unknown value is refused with the nearest valid name",
    arguments: [
      ("{{tokn.hex}}", "did you mean token?"), ("{{token.hx}}", "did you mean hex?"),
      ("{{token}}", "there are base64, hex"), ("{{type}}", "did you mean attributesType?"),
      ("{{activity.type}}", "did you mean attributesType?"),
      ("{{device.os.major}}", "is a single value"), ("{{backend.url}}", "is a single value"),
      ("{{}}", "is empty"),
      ("{{a..b}}", "is empty"), ("{{token.hex", "without }}"), ("{{arg}}", "say which"),
    ])
  func unknown(_ text: String, _ words: String) {
    let problem = #expect(throws: TemplateProblem.self) { try Template(text) }
    #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
  }

  @Test("an event is found by name, or the nearest is suggested")
  func events() throws {
    #expect(try ReportEvent("activityState.dismissed") == .activityState(.dismissed))
    #expect(try ReportEvent("action.follow").name == "action.follow")
    let problem = #expect(throws: TemplateProblem.self) { try ReportEvent("deviceTokn") }
    #expect(problem?.description.contains("did you mean deviceToken?") == true)
    for name in ReportEvent.known { #expect(try ReportEvent(name).name == name) }
  }

  @Test("a value of another event is refused with the valid ones")
  func strangers() throws {
    let reference = try TemplateReference("token.hex")
    try ReportEvent("pushToStartToken").check([reference])
    let problem = #expect(throws: TemplateProblem.self) { try ReportEvent("foreground").check([reference]) }
    #expect(problem?.description.contains("foreground has no token; it has backend, device") == true)
    #expect(throws: TemplateProblem.self) { try ReportEvent("launch").check([try TemplateReference("answer.x")]) }
    try ReportEvent("launch").check([try TemplateReference("answer.x")], isAnswered: true)
  }
}

import APNs
import Devices
import Testing
import Timeline

@Suite("Lint of a payload that is not for a Live Activity")
struct NotificationLintTests {
  private func lint(_ payload: String, as type: PushType? = nil) -> PayloadLint {
    let bytes = Array(payload.utf8)
    return PayloadLint(bytes, as: type ?? PayloadLint.guess(bytes), os: OSVersion(26, 1))
  }

  @Test(
    "takes it for the push type that it looks like",
    arguments: [
      (#"{"aps":{"alert":"Hi","badge":"3"}}"#, PushType.alert), (#"{"aps":{"content-available":1}}"#, .background),
      (#"{"aps":{"content-available":1,"alert":"Hi"}}"#, .alert), (#"{"aps":{"content-changed":true}}"#, .widgets),
      (#"{"mdm":"magic"}"#, .mdm), (#"{"container-identifier":"x"}"#, .fileprovider),
      (#"{"aps":{"event":"update"}}"#, .liveactivity),
      (#"{"aps":{"content-state":{}}}"#, .liveactivity), (#"{"aps":{"timestamp":1}}"#, .liveactivity),
      (#"{"aps":{"attributes":{}}}"#, .liveactivity), ("{}", .alert), ("[]", .alert), ("x", .alert),
    ])
  func guess(_ payload: String, _ type: PushType) {
    #expect(PayloadLint.guess(Array(payload.utf8)) == type)
  }

  @Test(
    "finds nothing in a sound one",
    arguments: [
      (#"{"aps":{"alert":"Hi","badge":3,"sound":"default"}}"#, PushType?.none),
      (#"{"aps":{"content-available":1}}"#, nil), (#"{"aps":{"content-available":1}}"#, .background),
      (#"{"aps":{"badge":0}}"#, nil), (#"{"aps":{"content-changed":true}}"#, .controls), ("{}", .voip),
      (#"{"mdm":"magic"}"#, nil), ("{}", .location), ("{}", .complication),
      (#"{"container-identifier":"x"}"#, .fileprovider),
      (#"{"aps":{"alert":"x"},"matchId":99999999999999999999}"#, nil),
    ])
  func sound(_ payload: String, _ type: PushType?) { #expect(lint(payload, as: type).findings == []) }

  @Test(
    "calls lost what neither shows nor wakes",
    arguments: [
      ("x", PushType?.none, "payload-unreadable"), ("[]", nil, "payload-unreadable"), ("{}", nil, "nothing-to-show"),
      (#"{"aps":{"alert":7}}"#, nil, "nothing-to-show"), (#"{"aps":{"alert":{}}}"#, nil, "no-text"),
      (#"{"aps":{"alert":{"titel":"A"}}}"#, nil, "no-text"), (#"{"aps":{"alert":""}}"#, nil, "no-text"),
      (#"{"aps":{"alert":"x"}}"#, .background, "content-available-missing"),
      (#"{"aps":{"content-available":1}}"#, .alert, "push-type-alert"),
      (#"{"aps":{"content-available":1}}"#, .widgets, "content-changed-missing"), ("{}", .mdm, "no-push-magic"),
      ("{}", .fileprovider, "container-identifier-missing"), ("[]", .voip, "payload-unreadable"),
    ])
  func lost(_ payload: String, _ type: PushType?, _ cause: String) {
    let lost = lint(payload, as: type).findings.filter { $0.weight == .lost }
    #expect(lost.count == 1 && lost.first?.sentence.hasPrefix(cause) == true, "\(lost)")
  }

  @Test("calls changed what a phone ignores, with the sentence of each remark")
  func changed() {
    let found = lint(#"{"aps":{"alert":"Hi","badge":"3","sound":1,"interruption-level":"timeSensitive"}}"#).findings
    #expect(found.map(\.weight) == [.changed, .changed, .changed])
    let remarks: [PayloadRemark] = [.badgeValue, .soundType, .interruptionValue]
    #expect(found.map(\.sentence) == remarks.map(\.sentence))
  }

  @Test("says from which size on APNs refuses its push type")
  func size() {
    let body = #"{"aps":{"alert":"\#(String(repeating: "x", count: 5000))"}}"#
    #expect(lint(body).findings.map(\.weight) == [.lost] && lint(body, as: .voip).findings.isEmpty)
  }

  @Test("reports the mistakes in the alert of a Live Activity that a phone ignores")
  func activity() {
    let types = [AttributesType("Match", contentState: .object([]))]
    let profile = AppProfile(bundleID: "com.example.app", teamID: "TEAM000001", types: types)
    for (alert, count) in [(#"{"title":"a","body":7}"#, 1), ("{}", 1), (#"{"title":7}"#, 2), (#"{"title":"a"}"#, 0)] {
      let body = #"{"aps":{"timestamp":1790000000,"event":"update","content-state":{},"alert":\#(alert)}}"#
      let lint = PayloadLint(
        Array(body.utf8), profile, type: 0, os: OSVersion(26, 1), at: Instant(seconds: 1_790_000_000))
      #expect(lint.findings.map(\.path) == Array(repeating: "aps.alert", count: count), "\(alert): \(lint.findings)")
    }
  }
}

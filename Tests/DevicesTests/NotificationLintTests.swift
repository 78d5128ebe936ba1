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
    "Lint guesses the push type of a payload from its members, and guesses none if it is unreadable",
    arguments: [
      (#"{"aps":{"alert":"Hi","badge":"3"}}"#, PushType.alert), (#"{"aps":{"content-available":1}}"#, .background),
      (#"{"aps":{"content-available":1,"alert":"Hi"}}"#, .alert), (#"{"aps":{"content-changed":true}}"#, .widgets),
      (#"{"mdm":"magic"}"#, .mdm), (#"{"container-identifier":"x"}"#, .fileprovider),
      (#"{"aps":{"event":"update"}}"#, .liveactivity),
      (#"{"aps":{"content-state":{}}}"#, .liveactivity), (#"{"aps":{"timestamp":1}}"#, .liveactivity),
      (#"{"aps":{"attributes":{}}}"#, .liveactivity), ("{}", .alert), ("[]", .alert), ("x", nil),
      ("\u{FEFF}" + #"{"aps":{"event":"update"}}"#, nil),
    ] as [(String, PushType?)])
  func guess(_ payload: String, _ type: PushType?) {
    #expect(PayloadLint.guess(Array(payload.utf8)) == type)
  }

  @Test(
    "Lint finds nothing in a sound payload",
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
    "Lint marks a payload that neither shows nor wakes anything as lost",
    arguments: [
      ("x", PushType?.none, "payload-unreadable"), ("[]", nil, "nothing-to-show"), ("{}", nil, "nothing-to-show"),
      ("null", .background, "content-available-missing"), ("[]", .mdm, "payload-unreadable"),
      (#"{"aps":{"alert":7}}"#, nil, "nothing-to-show"), (#"{"aps":{"alert":{}}}"#, nil, "nothing-to-show"),
      (#"{"aps":{"alert":{"titel":"A"}}}"#, nil, "nothing-to-show"), (#"{"aps":{"alert":""}}"#, nil, "nothing-to-show"),
      (#"{"aps":{"alert":"x"}}"#, .background, "content-available-missing"),
      (#"{"aps":{"content-available":1}}"#, .alert, "push-type-alert"),
      (#"{"aps":{"content-available":1}}"#, .widgets, "content-changed-missing"), ("{}", .mdm, "no-push-magic"),
      ("{}", .fileprovider, "container-identifier-missing"), ("[]", .voip, "payload-unreadable"),
    ])
  func lost(_ payload: String, _ type: PushType?, _ cause: String) {
    let lost = lint(payload, as: type).findings.filter { $0.weight == .lost }
    #expect(lost.count == 1 && lost.first?.sentence.hasPrefix(cause) == true, "\(lost)")
  }

  @Test("Lint of JSON that is not an object repeats the phone's remark that aps is missing", arguments: ["[]", "1"])
  func noObject(payload: String) {
    let changed = lint(payload).findings.filter { $0.weight == .changed }
    #expect(changed.map(\.sentence) == [PayloadRemark.apsMissing.sentence])
  }

  @Test("Lint marks members that a phone ignores as changed, with the sentence of each remark")
  func changed() {
    let found = lint(#"{"aps":{"alert":"Hi","badge":"3","sound":1,"interruption-level":"timeSensitive"}}"#).findings
    #expect(found.map(\.weight) == [.changed, .changed, .changed])
    let remarks: [PayloadRemark] = [.badgeValue, .soundType, .interruptionValue]
    #expect(found.map(\.sentence) == remarks.map(\.sentence))
  }

  @Test("Lint marks a payload as lost from the size at which APNs refuses its push type")
  func size() {
    let body = #"{"aps":{"alert":"\#(String(repeating: "x", count: 5000))"}}"#
    #expect(lint(body).findings.map(\.weight) == [.lost] && lint(body, as: .voip).findings.isEmpty)
  }

  static let alerts: [(event: String, alert: String, paths: [String])] = [
    ("update", #","alert":{"title":"a"}"#, []), ("update", #","alert":{"title":"a","body":7}"#, ["aps.alert"]),
    ("update", #","alert":{}"#, ["aps.alert"]), ("update", #","alert":{"title":7}"#, ["aps.alert", "aps.alert"]),
    ("update", #","alert":"Goal""#, ["aps.alert"]), ("end", #","alert":5"#, ["aps.alert"]),
    ("end", #","alert":null"#, []), ("end", #","alert":[]"#, ["aps.alert"]),
    ("update", #","alert":{"title":"","body":""}"#, ["aps.alert"]),
    ("update", #"},"alert":{"title":"a""#, ["alert"]), ("update", #","alert":{"title":"a"}},"alert":{"title":"a""#, []),
  ]

  @Test(
    "Lint calls an alert of a Live Activity changed exactly if the phone ignores it or a member of it",
    arguments: alerts)
  func activity(event: String, alert: String, paths: [String]) {
    let types = [AttributesType("Match", contentState: .object([]))]
    let profile = AppProfile(bundleID: "com.example.app", teamID: "TEAM000001", types: types)
    let body = #"{"aps":{"timestamp":1790000000,"event":"\#(event)","content-state":{}\#(alert)}}"#
    let lint = PayloadLint(
      Array(body.utf8), profile: profile, type: 0, os: OSVersion(26, 1), at: Instant(seconds: 1_790_000_000))
    #expect(lint.findings.map(\.path) == paths && !lint.loses, "\(lint.findings)")
  }
}

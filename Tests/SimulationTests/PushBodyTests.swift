import APNs
import Devices
import TestSupport
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Observed: the rows are those of forum thread 745345, by its numbers; documented: "Pushing background updates to your
/// App".
@Suite("A push whose body does not ask for what its push type says")
struct PushBodyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    let type: String
    let aps: String
    var shown = false
    var woken = false
    var cause: String?
    var findings: [AuditFinding.Kind] = []

    var testDescription: String { "row \(number): \(type) \(aps)" }
  }

  static let rows = [
    Row(number: 1, type: "background", aps: "", cause: "content-available-missing", findings: [.payloadDropped]),
    Row(
      number: 1, type: "background", aps: #""content-available":0"#, cause: "content-available-missing",
      findings: [.payloadDropped]),
    Row(
      number: 2, type: "background", aps: #""alert":{"title":"Goal!","body":"1 : 0"}"#,
      cause: "content-available-missing", findings: [.fieldsIgnored, .payloadDropped]),
    Row(number: 3, type: "background", aps: #""content-available":1"#, woken: true),
    Row(
      number: 4, type: "background", aps: #""content-available":1,"alert":"Goal!""#, woken: true,
      findings: [.fieldsIgnored]),
    Row(
      number: 9, type: "alert", aps: #""content-available":0"#, cause: "nothing-to-show", findings: [.payloadDropped]),
    Row(number: 10, type: "alert", aps: #""content-available":0,"alert":"Goal!""#, shown: true),
    Row(
      number: 11, type: "alert", aps: #""content-available":1"#, cause: "push-type-alert", findings: [.payloadDropped]),
  ]

  private func stage() -> Stage {
    var policy = Stage.quick
    policy.wakes.odds = .always
    return Stage(policy: policy)
  }

  @Test("wakes and shows what forum thread 745345 saw, and its cause is in the story and in a finding", arguments: rows)
  func row(_ row: Row) throws {
    var stage = stage()
    let record = try stage.send(
      try stage.token(), #"{"aps":{\#(row.aps)}}"#, ["apns-push-type": row.type, "apns-priority": "5"])
    #expect(record.status == 200)
    stage.advance(by: .seconds(3600))
    let fate = stage.fate(of: record)
    #expect(stage.screen().notifications.isEmpty != row.shown)
    let isWoken = if case .background(.woken)? = fate.reaction { true } else { false }
    #expect(isWoken == row.woken, "\(fate)")
    let story = try stage.story(of: record)
    if let cause = row.cause {
      #expect(fate.causes == [cause] && story.contains { $0.cause == cause && $0.evidence != nil })
    }
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    let found = logs.auditor?.findings ?? []
    #expect(found.map(\.kind).sorted { $0.rawValue < $1.rawValue } == row.findings, "\(found.map(\.sentence))")
  }

  @Test("a background push with an alert that wakes the app is remarked on in its story")
  func remark() throws {
    var stage = stage()
    let record = try stage.send(
      try stage.token(), #"{"aps":{"content-available":1,"alert":"Goal!"}}"#,
      ["apns-push-type": "background", "apns-priority": "5"])
    #expect(try stage.story(of: record).last?.cause == "visible-in-background")
  }

  @Test("without a push type, the flag alone wakes the app")
  func noType() throws {
    var stage = stage()
    let record = try stage.send(try stage.token(), #"{"aps":{"content-available":1}}"#)
    let isWoken = if case .background(.woken)? = record.fate.reaction { true } else { false }
    #expect(isWoken)
  }

  @Test("the story of an alert push has SpringBoard's line with the five flags")
  func flags() throws {
    var stage = stage()
    let record = try stage.send(
      try stage.token(), #"{"aps":{"alert":"x","badge":"3","sound":"default","mutable-content":1}}"#)
    let line = try stage.story(of: record).first { $0.process == .springboard }
    #expect(
      line?.sentence == "received a notification [hasAlertContent: 1, hasSound: 1, hasBadge: 0,"
        + " hasContentAvailable: 0, hasMutableContent: 1]")
  }

  static let services: [(PushType, String, cause: String?)] = [
    (.widgets, #"{"aps":{"content-available":1},"kind":"Score"}"#, "content-changed-missing"),
    (.widgets, #"{"aps":{"content-changed":true}}"#, nil), (.controls, "{}", "content-changed-missing"),
    (.fileprovider, "{}", "container-identifier-missing"),
    (.fileprovider, #"{"container-identifier":"root"}"#, nil), (.location, "{}", nil), (.pushtotalk, "{}", nil),
    (.complication, "{}", nil),
  ]

  @Test(
    "a push of another service whose body lacks what its type needs has no effect; story and finding name the cause",
    arguments: services)
  func service(_ type: PushType, _ body: String, _ cause: String?) throws {
    let profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, services: [.voip, type.suffix])
    var stage = Stage(os: OSVersion(26, 1), apps: [profile])
    let record = try stage.send(
      try stage.token(.service(type.suffix)), topic: Stage.app + type.suffix.text, body,
      ["apns-push-type": type.rawValue])
    #expect(record.fate.causes == (cause.map { [$0] } ?? []))
    #expect(try stage.story(of: record).last?.cause == cause)
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    #expect(logs.auditor?.findings.map(\.kind) == (cause == nil ? [] : [.payloadDropped]))
  }

  @Test(
    "a push of a service whose body is no JSON object never reaches an app or an extension",
    arguments: [PushType.voip, .location, .widgets, .controls, .pushtotalk, .complication, .fileprovider],
    ["ring", "[]", "7", #"{"aps":{},}"#])
  func unreadable(_ type: PushType, _ body: String) throws {
    let profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, services: [.voip, type.suffix])
    var stage = Stage(os: OSVersion(26, 1), apps: [profile])
    let record = try stage.send(
      try stage.token(.service(type.suffix)), topic: Stage.app + type.suffix.text, body,
      ["apns-push-type": type.rawValue])
    #expect(record.status == 200 && record.fate.cause == .notJSON, "\(record.fate)")
    #expect(try stage.story(of: record).last?.sentence.contains("(") == true, "the place or the kind is told")
  }

  @Test(
    "a flag that is true in JSON counts as 1, or does not, by the setting", .setting("seen.booleanFlags"),
    arguments: [true, false])
  func booleans(_ reads: Bool) throws {
    var policy = Stage.quick
    policy.wakes.odds = .always
    policy.booleanFlags = reads
    var stage = Stage(policy: policy)
    let record = try stage.send(
      try stage.token(), #"{"aps":{"content-available":true}}"#,
      ["apns-push-type": "background", "apns-priority": "5"])
    let isWoken = if case .background(.woken)? = record.fate.reaction { true } else { false }
    #expect(isWoken == reads)
    #expect(
      record.payloadRemarks(readingBooleans: policy.booleanFlags) == [reads ? .flagBoolean : .contentAvailableValue])
  }
}

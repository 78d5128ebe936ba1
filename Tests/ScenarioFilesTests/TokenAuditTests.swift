import APNs
import Devices
import Reporting
import Testing

@testable import Scenarios
@testable import Simulation

/// Tests of a backend's reaction to a 410, judged by what the apps have reported to it.
@Suite("An audit of tokens that apps have reported")
struct TokenAuditTests {
  /// Both phones report their tokens at the beginning; d0's is refused once with a 410 of some age, at a minute.
  private static func story(age: String, _ after: String) -> String {
    """
    for: 6m
    settings:
      fleet: {devices: 3, ideal: true, os: {"26.1": 1}, apps: [{profile: sightscreen}]}
      reports: {backend: "http://127.0.0.1:9"}
      timing: {immediate: true}
    faults:
      - {name: gone, when: {devices: [d0]}, limit: 1, then: {answer: Unregistered\(age)}}
    steps:
      - {do: terminate, where: {}}
      - {do: open, where: {}}
      - {name: first, at: 1m, push: {payload: {aps: {alert: Zero}}}}
    \(after)
    expect:
      - {pushes: {status: 410}, count: 1}

    """
  }

  private static func push(_ at: String, _ text: String, _ devices: String = "[d0, d1, d2]") -> String {
    "  - {at: \(at), push: {devices: \(devices), payload: {aps: {alert: \(text)}}}}\n"
  }

  private func judge(_ story: String, _ expectation: String) throws {
    let report = try Rehearsal.play(story + "  - " + expectation)
    #expect(report.passed, "\(report.text)")
  }

  private static let others =
    push("2m", "One", "[d1, d2]") + push("3m", "Two", "[d1, d2]") + push("4m", "Three", "[d1, d2]")

  @Test("an audit of reported tokens finds a token discarded for a 410 that is older than its registration")
  func thrownAway() throws {
    let story = Self.story(age: ", age: 1h", Self.others)
    try judge(story, "{findings: {kind: tokenThrownAway}, count: 1}")
    let text = try Rehearsal.play(story + "  - {findings: {}, none: true}").text
    #expect(text.contains("findings tokenThrownAway to d0 at 4m"), "\(text)")
    #expect(text.contains("compare the timestamp with the time of registration"), "\(text)")
  }

  private static let harmless: [(age: String, after: String)] = [
    (", age: 1h", push("2m", "One") + push("3m", "Two") + push("4m", "Three")), ("", others),
    (", age: 1h", push("2m", "One", "[d1, d2]")), (", age: 1h", ""),
    (", age: 1h", "  - {at: 90s, do: permit, notifications: denied, device: d0}\n" + others),
    (", age: 1h", push("2m", "One", "[d1]") + push("3m", "Two", "[d1]") + push("5m", "Three", "[d0]")),
  ]

  @Test(
    "a kept token, a newer 410, the end of the run and a changed phone cause no finding",
    arguments: harmless)
  func kept(age: String, after: String) throws {
    try judge(Self.story(age: age, after), "{findings: {}, none: true}")
  }

  @Test(
    "discarded tokens are found device by device, and those of one device in the order of its apps", arguments: 1...6)
  func order(seed: UInt64) throws {
    let apps = ["com.sightscreen.app", "com.example.second", "com.example.third"]
    let list = apps.map { "{profile: sightscreen, bundleId: \($0)}" }.joined(separator: ", ")
    // The third first: neither the order of the pushes nor that of the tokens is the one wanted.
    func push(_ at: String, _ text: String, _ devices: String) -> String {
      apps.reversed().map {
        "  - {at: \(at), push: {app: \($0), devices: \(devices), payload: {aps: {alert: \(text)}}}}\n"
      }.joined()
    }
    let story = """
      for: 6m
      seed: \(seed)
      settings:
        fleet: {devices: 8, ideal: true, os: {"26.1": 1}, apps: [\(list)]}
        reports: {backend: "http://127.0.0.1:9"}
        timing: {immediate: true}
      faults:
        - {name: gone, when: {devices: [d0, d1, d2, d3]}, until: 90s, then: {answer: Unregistered, age: 1h}}
      steps:
      \(apps.map { "  - {do: terminate, app: \($0), where: {}}\n  - {do: open, app: \($0), where: {}}\n" }.joined())
      """ + push("1m", "Zero", "[d0, d1, d2, d3, d4, d5, d6, d7]")
      + ["2m", "3m", "4m"].map { push($0, "At \($0)", "[d4, d5, d6, d7]") }.joined()
      + "expect:\n  - {findings: {kind: tokenThrownAway}, count: 12}\n"
    var homes: [NotificationID: Int] = [:]
    var auditor = Auditor()
    let report = try Rehearsal.play(
      story,
      seen: { event in
        auditor.read(event)
        if case .push(let record) = event, let address = record.address { homes[record.answer.id] = address.app }
      })
    #expect(report.passed, "\(report.text)")
    let found = auditor.findings.filter { $0.kind == .tokenThrownAway }
    let order = found.map { "\($0.device?.text ?? "") \($0.push.flatMap { homes[$0] } ?? -1)" }
    #expect(order == (0..<12).map { "d\($0 / 3) \($0 % 3)" }, "seed \(seed)")
  }

  @Test("pushes after a 410 newer than the registration are found, unless the app has registered again")
  func dead() throws {
    try judge(Self.story(age: "", Self.push("2m", "One")), "{findings: {kind: deadToken}, count: 1}")
    let again = "  - {at: 80s, do: terminate, device: d0}\n  - {at: 90s, do: open, device: d0}\n"
    try judge(Self.story(age: "", again + Self.push("2m", "One")), "{findings: {}, none: true}")
  }
}

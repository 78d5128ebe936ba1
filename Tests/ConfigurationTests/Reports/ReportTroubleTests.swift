import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Failures between apps and backend, by rule")
struct ReportTroubleTests {
  private static let all: UInt32 = 500
  private static let sent = 4 * Int(all)
  private static let fine = CallOutcome.answered(status: 200, body: nil)

  /// Every app of a fleet is opened, with this trouble.
  private func opened(
    with trouble: [(key: String, value: String)], _ profile: String = "sightscreen", seed: UInt64 = 1,
    reversed: Bool = false
  ) throws -> Club {
    var settings = Settings()
    for (key, value) in trouble { try settings.set(key, to: value) }
    var plan = Club.calm
    plan.trouble = settings.reports.trouble
    var club = try Club(profile, devices: Self.all, seed: seed, reports: plan)
    for device in reversed ? Array((0..<Self.all).reversed()) : Array(0..<Self.all) { try club.launch(on: device) }
    return club
  }

  private func share(_ count: Int, of whole: Int = sent) -> Double { Double(count) / Double(whole) }

  @Test("lose: a fifth never reaches the backend, and the app sees a failed call")
  func lost() throws {
    let club = try opened(with: [("reports.trouble.lose", "20%")])
    let lost = club.ends.count { $0.failure == .lost }
    #expect((0.16...0.24).contains(share(lost)), "\(lost)")
    #expect(club.calls.count == Self.sent - lost && club.ends.count == Self.sent)
  }

  @Test("fail: a fifth fails on the phone")
  func failed() throws {
    let club = try opened(with: [("reports.trouble.fail", "20%")])
    let failed = club.ends.count { $0.failure == .refusedByRule }
    #expect((0.16...0.24).contains(share(failed)), "\(failed)")
    #expect(club.calls.count == Self.sent - failed)
  }

  @Test("loseAnswer: the backend has all reports; a fifth of the apps sends them again at the next yield")
  func answerLost() throws {
    var club = try opened(with: [("reports.trouble.loseAnswer", "20%")])
    let lost = club.ends.filter { $0.failure == .answerLost }
    #expect((0.16...0.24).contains(share(lost.count)), "\(lost.count)")
    #expect(club.calls.count == Self.sent)
    // Among those whose answer to the start token was lost, the second fire sends it once more.
    let unsure = Set(lost.filter { $0.url?.hasSuffix("push-to-start-token") == true }.map(\.device.number))
    #expect(!unsure.isEmpty)
    club.forget()
    for device in 0..<Self.all { try club.start(on: device) }
    #expect(club.callers(Club.startLine) == unsure)
  }

  @Test("double: a fifth arrives twice, and each ends once for the app")
  func doubled() throws {
    let club = try opened(with: [("reports.trouble.double", "20%")])
    let copies = club.calls.count - Self.sent
    #expect((0.16...0.24).contains(share(copies)), "\(copies)")
    #expect(club.ends.count == Self.sent)
    let once = Dictionary(grouping: club.calls) { "\($0.device) \($0.line)" }
    #expect(once.values.allSatisfy { $0.count <= 2 } && once.count == Self.sent)
  }

  @Test("delay: no report arrives early, and all arrive")
  func delayed() throws {
    let concurrent = try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  inOrder: false")
    var club = try opened(with: [("reports.trouble.delay", "2s..5s")], concurrent)
    let began = club.now.world
    #expect(club.calls.isEmpty)
    club.advance(by: .seconds(5))
    #expect(club.calls.count == Self.sent)
    let waits = club.calls.map { began.duration(to: $0.at) }
    #expect(waits.allSatisfy { (.seconds(2)...(.seconds(5))).contains($0) })
    #expect(Set(waits).count > 100, "each its own")
  }

  @Test("delay: the app's runtime continues meanwhile, and its end ends a call that was not sent")
  func delayedTooLong() throws {
    var plan = Club.calm
    plan.trouble.delay = .seconds(40)...(.seconds(40))
    var club = try Club(reports: plan)
    try club.launch()
    try club.order(.leave(app: nil))
    club.advance(by: .seconds(60))
    #expect(club.calls.isEmpty && club.ends.first?.failure == .aborted)
  }

  @Test("reorder: only calls without inOrder overtake each other")
  func reordered() throws {
    let order = [Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine]
    let concurrent = try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  inOrder: false")
    for (profile, isInOrder) in [("sightscreen", true), (concurrent, false)] {
      var club = try opened(with: [("reports.trouble.reorder", "20%")], profile)
      club.advance(by: .seconds(10))
      #expect(club.calls.count == Self.sent && club.ends.count == Self.sent)
      let mixed = (0..<Self.all).count { device in club.calls.filter { $0.device == device }.map(\.line) != order }
      if isInOrder { #expect(mixed == 0) } else { #expect((100...400).contains(mixed), "\(mixed)") }
    }
  }

  private static let allKinds = ["lose", "fail", "loseAnswer", "double"].map {
    (key: "reports.trouble.\($0)", value: "10%")
  }

  /// The outcomes of each phone's calls.
  private func fates(_ club: Club) -> [String] {
    (club.ends.map { "\($0.device.number) \($0.event) \($0.outcome)" } + club.calls.map { "\($0.device) \($0.line)" })
      .sorted()
  }

  @Test("the same seed affects the same calls, another seed others")
  func seeded() throws {
    let first = fates(try opened(with: Self.allKinds))
    #expect(first == fates(try opened(with: Self.allKinds)))
    #expect(first != fates(try opened(with: Self.allKinds, seed: 2)))
  }

  @Test("the order of the phones does not change the result of each")
  func anyOrder() throws {
    #expect(fates(try opened(with: Self.allKinds)) == fates(try opened(with: Self.allKinds, reversed: true)))
  }
}

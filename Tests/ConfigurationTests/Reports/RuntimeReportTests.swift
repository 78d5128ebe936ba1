import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Calls need a running app and a network")
struct RuntimeReportTests {
  private static let fine = CallOutcome.answered(status: 200, body: nil)

  /// A suspended app that a push has woken, whose backend does not answer for its update token.
  private func waiting(_ profile: String = "sightscreen") throws -> Club {
    var club = try Club(profile)
    try club.launch()
    try club.suspend()
    club.forget()
    club.answer = { $0.line == Club.updateLine ? nil : Self.fine }
    try club.start()
    #expect(club.open.count == 1)
    return club
  }

  @Test("a call still open when the background runtime ends is aborted, once, and a late answer is ignored")
  func aborted() throws {
    var club = try waiting()
    let call = try #require(club.open.first)
    club.advance(by: .seconds(29))
    #expect(club.ends.count { $0.number == call.number } == 0)
    club.advance(by: .seconds(2))
    #expect(club.life() == .suspended)
    let ends = club.ends.filter { $0.number == call.number }
    #expect(ends.map(\.failure) == [.aborted] && ends.first?.took == .seconds(30))
    try club.end(call, Self.fine)
    #expect(club.ends.count { $0.number == call.number } == 1)
    // It is not remembered as sent: the next yield sends it again.
    club.answer = { _ in Self.fine }
    try club.launch()
    #expect(club.values("token", at: Club.updateLine).count == 2)
  }

  @Test("a call with runtimeBound: false outlives the runtime, and its answer counts")
  func unbound() throws {
    var club = try waiting(try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  runtimeBound: false"))
    let call = try #require(club.open.first)
    club.advance(by: .seconds(60))
    #expect(club.life() == .suspended && club.open.count == 1)
    try club.end(call, Self.fine)
    #expect(club.ends.filter { $0.number == call.number }.map(\.outcome) == [Self.fine])
  }

  @Test(
    "the end of the process ends its calls, bound to the runtime or not",
    arguments: [AppLifecycle.terminated, .forceQuit, .crashed])
  func processGone(_ life: AppLifecycle) throws {
    let unbound = try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  runtimeBound: false")
    for profile in ["sightscreen", unbound] {
      var club = try waiting(profile)
      let call = try #require(club.open.first)
      switch life {
      case .terminated: try club.order(.terminate(app: nil))
      case .forceQuit: try club.order(.forceQuit(app: nil))
      default: try club.order(.crash(app: nil))
      }
      #expect(club.ends.filter { $0.number == call.number }.map(\.failure) == [.aborted])
    }
  }

  @Test("a force-quit app sends nothing, whatever is pushed to it, until it is opened")
  func forceQuit() throws {
    var club = try Club(policy: Club.alwaysWoken)
    try club.launch()
    try club.order(.forceQuit(app: nil))
    club.forget()
    try club.start()
    _ = try club.silentPush()
    _ = try club.alertPush()
    try club.order(.rotate(.pushToStart))
    try club.order(.rotate(.update))
    club.advance(by: .seconds(120))
    #expect(club.cards().count == 1 && club.calls.isEmpty && club.ends.isEmpty)
    try club.order(.open(app: nil))
    #expect(club.count(Club.startLine) == 1)
    #expect(club.values("token", at: Club.updateLine) == [try club.token(.update(activity: 0))])
  }

  @Test("an offline phone's calls fail at once without reaching the backend; the next yield sends them again")
  func offline() throws {
    var club = try Club()
    try club.order(.goOffline)
    try club.launch()
    #expect(club.calls.isEmpty)
    #expect(club.ends.count == 4 && club.ends.allSatisfy { $0.failure == .offline && $0.took == .zero })
    try club.order(.goOnline)
    club.skip(.seconds(60))
    #expect(club.calls.isEmpty, "nobody sends them again by a clock")
    try club.order(.rotate(.pushToStart))
    #expect(club.values("token", at: Club.startLine) == [try club.token(.pushToStart(type: 0))])
    try club.launch()
    #expect(club.lines.suffix(4) == [Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine])
  }

  @Test("going offline does not end calls already sent, and later ones fail")
  func offlineMeanwhile() throws {
    var club = try Club()
    club.answer = { _ in nil }
    try club.launch()
    let first = try #require(club.open.first)
    try club.order(.goOffline)
    #expect(club.ends.isEmpty)
    try club.end(first, Self.fine)
    #expect(club.lines == [Club.followsLine])
    #expect(club.ends.map(\.failure) == [nil, .offline, .offline, .offline])
  }

  @Test("a call in order is sent when the previous one has ended, with any result")
  func inOrder() throws {
    var club = try Club()
    club.answer = { _ in nil }
    try club.launch()
    let lines = [Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine]
    let outcomes: [CallOutcome] = [
      Self.fine, .answered(status: 500, body: nil), .failed(.timedOut, "10 s"), .failed(.closed, "half-way"),
    ]
    for (number, outcome) in outcomes.enumerated() {
      #expect(club.lines == Array(lines.prefix(number + 1)) && club.open.count == 1)
      try club.end(try #require(club.open.first), outcome)
    }
    #expect(club.lines == lines && club.open.isEmpty && club.ends.map(\.outcome) == outcomes)
  }

  @Test("all calls with inOrder: false are sent at once, and answered in any order")
  func concurrent() throws {
    var club = try Club(try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  inOrder: false"))
    club.answer = { _ in nil }
    try club.launch()
    #expect(club.lines == [Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine])
    #expect(club.open.count == 4)
    for call in club.open.reversed() { try club.end(call, Self.fine) }
    #expect(club.ends.count == 4 && club.open.isEmpty)
  }

  @Test("a slow backend of one phone does not delay another's calls in order")
  func phoneByPhone() throws {
    var club = try Club(devices: 2)
    club.answer = { $0.device == 0 ? nil : Self.fine }
    try club.launch(on: 0)
    try club.launch(on: 1)
    #expect(club.calls.count { $0.device == 0 } == 1 && club.calls.count { $0.device == 1 } == 4)
  }
}

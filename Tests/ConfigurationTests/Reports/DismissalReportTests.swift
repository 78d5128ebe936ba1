import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline

@testable import ClubSupport

@Suite("The backend gets reports of dismissals")
struct DismissalReportTests {
  @Test("S141 S149: after a swipe while the app runs, the report is sent at once, with an empty body")
  func atOnce() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    try club.order(.swipe(nil, app: nil))
    let call = try #require(club.calls.last)
    #expect(call.line == Club.dismissedLine && call.body == nil)
    #expect(call.headers["authorization"] == club.calls.first?.headers["authorization"])
    club.skip(.seconds(3600))
    #expect(club.count(Club.dismissedLine) == 1)
  }

  @Test(
    "S141: after a swipe while the app has no runtime, the report is sent when it has runtime again",
    arguments: [AppLifecycle.suspended, .terminated, .crashed, .forceQuit])
  func later(_ life: AppLifecycle) throws {
    var club = try Club()
    try club.launch()
    try club.start()
    switch life {
    case .terminated: try club.order(.terminate(app: nil))
    case .crashed: try club.order(.crash(app: nil))
    case .forceQuit: try club.order(.forceQuit(app: nil))
    default: try club.suspend()
    }
    club.forget()
    try club.order(.swipe(nil, app: nil))
    club.skip(.seconds(3600))
    #expect(club.cards().isEmpty && club.calls.isEmpty)
    try club.order(.open(app: nil))
    #expect(club.count(Club.dismissedLine) == 1)
    try club.launch()
    #expect(club.count(Club.dismissedLine) == 1, "and not again")
  }

  @Test("S141: a card that disappears by its own dismissal date is reported too")
  func byDate() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    let token = try club.token(.update(activity: 0))
    let now = club.now.world.seconds
    try club.push(
      token, "end",
      body: #"{"aps":{"timestamp":\#(now + 60),"event":"end","dismissal-date":\#(now + 900)}}"#)
    #expect(club.state() == .ended && club.count(Club.dismissedLine) == 0)
    club.advance(by: .seconds(899))
    #expect(club.count(Club.dismissedLine) == 0)
    club.advance(by: .seconds(2))
    #expect(club.count(Club.dismissedLine) == 1 && club.cards().isEmpty)
  }
}

import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("The app's check for a Live Activity without updates")
struct StaleCheckReportTests {
  private static let limit: Duration = .seconds(30 * 60)

  /// An app in the foreground with one Live Activity, whose content came just now.
  private func begun() throws -> Club {
    var club = try Club()
    try club.launch()
    try club.start()
    #expect(club.state() == .active)
    return club
  }

  @Test("S158 S159: an active app ends activities without content for 30 minutes, within a minute")
  func active() throws {
    var club = try begun()
    club.advance(by: Self.limit - .seconds(1))
    #expect(club.state() == .active)
    club.advance(by: .seconds(62))
    #expect(club.state() == .ended)
  }

  @Test("S158: each content restarts the 30 minutes")
  func fresh() throws {
    var club = try begun()
    let token = try club.token(.update(activity: 0))
    for _ in 0..<3 {
      club.advance(by: .seconds(20 * 60))
      try club.update("2/0", to: token)
    }
    #expect(club.state() == .active)
    club.advance(by: Self.limit + .seconds(61))
    #expect(club.state() == .ended)
  }

  @Test("S159 S160: a suspended app never checks: a lost end push is noticed at the next foreground")
  func suspended() throws {
    var club = try begun()
    try club.suspend()
    club.advance(by: .seconds(2 * 3600))
    #expect(club.state() == .active)
    try club.order(.open(app: nil))
    #expect(club.state() == .ended)
  }

  @Test("S159: an app does not check for stale activities in the runtime of a silent push")
  func woken() throws {
    var club = try Club(policy: Club.alwaysWoken)
    try club.launch()
    try club.start()
    try club.suspend()
    club.skip(Self.limit * 2)
    _ = try club.silentPush()
    #expect(club.life() == .background)
    club.advance(by: .seconds(29))
    #expect(club.state() == .active)
  }

  @Test("S159: a new process checks for stale activities on restore")
  func restored() throws {
    for isLate in [true, false] {
      var club = try begun()
      try club.order(.terminate(app: nil))
      club.skip(isLate ? Self.limit * 2 : Self.limit - .seconds(60))
      #expect(club.state() == .active)
      try club.order(.open(app: nil))
      #expect(club.state() == (isLate ? .ended : .active))
    }
  }

  @Test("S161: a suspended match is not ended, and the refresh at priority 5 restarts the 30 minutes")
  func suspendedMatch() throws {
    var club = try begun()
    let token = try club.token(.update(activity: 0))
    try club.update("2/0", to: token, more: #","suspended":true"#)
    club.advance(by: .seconds(2 * 3600))
    try club.order(.leave(app: nil))
    try club.order(.open(app: nil))
    #expect(club.state() == .active)
    try club.update("2/0", to: token, priority: "5", more: #","suspended":false"#)
    club.advance(by: .seconds(5))
    #expect(club.cards().first?.content?["suspended"] == .bool(false))
    club.advance(by: .seconds(25 * 60))
    #expect(club.state() == .active)
    club.advance(by: .seconds(7 * 60))
    #expect(club.state() == .ended)
  }

  @Test("S174: without pushes the card is stale at its stale date, and ended at the next check")
  func outage() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    let token = try club.token(.update(activity: 0))
    let now = club.now.world.seconds
    try club.push(
      token, "update",
      body: #"{"aps":{"timestamp":\#(now + 60),"event":"update","stale-date":\#(now + 600),"content-state":"#
        + #"{"matchDisplayState":"live","compactLeading":{"teamAbbr":"MI","score":"7/0"},"#
        + #""compactTrailing":{"overs":"1","runRate":"6"}}}}"#)
    try club.suspend()
    club.advance(by: .seconds(560))
    #expect(club.state() == .active && club.score() == "7/0")
    club.advance(by: .seconds(20))
    #expect(club.state() == .stale)
    club.advance(by: Self.limit)
    #expect(club.state() == .stale)
    try club.order(.open(app: nil))
    #expect(club.state() == .ended)
  }

  @Test("the check runs only for running activities, and only when one may be too old")
  func planned() throws {
    var club = try Club()
    try club.launch()
    #expect(club.world.nextDue == nil)
    try club.start()
    let due = try #require(club.world.nextDue)
    #expect(due == club.now.world.advanced(by: Self.limit))
    try club.order(.swipe(nil, app: nil))
    club.skip(Self.limit)
    #expect(club.world.nextDue.map { $0 > club.now.world.advanced(by: .seconds(3600)) } ?? true)
  }

  @Test("an activity that begins while another is old is checked at its own time")
  func later() throws {
    var club = try begun()
    club.advance(by: .seconds(10 * 60))
    try club.start()
    club.advance(by: .seconds(21 * 60))
    #expect(club.cards().count { $0.state == .ended } == 1)
    club.advance(by: .seconds(10 * 60))
    #expect(club.cards().count { $0.state == .ended } == 2)
  }
}

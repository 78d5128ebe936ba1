import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Start tokens as the backend sees them")
struct StartTokenReportTests {
  private static let start = TokenSlot.pushToStart(type: 0)

  @Test("S29: from iOS 17.2 on a start token may be sent; before it never is", arguments: [(17, 1), (17, 2), (18, 0)])
  func gate(_ version: (Int, Int)) throws {
    var club = try Club(os: OSVersion(version.0, version.1))
    try club.order(.uninstall(app: nil))
    try club.order(.reboot)
    try club.order(.reinstall(app: nil))
    #expect(club.count(Club.deviceLine) == 1)
    #expect(club.count(Club.startLine) == (version == (17, 1) ? 0 : 1))
  }

  @Test("S30: a start token is sent at launch, before there was any Live Activity")
  func beforeAnyActivity() throws {
    var club = try Club()
    try club.launch()
    #expect(club.values("token", at: Club.startLine) == [try club.token(Self.start)])
    #expect(club.cards().isEmpty && club.count(Club.updateLine) == 0)
  }

  @Test("S31: an app sends a start token for each type, and two Live Activities of a type share theirs")
  func typeByType() throws {
    var club = try Club(
      try Club.text(replacing: "reports:\n", by: "  - name: TossAttributes\nreports:\n"))
    try club.launch()
    #expect(club.values("attributesType", at: Club.startLine) == ["MatchAttributes", "TossAttributes"])
    let tokens = [try club.token(Self.start), try club.token(.pushToStart(type: 1))]
    #expect(club.values("token", at: Club.startLine) == tokens && tokens[0] != tokens[1])
    club.forget()
    try club.start(with: tokens[0])
    try club.start(with: tokens[0])
    #expect(club.cards().count == 2)
    #expect(club.count(Club.startLine) == 0, "no second start token for the second of the type")
    #expect(Set(club.values("token", at: Club.updateLine)).count == 2)
  }

  @Test("S32 S33: an update or end to a start token returns 200, and changes neither screen nor backend")
  func onlyStarts() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    let token = try club.token(Self.start)
    let shown = club.cards().map(\.content)
    club.forget()
    for event in ["update", "end"] {
      #expect(try club.push(token, event).status == 200)
      #expect(club.cards().map(\.content) == shown && club.state() == .active, "\(event)")
    }
    #expect(club.calls.isEmpty)
  }

  @Test("S34: the same start token is sent at every launch, over kill, crash and reboot")
  func persists() throws {
    var club = try Club()
    for action: DeviceAction in [.terminate(app: nil), .crash(app: nil), .forceQuit(app: nil), .reboot] {
      try club.order(action)
      try club.order(.open(app: nil))
    }
    #expect(club.values("token", at: Club.startLine) == Array(repeating: try club.token(Self.start), count: 4))
  }

  @Test("S35: a rotated start token is sent when it is yielded, and its predecessor returns 200 for a day and then 410")
  func rotates() throws {
    var club = try Club()
    try club.launch()
    let old = try club.token(Self.start)
    club.forget()
    try club.order(.rotate(.pushToStart))
    let new = try club.token(Self.start)
    #expect(new != old)
    #expect(club.values("token", at: Club.startLine) == [new])
    try club.order(.forceQuit(app: nil))
    #expect(try club.start(with: old).status == 200)
    #expect(club.cards().isEmpty)
    club.skip(.seconds(86_401))
    #expect(try club.start(with: old).reason == .unregistered)
    #expect(try club.start(with: new).status == 200)
    #expect(club.cards().count == 1)
  }

  @Test("S38: a backend that takes the second value for an update token gets only 200, and nothing changes")
  func secondFire() throws {
    var club = try Club(try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  dedupe: false"))
    try club.launch()
    club.forget()
    try club.start()
    let second = try #require(club.values("token", at: Club.startLine).last)
    #expect(second == (try club.token(Self.start)))
    #expect(club.values("token", at: Club.updateLine) == [try club.token(.update(activity: 0))])
    #expect(try club.update("9/9", to: second).status == 200)
    #expect(club.score() == "1/0")
    #expect(try club.update("9/9", to: try club.token(.update(activity: 0))).status == 200)
    #expect(club.score() == "9/9")
  }

  @Test("S45: from iOS 18 on every phone registers, at every launch", arguments: [OSVersion(18, 0), OSVersion(26, 1)])
  func reliable(_ os: OSVersion) throws {
    var club = try Club(devices: 200, os: os)
    for _ in 0..<2 {
      club.forget()
      for device: UInt32 in 0..<200 { try club.launch(on: device) }
      #expect(club.count(Club.startLine) == 200 && club.callers(Club.startLine).count == 200)
      #expect(Set(club.values("token", at: Club.startLine)).count == 200)
    }
  }
}

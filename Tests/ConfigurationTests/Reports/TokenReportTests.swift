import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("An app reports its tokens to its backend")
struct TokenReportTests {
  static let device = "POST /devices"
  static let start = "POST /devices/push-to-start-token"
  static let update = "POST /matches/m1/activity-token"

  @Test("S36 S115 S148: a cold start sends all again, permissions before tokens")
  func coldStart() throws {
    var club = try Club()
    for _ in 0..<2 {
      club.forget()
      try club.launch()
      #expect(
        club.lines == ["GET /user/follows", "POST /devices/frequent-pushes", Self.device, Self.start])
    }
    let start = try #require(club.calls.last)
    #expect(start.body?["token"] == .string(try club.token(.pushToStart(type: 0))))
    #expect(start.headers["authorization"]?.hasPrefix("Bearer ") == true)
  }

  @Test("S29: no start token is sent below iOS 17.2", arguments: [OSVersion(16, 7), OSVersion(17, 1)])
  func tooOld(_ os: OSVersion) throws {
    var club = try Club(os: os)
    try club.launch()
    #expect(club.count(Self.device) == 1 && club.count(Self.start) == 0)
  }

  @Test("S37 S39: the stream yields the start token twice, and it is sent once; without dedupe twice")
  func doubleFire() throws {
    for dedupes in [true, false] {
      let text = try #require(ShippedProfile.all.first { $0.name == "sightscreen" }).text
      var club = try Club(dedupes ? text : text.replacing("  timeout: 10s", with: "  timeout: 10s\n  dedupe: false"))
      try club.launch()
      try club.push(try club.token(.pushToStart(type: 0)), "start")
      club.advance(by: .seconds(60))
      #expect(club.count(Self.start) == (dedupes ? 1 : 2), "dedupes \(dedupes)")
    }
  }

  @Test("S146 S84: the update token of an activity started by push is sent when it is yielded, and when it changes")
  func updateToken() throws {
    var club = try Club()
    try club.launch()
    try club.order(.leave(app: nil))
    try club.push(try club.token(.pushToStart(type: 0)), "start")
    club.advance(by: .seconds(5))
    #expect(club.count(Self.update) == 1)
    #expect(club.calls.last?.body == ["token": .string(try club.token(.update(activity: 0)))])
    try club.order(.rotate(.update, app: nil, attributesType: nil, activity: nil))
    #expect(club.count(Self.update) == 2)
    #expect(club.calls.last?.body == ["token": .string(try club.token(.update(activity: 0)))])
  }

  @Test("S147: a refused report counts as not sent, and the next yield sends it again")
  func retried() throws {
    var club = try Club()
    club.answer = { .answered(status: $0.line == Self.start ? 503 : 200, body: nil) }
    try club.launch()
    #expect(club.count(Self.start) == 1)
    club.answer = { _ in .answered(status: 204, body: nil) }
    try club.push(try club.token(.pushToStart(type: 0)), "start")
    club.advance(by: .seconds(5))
    #expect(club.count(Self.start) == 2)
    try club.order(.leave(app: nil))
    try club.order(.open(app: nil))
    #expect(club.count(Self.start) == 2)
  }
}

import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("From a start by push to an active record")
struct PendingStartTests {
  @Test("S84: a start is pending until the update token comes, seconds after the card")
  func pending() throws {
    var policy = Club.quick
    policy.timing.wake = .seconds(1)...(.seconds(1))
    policy.timing.pushedToken = .seconds(4)...(.seconds(4))
    var club = try Club(policy: policy)
    try club.launch()
    try club.suspend()
    let started = club.now.world
    try club.start()
    #expect(club.cards().count == 1 && club.count(Club.updateLine) == 0)
    club.advance(by: .seconds(3))
    #expect(club.count(Club.updateLine) == 0, "woken, and no token yet")
    club.advance(by: .seconds(1))
    let call = try #require(club.calls.last { $0.line == Club.updateLine })
    #expect(started.duration(to: call.at) == .seconds(4))
    #expect(try club.update("5/0", to: try #require(call.body?["token"]?.string)).status == 200)
    #expect(club.score() == "5/0")
  }

  @Test("S84: a start stays pending without Allow under the card")
  func neverAllowed() throws {
    for allows in [true, false] {
      var policy = Club.quick
      policy.prompt.policy = .firstPushStart
      policy.prompt.answer = .ignore
      var club = try Club(policy: policy)
      try club.launch()
      try club.suspend()
      try club.order(.lock)
      try club.start()
      club.advance(by: .seconds(600))
      #expect(club.count(Club.updateLine) == 0)
      try club.order(allows ? .allow(nil, app: nil) : .deny(nil, app: nil))
      club.advance(by: .seconds(10))
      #expect(club.count(Club.updateLine) == (allows ? 1 : 0))
    }
  }

  @Test("S85: a phone that follows before the match registers the start token, and is started when the match is live")
  func followedBefore() throws {
    var club = try Club()
    club.answer = { .answered(status: 200, body: $0.line == Club.followLine ? ["live": false] : nil) }
    try club.launch()
    try club.use("follow")
    #expect(club.cards().isEmpty && club.bell() == .filled)
    try club.order(.leave(app: nil))
    try club.suspend()
    club.skip(.seconds(3 * 3600))
    let token = try #require(club.values("token", at: Club.startLine).last)
    try club.start(with: token)
    let lines = [
      Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine, Club.followLine, Club.updateLine,
    ]
    #expect(club.lines == lines)
    #expect(club.cards().count == 1)
  }

  @Test("S86: a burst of starts to all followers: each is journaled, shown and reported")
  func burst() throws {
    let all: UInt32 = 500
    var policy = Club.quick
    policy.timing = Timing()
    var club = try Club(devices: all, policy: policy)
    for device in 0..<all { try club.launch(on: device) }
    for device in 0..<all { try club.order(.leave(app: nil), on: device) }
    club.forget()
    let began = club.now.world
    let records = try (0..<all).map { try club.start(on: $0) }
    #expect(records.allSatisfy { $0.status == 200 })
    #expect(Set(records.map(\.sequence)).count == Int(all))
    club.advance(by: .seconds(6))
    #expect(club.callers(Club.updateLine).count == Int(all) && club.count(Club.updateLine) == Int(all))
    #expect(club.calls.allSatisfy { began.duration(to: $0.at) <= .seconds(6) })
    #expect((0..<all).allSatisfy { club.cards(on: $0).count == 1 })
  }
}

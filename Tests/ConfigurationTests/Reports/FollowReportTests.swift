import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Following, as the backend and the person see it")
struct FollowReportTests {
  private static let down = CallOutcome.answered(status: 503, body: nil)
  private static let fine = CallOutcome.answered(status: 200, body: nil)

  private func keys(_ club: Club) -> [String] {
    club.world.screen(of: DeviceID(0), at: club.now.world).bells.map(\.key)
  }

  @Test("S150: after the launch the app follows exactly the server's list")
  func reconcile() throws {
    var club = try Club()
    try club.use("follow", ["matchId": "m1"])
    try club.use("follow", ["matchId": "m2"])
    club.answer = { _ in .answered(status: 200, body: ["follows": ["m2", "m3"]]) }
    try club.launch()
    #expect(keys(club) == ["m2", "m3"])
    #expect(club.bell("m1") == .empty && club.bell("m3") == .filled)
    club.answer = { _ in .answered(status: 200, body: ["follows": []]) }
    try club.launch()
    #expect(keys(club).isEmpty)
  }

  @Test("S150: an invalid answer, or an answer without a list, changes nothing")
  func noList() throws {
    let answers: [CallOutcome] = [
      Self.down, Self.fine, .answered(status: 200, body: ["other": 1]), .answered(status: 200, body: "text"),
      .answered(status: 404, body: ["follows": []]), .answered(status: 200, body: ["follows": "m9"]),
      .failed(.timedOut, "x"),
    ]
    for answer in answers {
      var club = try Club()
      try club.use("follow")
      club.answer = { _ in answer }
      try club.launch()
      #expect(keys(club) == ["m1"], "\(answer)")
    }
  }

  @Test("S151: follow and unfollow are one call each, without a body")
  func calls() throws {
    var club = try Club()
    try club.order(.open(app: nil))
    club.forget()
    try club.use("follow")
    try club.use("unfollow")
    #expect(club.lines == [Club.followLine, Club.unfollowLine])
    #expect(club.calls.allSatisfy { $0.body == nil && $0.headers["authorization"] != nil })
  }

  @Test("S152: the bell is filled before the answer, and a kill does not empty it")
  func persisted() throws {
    var club = try Club()
    try club.order(.open(app: nil))
    club.answer = { _ in nil }
    try club.use("follow")
    #expect(club.open.map(\.call.method) == ["POST"])
    #expect(club.bell() == .filled)
    try club.order(.forceQuit(app: nil))
    #expect(club.ends.last?.failure == .aborted)
    #expect(club.bell() == .filled)
    club.answer = { _ in Self.down }
    try club.order(.open(app: nil))
    #expect(club.bell() == .filled)
  }

  @Test("S152: deleting the app empties the bell, and a restore keeps it")
  func disk() throws {
    var club = try Club()
    try club.use("follow")
    try club.order(.restore)
    #expect(club.bell() == .filled)
    try club.order(.uninstall(app: nil))
    try club.order(.reinstall(app: nil))
    #expect(club.bell() == .empty)
  }

  @Test("S153: a failed unfollow waits in memory and is sent on the way to the foreground, until it succeeds")
  func queued() throws {
    var club = try Club()
    try club.use("follow")
    club.answer = { _ in Self.down }
    try club.use("unfollow")
    #expect(club.bell() == .empty && club.count(Club.unfollowLine) == 1)
    club.skip(.seconds(20))
    #expect(club.count(Club.unfollowLine) == 1, "no clock sends it again")
    for (answer, expected) in [(Self.down, 2), (Self.fine, 3), (Self.fine, 3)] {
      club.answer = { _ in answer }
      if club.life() == .foreground { try club.order(.leave(app: nil)) }
      try club.order(.open(app: nil))
      #expect(club.count(Club.unfollowLine) == expected)
    }
  }

  @Test("S153: a match that is followed again meanwhile is not unfollowed after all")
  func changedMind() throws {
    var club = try Club()
    try club.use("follow")
    club.answer = { _ in Self.down }
    try club.use("unfollow")
    club.answer = { _ in Self.fine }
    try club.use("follow")
    try club.order(.leave(app: nil))
    try club.order(.open(app: nil))
    #expect(club.lines.suffix(2) == [Club.unfollowLine, Club.followLine])
    #expect(club.bell() == .filled)
  }

  @Test("a match unfollowed but not yet reported does not return with the server's list")
  func untold() throws {
    var club = try Club()
    for match in ["m1", "m2"] { try club.use("follow", ["matchId": .string(match)]) }
    club.answer = { $0.line == Club.followsLine ? nil : Self.down }
    try club.launch()
    let open = club.open.first { $0.call.method == "GET" }
    let asked = try #require(open)
    try club.use("unfollow")
    #expect(keys(club) == ["m2"])
    try club.end(asked, .answered(status: 200, body: ["follows": ["m1", "m2", "m3"]]))
    #expect(keys(club) == ["m2", "m3"] && club.bell() == .empty)
  }

  @Test("S154: the failed unfollow of a killed app is never sent, and the server's follow returns")
  func lost() throws {
    var club = try Club()
    try club.use("follow")
    club.answer = { _ in Self.down }
    try club.use("unfollow")
    club.answer = { .answered(status: 200, body: $0.line == Club.followsLine ? ["follows": ["m1"]] : nil) }
    try club.order(.forceQuit(app: nil))
    try club.order(.open(app: nil))
    try club.order(.leave(app: nil))
    try club.order(.open(app: nil))
    #expect(club.count(Club.unfollowLine) == 1)
    #expect(club.bell() == .filled)
  }

  @Test(
    "S156: the bell warns when the system has ended the activity of a followed match, until another one runs",
    arguments: ["evict", "eight hours", "frequent updates"])
  func failed(_ how: String) throws {
    var club = try Club()
    club.answer = { $0.line == Club.followLine ? Club.live : .answered(status: 200, body: nil) }
    try club.use("follow")
    #expect(club.life() == .foreground && club.bell() == .filled && club.cards().count == 1)
    switch how {
    case "evict": try club.order(.evict(nil, app: nil))
    case "eight hours": club.skip(.seconds(8 * 3600))
    default: try club.order(.flip(.frequentUpdates, on: false, app: nil))
    }
    #expect(club.bell() == .filledWarning)
    try club.launch()
    #expect(club.bell() == .filledWarning, "it is so after a cold start, too")
    try club.start()
    #expect(club.bell() == .filled)
  }

  @Test("what backend, app or person ended is no failure", arguments: ["push", "swipe"])
  func over(_ how: String) throws {
    var club = try Club()
    club.answer = { $0.line == Club.followLine ? Club.live : .answered(status: 200, body: nil) }
    try club.use("follow")
    if how == "push" {
      #expect(try club.push(club.token(.update(activity: 0)), "end").fate.outcome == "ended")
    } else {
      try club.order(.swipe(nil, app: nil))
    }
    #expect(club.bell() == .filled)
  }

  @Test("S155: the bell is empty, filled, or filled with a warning")
  func bell() throws {
    var club = try Club()
    #expect(club.bell() == .empty)
    try club.use("follow")
    #expect(club.bell() == .filled)
    try club.order(.flip(.liveActivities, on: false, app: nil))
    #expect(club.bell() == .filledWarning)
    try club.order(.flip(.liveActivities, on: true, app: nil))
    #expect(club.bell() == .filled)
    try club.use("unfollow")
    #expect(club.bell() == .empty)
  }

  @Test("S156: following shows a warning if the Live Activity fails: switched off, or above the limit")
  func failed() throws {
    var off = try Club()
    off.answer = { $0.line == Club.followLine ? Club.live : Self.fine }
    try off.order(.flip(.allLiveActivities, on: false, app: nil))
    try off.use("follow")
    #expect(off.bell() == .filledWarning && off.cards().isEmpty)

    var full = try Club()
    full.answer = { $0.line.hasSuffix("/follow") ? Club.live : Self.fine }
    try full.order(.open(app: nil))
    for match in 1...6 { try full.use("follow", ["matchId": .string("m\(match)")]) }
    #expect(full.cards().count == 5)
    #expect((1...6).map { full.bell("m\($0)") } == Array(repeating: .filled, count: 5) + [.filledWarning])
  }

  @Test("S162: a match is followed first, then its Live Activity starts, then the token is reported")
  func followOrder() throws {
    var club = try Club()
    try club.order(.open(app: nil))
    club.forget()
    club.answer = { $0.line == Club.followLine ? nil : Self.fine }
    try club.use("follow")
    #expect(club.cards().isEmpty && club.lines == [Club.followLine])
    try club.end(try #require(club.open.first), Club.live)
    #expect(club.lines == [Club.followLine, Club.updateLine])
    #expect(club.cards().map(\.attributes?["matchId"]) == ["m1"] && club.score() == "0/0")
  }

  @Test("S162: a match that is not live, or has failed, has no Live Activity")
  func notLive() throws {
    for answer in [Self.down, Self.fine, .answered(status: 200, body: ["live": false, "state": [:]])] {
      var club = try Club()
      club.answer = { _ in answer }
      try club.use("follow")
      #expect(club.cards().isEmpty && club.count(Club.updateLine) == 0)
    }
  }

  @Test("S163: a match is unfollowed first, then its Live Activity ends, with any answer; that of another match stays")
  func unfollowOrder() throws {
    for outcome in [Self.fine, Self.down, .failed(.timedOut, "10 s")] {
      var club = try Club()
      club.answer = { $0.line.hasSuffix("/follow") ? Club.live : Self.fine }
      try club.order(.open(app: nil))
      for match in ["m1", "m2"] { try club.use("follow", ["matchId": .string(match)]) }
      club.answer = { _ in nil }
      try club.use("unfollow")
      #expect(club.lines.last == Club.unfollowLine && club.cards().count == 2)
      try club.end(try #require(club.open.first), outcome)
      let left = club.cards().filter { $0.state == .active }.map(\.attributes?["matchId"])
      #expect(left == ["m2"], "\(outcome)")
    }
  }
}

import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Update tokens as the backend sees them")
struct UpdateTokenReportTests {
  @Test("S115: permissions are reported before the tokens, and again when the person changes them")
  func frequentUpdates() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    let told = try #require(club.lines.firstIndex(of: Club.switchLine))
    let token = try #require(club.lines.firstIndex(of: Club.updateLine))
    #expect(told < token && club.calls[told].body?["enabled"] == .bool(true))
    club.forget()
    try club.order(.flip(.frequentUpdates, on: false, app: nil))
    try club.launch()
    let values = club.calls.filter { $0.line == Club.switchLine }.map { $0.body?["enabled"] }
    #expect(!values.isEmpty && values.allSatisfy { $0 == .bool(false) })
  }

  @Test("S146: the token is lower-case hexadecimal of its bytes, at the match's path, and nothing else is in the body")
  func body() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    let call = try #require(club.calls.last { $0.line == Club.updateLine })
    let token = try #require(call.body?["token"]?.string)
    #expect(call.body?.members?.count == 1)
    #expect(try token == club.token(.update(activity: 0)))
    #expect(token.count == 160 && token.allSatisfy { "0123456789abcdef".contains($0) })
    #expect(call.headers["content-type"] == "application/json")
  }

  @Test(
    "S147: a token counts as sent only after success: a failed one is sent again at the next yield, not by a timer",
    arguments: [(500, 2), (401, 2), (302, 2), (199, 2), (200, 1), (204, 1)])
  func afterSuccess(_ status: Int, _ expected: Int) throws {
    var club = try Club()
    club.answer = { .answered(status: $0.line == Club.startLine ? status : 200, body: nil) }
    try club.launch()
    club.advance(by: .seconds(300))
    #expect(club.count(Club.startLine) == 1, "no clock sends it again")
    // The second fire of the stream has the same value.
    try club.start()
    #expect(club.count(Club.startLine) == expected)
  }

  @Test("S147: two yields of one value before the answer are two calls, after it one")
  func inFlight() throws {
    let profile = try Club.text(replacing: "  timeout: 10s", by: "  timeout: 10s\n  inOrder: false")
    for answersFirst in [true, false] {
      var club = try Club(profile)
      club.answer = { $0.line == Club.startLine ? nil : .answered(status: 200, body: nil) }
      try club.launch()
      if answersFirst { try club.end(try #require(club.open.first), .answered(status: 200, body: nil)) }
      try club.start()
      #expect(club.count(Club.startLine) == (answersFirst ? 1 : 2))
    }
  }

  @Test("S148 S157: a cold start re-attaches to running activities: the token is sent again, and so is the next one")
  func coldStart() throws {
    for life: DeviceAction in [.terminate(app: nil), .forceQuit(app: nil), .crash(app: nil), .reboot] {
      var club = try Club()
      try club.launch()
      try club.start()
      try club.order(life)
      club.forget()
      try club.order(.open(app: nil))
      #expect(club.values("token", at: Club.updateLine) == [try club.token(.update(activity: 0))], "\(life)")
      try club.order(.rotate(.update))
      #expect(club.values("token", at: Club.updateLine).last == (try club.token(.update(activity: 0))))
      #expect(club.count(Club.updateLine) == 2, "\(life)")
    }
  }

  @Test("S157: every running Live Activity is re-attached, an ended one is not")
  func several() throws {
    var club = try Club()
    try club.launch()
    for _ in 0..<3 { try club.start() }
    try club.push(try club.token(.update(activity: 1)), "end")
    try club.order(.terminate(app: nil))
    club.forget()
    try club.order(.open(app: nil))
    let running = [try club.token(.update(activity: 0)), try club.token(.update(activity: 2))]
    #expect(club.values("token", at: Club.updateLine) == running)
  }
}

import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Unsent reports are recorded")
struct UnsentReportTests {
  @Test(
    "calls still waiting when the process ends are lost, each with its record",
    arguments: [DeviceAction.forceQuit(app: nil), .crash(app: nil), .reboot, .uninstall(app: nil), .restore])
  func processGone(_ action: DeviceAction) throws {
    var club = try Club()
    club.answer = { _ in nil }
    try club.launch()
    #expect(club.lines == [Club.followsLine])
    try club.order(action)
    #expect(club.lines == [Club.followsLine])
    #expect(club.ends.map(\.failure) == [.aborted, .aborted, .aborted, .aborted])
    #expect(club.ends.map(\.event) == ["launch.cold", "frequentPushes", "deviceToken", "pushToStartToken"])
    #expect(Set(club.ends.map(\.number)).count == 4)
    #expect(club.ends.dropFirst().allSatisfy { $0.outcome.sentence.hasSuffix("before it left; nothing was sent") })
  }

  @Test("a call waiting while the app is suspended is sent when it runs again")
  func suspended() throws {
    var club = try Club()
    club.answer = { _ in nil }
    try club.launch()
    try club.suspend()
    #expect(club.ends.map(\.failure) == [.aborted])
    club.answer = { _ in .answered(status: 200, body: nil) }
    try club.order(.open(app: nil))
    #expect(club.lines == [Club.followsLine, Club.switchLine, Club.deviceLine, Club.startLine])
  }

  @Test("of more than a hundred waiting calls the oldest are dropped, and recorded")
  func crowdedOut() throws {
    var club = try Club(
      """
      bundleId: com.example.small
      reports:
        on:
          action.go: [{url: "{{backend}}/{{arg.n}}"}]
      """)
    club.answer = { _ in nil }
    for number: Int64 in 0..<110 { try club.use("go", ["n": .integer(number)]) }
    // One is out, a hundred wait.
    #expect(club.lines == ["GET /0"])
    #expect(club.ends.map(\.failure) == Array(repeating: .queueFull, count: 9))
    #expect(club.ends.map { $0.url?.split(separator: "/").last } == (1...9).map { "\($0)" })
  }
}

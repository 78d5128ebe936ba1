import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

/// Tests of an app's reports of a notification to its backend.
@Suite("A notification, as the backend hears of it")
struct NotificationReportTests {
  private static let alert =
    #"{"aps":{"alert":{"title":"Live","body":"MI v CSK"},"sound":"default"},"matchId":"m7"}"#

  @Test("a tap carries its title and its payload, whatever the app was doing", arguments: AppLifecycle.allCases)
  func tapped(_ life: AppLifecycle) throws {
    var club = try Club("plain")
    switch life {
    case .terminated: try club.order(.terminate(app: nil))
    case .forceQuit: try club.order(.forceQuit(app: nil))
    case .crashed: try club.order(.crash(app: nil))
    default: break
    }
    for number in 0..<2 {
      let body = Self.alert.replacing("m7", with: "m\(number)")
      _ = try club.push(club.token(.app), "", suffix: "", body: body)
    }
    club.forget()
    try club.order(.tapNotification(0, app: nil))
    let call = try #require(club.calls.first { $0.line.contains("opened") }, "\(club.lines)")
    #expect(call.body?["title"] == "Live" && call.body?["payload"]?["matchId"] == "m0", "\(call.body ?? .null)")
    // The list goes on with what was not tapped.
    try club.order(.tapNotification(nil, app: nil))
    let second = try #require(club.calls.last { $0.line.contains("opened") })
    #expect(second.body?["payload"]?["matchId"] == "m1")
  }
}

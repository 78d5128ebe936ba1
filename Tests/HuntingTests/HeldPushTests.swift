import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Pushes that a fault has held on their way")
struct HeldPushTests {
  private static let alert: JSONValue = ["aps": ["alert": ["title": "Chat", "body": "Anybody?"]]]

  /// A fault strikes a silent push. An alert is sent on another connection and arrives at once, and once more at that
  /// time.
  private static func witness(fault: String?, arrivesAt seconds: Int64) throws -> Witness {
    var play = try Play(
      faults: fault.map { ["limit: 1, then: {\($0)}"] } ?? [], devices: 1, steps: ["{at: 11m, deleteFault: all}"])
    play.pass(until: .seconds(100))
    let token = try #require(try play.reported("pushToken", with: "deviceToken").last)
    _ = try play.push(["aps": ["content-available": 1]], to: token, type: "background")
    play.reconnect()
    play.pass(until: .seconds(110))
    _ = try play.push(alert, to: token, type: "alert")
    play.pass(until: .seconds(seconds))
    if fault != nil { _ = try play.push(alert, to: token, type: "alert") }
    play.pass(until: .seconds(20 * 60))
    return play.witness()
  }

  @Test(
    "a push may have waited on a frozen connection until it thaws",
    arguments: ["freeze: true", "goAway: PROTOCOL_ERROR, last: true"])
  func thawed(consequence: String) throws {
    let plain = try Self.witness(fault: nil, arrivesAt: 660)
    func told(_ fault: String, at seconds: Int64) throws -> Int {
      AlertTwice.judge(try Self.witness(fault: fault, arrivesAt: seconds), plain: plain).count
    }
    #expect(try told(consequence, at: 660) == 0 && told(consequence, at: 675) == 0 && told(consequence, at: 200) == 0)
    #expect(try told(consequence, at: 600) == 1 && told(consequence, at: 730) == 1)
    #expect(try told("streams: 0, back: 1000, after: 29s", at: 660) == 1)
  }
}

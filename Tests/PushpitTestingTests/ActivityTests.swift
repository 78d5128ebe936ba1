import PushpitTesting
import Testing

@Suite(.pushpit(fleet: 100))
struct ActivityTests {
  @Test func aGoalIsOnTheCard() async throws {
    let phone = try await Pushpit.phone()
    try await phone.do(.startActivity(contentState: ["score": 0]))
    try await phone.send(["aps": ["timestamp": 4_000_000_000, "event": "update", "content-state": ["score": 1]]])
    try await phone.expect(.card(.contentState(["score": 1])))
  }
}

import PushpitTesting
import Testing

@Suite(.pushpit(fleet: 100))
struct GoalTests {
  @Test func aGoalIsOnTheLockScreen() async throws {
    let phone = try await Pushpit.phone()
    try await phone.send("Goal!")  // in place of your backend
    #expect(try await phone.screen().notifications[0].body == "Goal!")
  }
}

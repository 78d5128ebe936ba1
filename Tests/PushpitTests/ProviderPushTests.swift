import Pushpit
import Testing
import WireFormats

@Suite("A push that pushpit send sends")
struct ProviderPushTests {
  @Test(
    "pushpit send updates an activity that is active or stale, and otherwise starts one",
    arguments: [("active", "aa"), ("stale", "aa"), ("ended", "bb"), ("dismissed", "bb")])
  func activity(state: String, token: String) throws {
    var push = ProviderPush(payload: [])
    push.pushType = "liveactivity"
    let activity: JSONValue = ["state": .string(state), "updateToken": "aa"]
    let app: JSONValue = ["bundleId": "com.example.app", "activities": [activity], "pushToStart": [["token": "bb"]]]
    #expect(try push.address(on: "d0", ["apps": [app]]).token == token)
  }
}

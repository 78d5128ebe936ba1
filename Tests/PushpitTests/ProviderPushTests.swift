import Pushpit
import Testing
import WireFormats

@Suite("A push that pushpit send sends")
struct ProviderPushTests {
  @Test(
    "goes to an activity that can be updated, stale or not, and otherwise starts one",
    arguments: [("active", "aa"), ("stale", "aa"), ("ended", "bb"), ("dismissed", "bb")])
  func activity(state: String, token: String) throws {
    var push = ProviderPush(payload: [])
    push.pushType = "liveactivity"
    let activity: JSONValue = ["state": .string(state), "updateToken": "aa"]
    let app: JSONValue = ["bundleId": "com.example.app", "activities": [activity], "pushToStart": [["token": "bb"]]]
    #expect(try push.address(on: "d0", ["apps": [app]]).token == token)
  }
}

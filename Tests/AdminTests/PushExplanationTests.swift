import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin
@testable import Scenarios

@Suite("Why, over the admin API,")
struct PushExplanationTests {
  @Test("a token of the other environment was refused: the sentence names its device and its environment")
  func otherEnvironment() throws {
    var office = Office()
    let token = try #require(
      office.simulator.world.fleet.token(DeviceID(3), app: 1, slot: .app)
    ).text
    office.push(token, topic: Office.store)
    let push = try #require(office.get("/v1/pushes")["pushes"]?.elements?.first)
    #expect(push["reason"] == "BadDeviceToken" && push["answer"]?["status"] == 400)
    let sentence = push["why"]?["sentence"]?.string ?? ""
    #expect(
      sentence.hasSuffix(
        "It is the device token of com.example.store on d3, a build for production, but it was sent to the listener of sandbox."
      ), "\(sentence)")
    office.push("00ff")
    let other = office.get("/v1/pushes")["pushes"]?.elements?.first?["why"]?["sentence"]?.string ?? ""
    #expect(!other.contains("It is the"), "\(other)")
  }

  @Test("a Live Activity's push to a device token is not checked as a notification")
  func notLinted() {
    var office = Office()
    office.push(
      office.token("d3"), topic: Office.app + ".push-type.liveactivity", headers: [("apns-push-type", "liveactivity")])
    let push = office.newestPush()
    #expect(push?["reason"] == "DeviceTokenNotForTopic" && push?["lint"]?.elements == nil)
  }

  private func why(
    _ office: inout Office, _ path: String, topic: String = Office.app, headers: [(name: String, value: String)] = []
  ) -> String {
    office.push(path, topic: topic, headers: headers)
    return office.newestPush()?["why"]?["sentence"]?.string ?? ""
  }

  /// Observed: activitree/meteor-push issue 7; the sentence about environments sent its readers the wrong way.
  @Test("the notation of text in place of a token is named, and the device that the text stands for")
  func tokenNotation() throws {
    var office = Office()
    let token = try #require(DeviceToken(office.token("d3")))
    let bytes = (0..<token.count).map { token.bytes[$0] }
    let description = why(&office, "{length=32,bytes=0x0100f178440e442f8001dbbeac64f962...c6350c6acc2a1b2c}")
    #expect(description.contains("description of the token as Data") && !description.contains("environment"))
    for path in [
      Base64.encode(bytes).replacing("/", with: "%2F"), Hex.encode(Array(token.text.utf8)), "<\(token.text)>",
    ] {
      let sentence = why(&office, path)
      #expect(office.newestPush()?["reason"] == "BadDeviceToken")
      #expect(
        sentence.contains("It stands for the device token of com.example.app on d3, \(token.text)."), "\(sentence)")
    }
  }

  @Test("a token of another topic is named with the topic that it needs")
  func otherTopic() {
    var office = Office()
    let sentence = why(&office, office.token("d3"), topic: Office.store)
    #expect(
      sentence
        == "The device token is the device token of com.example.app on d3, which needs the topic com.example.app;"
        + " the push has com.example.store.")
  }

  @Test("an apns-expiration in another unit is named although the push is accepted")
  func expirationUnit() {
    var office = Office()
    let token = office.token("d3")
    let milliseconds = why(&office, token, headers: [("apns-expiration", "1795780000000")])
    #expect(milliseconds.hasPrefix("200.") && milliseconds.contains("looks like milliseconds"), "\(milliseconds)")
    let fromNow = why(&office, token, headers: [("apns-expiration", "3600")])
    #expect(fromNow.hasPrefix("200.") && fromNow.contains("is in 1970"), "\(fromNow)")
    #expect(!why(&office, token, headers: [("apns-expiration", "1795780000")]).contains("apns-expiration"))
  }

  @Test("a fault is planned, active, spent or expired, and in force only while it is active")
  func states() {
    var office = Office()
    func set(_ body: JSONValue) { _ = office.post("/v1/faults", body) }
    func state(_ name: String) -> JSONValue? {
      let fault = office.get("/v1/faults/\(name)")
      #expect(fault["inForce"] == .bool(fault["state"] == "active"))
      return fault["state"]
    }
    set(["name": "late", "from": "1h", "then": ["lose": true]])
    set(["name": "once", "limit": 1, "then": ["lose": true]])
    set(["name": "short", "for": "1m", "then": ["lose": true]])
    set(["name": "wave", "for": "1m", "then": ["devices": ["do": "goOffline"]], "when": ["devices": ["d5"]]])
    #expect(state("late") == "planned" && state("once") == "active")
    #expect(state("short") == "active" && state("wave") == "active")
    let token = office.token("d3")
    office.push(token)
    #expect(state("once") == "spent")
    office.advance("3700s")
    #expect(state("late") == "active" && state("short") == "expired" && state("wave") == "expired")
  }

  @Test("content without a schema is reported as not checked", arguments: [true, false])
  func unchecked(hasSchema: Bool) {
    var office = Office(
      runningActivities: 1, budget: Office.prompt,
      schema: hasSchema ? .object([.init("score", .int)]) : nil)
    let token = office.activity("d3")?["updateToken"]?.string ?? ""
    let push = office.pushActivity(token, "update", ["content-state": ["score": 1]])
    let sentence = push?["why"]?["sentence"]?.string ?? ""
    #expect(push?["reaction"]?["outcome"] == "updated", "\(push?.text ?? "")")
    #expect(sentence.contains("its content-state was not checked") == !hasSchema, "\(sentence)")
  }
}

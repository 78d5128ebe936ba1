import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

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

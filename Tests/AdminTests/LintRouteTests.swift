import Devices
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("A payload checked by the admin API")
struct LintRouteTests {
  @Test("a payload is checked as the push type that it looks like, or as the given one")
  func types() {
    var office = Office()
    let guessed = office.post("/v1/lint", ["payload": ["aps": ["alert": "Goal!", "badge": "1"]]])
    #expect(guessed.status == 200 && guessed.json["pushType"] == "alert" && guessed.json["guessed"] == true)
    let finding = guessed.json["findings"]?.elements?.first
    #expect(finding?["weight"] == "changed" && finding?["sentence"]?.string?.hasPrefix("aps.badge") == true)
    #expect(guessed.json["lost"] == false)
    let given = office.post("/v1/lint", ["payload": ["aps": ["content-available": 1]], "pushType": "alert"])
    #expect(given.json["guessed"] == false && given.json["lost"] == true, "\(given.text)")
    let broken = office.post("/v1/lint", ["raw": #"{"aps":"#])
    #expect(broken.json["pushType"] == .null && broken.json["lost"] == true)
    #expect(office.get("/v1/pushes")["pushes"] == [])
  }

  @Test("a payload for a Live Activity is checked with the schema of its attributes type")
  func schema() throws {
    let schema = try ContentSchema(["type": "object", "properties": ["home": "int"]])
    var office = Office(schema: schema)
    let payload: JSONValue = [
      "aps": ["timestamp": .integer(Office.noon.seconds), "event": "update", "content-state": ["home": "one"]]
    ]
    let lost = office.post("/v1/lint", ["payload": payload]).json
    #expect(lost["pushType"] == "liveactivity" && lost["lost"] == true, "\(lost.text)")
    let other = office.post("/v1/lint", ["payload": payload, "attributesType": "RideAttributes", "os": "26"]).json
    #expect(other["lost"] == false, "\(other.text)")
  }

  @Test(
    "the rejection of a payload check names the invalid member",
    arguments: [
      ("app", "com.example.other", "There is no app \"com.example.other\""),
      ("app", .string(Office.store), "declares no attributes types"),
      ("attributesType", "Bus", "has no attributes type"),
      ("os", "x", "os must be a version of iOS"), ("pushType", "fax", "pushType cannot be"),
      ("raw", "x", "cannot be combined"),
      ("colour", "red", "no key"),
    ] as [(String, JSONValue, String)])
  func invalid(name: String, value: JSONValue, sentence: String) {
    var office = Office()
    let order: [JSONValue.Member] = [.init("payload", ["aps": ["event": "update"]]), .init(name, value)]
    let answer = office.post("/v1/lint", .object(order))
    #expect(answer.status == 422 && answer.field == name && answer.error.contains(sentence), "\(answer.text)")
  }
}

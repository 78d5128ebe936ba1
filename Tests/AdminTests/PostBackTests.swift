import APNs
import Simulation
import Testing
import WireFormats

@testable import Admin

/// A client can copy an object without removing keys from the response.
@Suite("A response of GET can be sent back with POST")
struct PostBackTests {
  /// True if both have the same keys and, except for counts, the same values.
  private static func same(_ one: JSONValue, _ other: JSONValue, but counts: Set<String>) -> Bool {
    let members = one.members?.map(\.key) ?? []
    return members == other.members?.map(\.key) && !members.isEmpty
      && members.allSatisfy { counts.contains($0) || one[$0] == other[$0] }
  }

  private static let faults: [JSONValue] = [
    ["name": "busy", "then": ["answer": "TooManyRequests", "retryAfter": 9]],
    [
      "name": "some", "when": ["app": .string(Office.app), "os": "26", "share": "10%", "skip": 1, "every": 2],
      "odds": "40%", "limit": 3, "then": ["delay": ["median": "1s", "p99": "9s"]],
    ],
    ["name": "later", "from": "10m", "for": "90s", "then": ["listener": "refuse"]],
    ["name": "off", "when": ["device": "d3"], "until": 600, "then": ["devices": ["do": "goOffline"]]],
    ["name": "idle", "when": ["idle": "60s"], "then": ["goAway": "NO_ERROR", "twice": true]],
  ]

  @Test("a fault that GET returned can be posted back with its times and its condition", arguments: faults)
  func fault(_ given: JSONValue) throws {
    var office = Office()
    #expect(office.post("/v1/faults", given).status == 200)
    let name = try #require(given["name"]?.string)
    let shown = office.get("/v1/faults/\(name)")
    let again = office.post("/v1/faults", shown)
    #expect(again.status == 200, "\(again.error)")
    #expect(Self.same(shown, again.json, but: ["pending"]), "\(shown.text) \(again.json.text)")
    // The same at a later time, because responses have absolute times.
    #expect(office.post("/v1/clock", ["advance": "1m"]).status == 200)
    #expect(
      Self.same(shown, office.post("/v1/faults", shown).json, but: ["pending", "state", "inForce", "seen", "struck"]))
  }

  @Test("a session that GET returned can be posted back with its keys, topics, devices and ledger")
  func session() {
    var office = Office()
    let given: JSONValue = [
      "name": "s", "topics": [.string(Office.app)], "devices": ["d2", "d1"], "ledger": 7,
      "keys": ["ABCDE12345"],
    ]
    #expect(office.post("/v1/sessions", given).status == 201)
    let shown = office.get("/v1/sessions/s")
    #expect(office.post("/v1/sessions", shown).status == 409)
    #expect(office.ask("DELETE", "/v1/sessions/s").status == 200)
    let again = office.post("/v1/sessions", shown)
    #expect(again.status == 201, "\(again.error)")
    #expect(Self.same(shown, again.json, but: []))
  }

  @Test("a session whose response lists only some of its devices is rejected")
  func longSession() {
    var office = Office(devices: 1200)
    let devices = (0..<1100).map { JSONValue.string("d\($0)") }
    #expect(office.post("/v1/sessions", ["name": "s", "devices": .array(devices)]).status == 201)
    let shown = office.get("/v1/sessions/s")
    #expect(office.ask("DELETE", "/v1/sessions/s").status == 200)
    let refused = office.post("/v1/sessions", shown)
    #expect(refused.status == 422 && refused.field == "devices")
  }

  @Test("a token that GET returned can be registered with another value")
  func token() throws {
    var office = Office()
    let listed = office.get("/v1/tokens?kind=device&app=\(Office.app)&limit=1")
    var row = try #require(listed["tokens"]?.elements?.first)
    let text = String(repeating: "ab", count: 32)
    row = .object((row.members ?? []).map { $0.key == "token" ? .init("token", .string(text)) : $0 })
    let registered = office.post("/v1/tokens", row)
    #expect(registered.status == 201, "\(registered.error)")
    #expect(Self.same(row, registered.json, but: ["given"]))
  }

  @Test("the action of a fault on devices can be posted back, also as a separate action")
  func action() throws {
    var office = Office()
    let order: JSONValue = ["do": "rotate", "app": .string(Office.app), "kind": "device", "silent": true]
    #expect(office.post("/v1/faults", ["name": "f", "from": "1h", "then": ["devices": order]]).status == 200)
    let shown = try #require(office.get("/v1/faults/f")["then"]?["devices"])
    #expect(shown == order)
    let done = office.act("d1", shown)
    #expect(done.status == 200, "\(done.error)")
  }

  @Test(
    "a fault with an invalid date is rejected",
    arguments: ["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-03-01"])
  func noDate(_ text: String) {
    var office = Office()
    let response = office.post("/v1/faults", ["name": "f", "from": .string(text), "then": ["lose": true]])
    #expect(response.status == 422 && response.field == "from")
  }
}

import APNs
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("Sessions that claim free phones, and sessions that expire")
struct SessionClaimTests {
  private func opened(_ office: inout Office, _ order: JSONValue) throws -> JSONValue {
    let answer = office.post("/v1/sessions", order)
    try #require(answer.status == 201, "\(answer.text)")
    return answer.json
  }

  private func devices(_ session: JSONValue) -> [String] {
    session["devices"]?.elements?.compactMap(\.string) ?? []
  }

  @Test("each session gets phones that no open session has")
  func disjoint() throws {
    var office = Office()
    var taken = devices(try opened(&office, ["devices": ["d0", "d3"]]))
    for _ in 0..<6 { taken += devices(try opened(&office, ["claim": ["count": 3]])) }
    #expect(taken.count == 20 && Set(taken).count == 20)
  }

  @Test("phones of closed sessions are used again only after all others")
  func turns() throws {
    var office = Office(devices: 3)
    var claimed: [String] = []
    for number in 0..<4 {
      claimed += devices(try opened(&office, ["name": .string("t\(number)"), "claim": [:]]))
      #expect(office.post("/v1/sessions/t\(number)/close", [:]).status == 200)
    }
    #expect(claimed == ["d0", "d1", "d2", "d0"])
  }

  @Test("a claim with criteria gets only phones that meet them")
  func criteria() throws {
    var office = Office()
    #expect(office.post("/v1/devices/d0/actions", ["do": "goOffline"]).status == 200)
    let claimed = devices(try opened(&office, ["claim": ["count": 4, "os": "26", "app": .string(Office.app)]]))
    for device in claimed {
      let view = office.get("/v1/devices/\(device)")
      #expect(view["os"]?.string?.hasPrefix("26") == true && view["online"] != false && device != "d0")
    }
    #expect(claimed.count == 4)
  }

  @Test(
    "without a free phone, the answer is 409 and says how many match and which sessions have them; nothing is opened")
  func none() throws {
    var office = Office(devices: 2)
    _ = try opened(&office, ["name": "early", "claim": ["count": 2]])
    let answer = office.post("/v1/sessions", ["name": "late", "claim": [:]])
    #expect(answer.status == 409 && answer.json["field"] == "claim")
    #expect(
      answer.json["error"]?.string == "Of 2 phones that match claim (online), none is free: the others belong to"
        + " open sessions (early). Close those that are over, or start with a larger fleet.")
    #expect(office.ask("GET", "/v1/sessions/late").status == 404)
  }

  @Test("a claim for more phones than the fleet has of the kind is answered 409 with the criteria")
  func tooFew() {
    var office = Office(devices: 2)
    let many = office.post("/v1/sessions", ["claim": ["count": 3]])
    #expect(many.status == 409 && many.json["field"] == "claim")
    #expect(many.json["error"] == "claim asks for 3 phones, but 2 of 2 phones match it (online).")
    let other = office.post("/v1/sessions", ["claim": ["app": .string(Office.app), "os": "26", "online": false]])
    #expect(
      other.json["error"]?.string
        == "claim asks for a phone, but 0 of 2 phones match it (app \(Office.app), os 26, offline).")
  }

  @Test("a claim for an app that the fleet does not have is refused with the nearest one, and opens nothing")
  func unknownApp() {
    var office = Office()
    let answer = office.post("/v1/sessions", ["name": "t", "claim": ["app": .string(Office.app + "s")]])
    #expect(answer.status == 422 && answer.json["field"] == "app" && answer.json["path"] == "claim.app")
    #expect(
      answer.json["error"]?.string
        == "There is no app \"\(Office.app)s\" in this fleet; did you mean \(Office.app)?")
    #expect(office.ask("GET", "/v1/sessions/t").status == 404)
  }

  @Test("at a cell of the fleet, the refusal of a claim counts the cell's own phones")
  func cell() throws {
    var office = Office(devices: 100)
    var plan = office.simulator.world.fleet.plan
    plan.cell = Cell(1, of: 2)
    office.simulator = Simulator(
      world: World(
        plan, rulebook: Rulebook(), keyRing: KeyRing(keys: [], apps: []) { _, _, _ in true }, at: Office.noon),
      clock: office.simulator.clock, pushLogCapacity: 10)
    #expect(devices(try opened(&office, ["claim": ["count": 50]])).count == 50)
    let answer = office.post("/v1/sessions", ["claim": ["count": 51, "online": true]])
    #expect(answer.json["error"] == "claim asks for 51 phones, but 50 of 50 phones match it (online).")
  }

  @Test(
    "an invalid claim or life is refused in a sentence that names the member",
    arguments: [
      (["claim": ["count": 0]], "count"), (["claim": ["apps": "x"]], "apps"), (["claim": 1], "claim"),
      (["claim": [:], "devices": ["d1"]], "claim"), (["expires": "0s"], "expires"), (["expires": "8d"], "expires"),
      (["expires": "soon"], "expires"),
    ] as [(JSONValue, String)])
  func invalid(order: JSONValue, field: String) {
    var office = Office()
    let answer = office.post("/v1/sessions", order)
    #expect(answer.status == 422 && answer.json["field"] == .string(field), "\(answer.text)")
  }

  @Test("a session that expires is closed by the machine's clock, with its faults removed; its phones are free again")
  func expires() throws {
    var office = Office(devices: 1)
    let session = try opened(&office, ["name": "t", "claim": [:], "expires": "10m"])
    #expect(session["expiresAt"] == "2026-03-01T12:10:00.000Z")
    let fault: JSONValue = ["name": "busy", "session": "t", "then": ["answer": "TooManyRequests"]]
    #expect(office.post("/v1/faults", fault).status == 200)
    office.wall = Office.noon.advanced(by: .seconds(599))
    #expect(office.get("/v1/sessions/t")["open"] == true)
    office.wall = Office.noon.advanced(by: .seconds(600))
    #expect(office.get("/v1/sessions/t")["open"] == false)
    #expect(office.get("/v1/faults")["faults"] == [])
    #expect(devices(try opened(&office, ["claim": [:]])) == ["d0"])
  }
}

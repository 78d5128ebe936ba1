import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("Sessions over the admin API")
struct SessionRoutesTests {
  private func opened(_ office: inout Office, _ order: JSONValue) throws -> JSONValue {
    let answer = office.post("/v1/sessions", order)
    try #require(answer.status == 201, "\(answer.text)")
    return answer.json
  }

  @Test("a session is served from its opening to its end")
  func life() throws {
    var office = Office()
    let session = try opened(&office, ["name": "t", "devices": ["d1", "d2"], "ledger": 5])
    #expect(session["open"] == true && session["deviceCount"] == 2 && session["keys"] == .null)
    #expect(session["devices"] == ["d1", "d2"] && session["ledger"]?["capacity"] == 5)
    office.push(office.token("d1"))
    office.push(office.token("d3"))
    let pushes = office.get("/v1/pushes?session=t")["pushes"]?.elements ?? []
    #expect(pushes.compactMap { $0["device"]?.string } == ["d1"])
    #expect(office.ask("GET", "/v1/sessions/t/pushes").status == 404)
    for list in ["pushes", "calls", "findings"] {
      let unknown = office.ask("GET", "/v1/\(list)?session=other")
      #expect(unknown.status == 404 && unknown.error.contains("other"))
    }
    #expect(office.get("/v1/pushes?session=t&device=d3")["pushes"] == [])
    #expect(office.get("/v1/pushes")["pushes"]?.elements?.count == 2)
    #expect(office.get("/v1/findings?session=t")["findings"] == [])
    #expect(office.get("/v1/calls?session=t")["calls"] == [])
    let closed = office.post("/v1/sessions/t/close", [:]).json
    #expect(closed["open"] == false && closed["counts"]?["pushes"] == 1 && closed["passed"] == .null)
    office.push(office.token("d2"))
    #expect(office.get("/v1/sessions/t") == closed)
    #expect(office.get("/v1/pushes?session=t")["pushes"]?.elements == pushes)
    #expect(office.get("/v1/sessions?open=false")["sessions"] == [closed])
    #expect(office.get("/v1/sessions?open=true")["sessions"] == [])
    #expect(office.ask("DELETE", "/v1/sessions/t").json == ["deleted": ["t"]])
    #expect(office.ask("GET", "/v1/sessions/t").status == 404)
  }

  @Test("the list comes in pages, and a session without a name gets one")
  func pages() throws {
    var office = Office()
    for device in 0..<5 { _ = try opened(&office, ["devices": [.string("d\(device)")]]) }
    let first = office.get("/v1/sessions?limit=3")
    #expect(first["sessions"]?.strings("name") == ["s1", "s2", "s3"] && first["next"] == "3")
    let rest = office.get("/v1/sessions?limit=3&cursor=3")
    #expect(rest["sessions"]?.strings("name") == ["s4", "s5"] && rest["next"] == .null)
  }

  @Test(
    "invalid input is refused in a sentence that names the member",
    arguments: [
      (["keys": ["NOSUCHKEY1"]], 422, "keys"), (["keys": []], 422, "keys"), (["keys": "ABCDE12345"], 422, "keys"),
      (["topics": ["com.example.ap"]], 422, "topics"), (["topics": [1]], 422, "topics"),
      (["devices": ["d20"]], 422, "devices"), (["devices": ["1"]], 422, "devices"), (["ledger": 0], 422, "ledger"),
      (["name": ""], 422, "name"), (["name": "a\u{1F}b"], 422, "name"), (["expect": 1], 422, "expect"),
      (["expect": [["pushes": [:], "count": 1]]], 422, "expect"), (["device": "d1"], 422, "device"),
      (["devices": ["d1"]], 409, "session"), (["name": "open", "devices": ["d9"]], 409, "name"),
    ] as [(JSONValue, Int, String)])
  func mistakes(order: JSONValue, status: Int, field: String) throws {
    var office = Office()
    _ = try opened(&office, ["name": "open", "devices": ["d0", "d1"]])
    let answer = office.post("/v1/sessions", order)
    #expect(answer.status == status && answer.field == field, "\(answer.text)")
    #expect(answer.error.split(separator: " ").count > 4)
    #expect(office.get("/v1/sessions")["sessions"]?.elements?.count == 1)
  }

  @Test("faults are set, listed, changed and removed for one session")
  func faults() throws {
    var office = Office()
    _ = try opened(&office, ["name": "a", "devices": ["d0"]])
    _ = try opened(&office, ["name": "b", "devices": ["d1"]])
    func busy(_ session: String?, _ reason: String) -> JSONValue {
      var members: [JSONValue.Member] = [.init("name", "busy"), .init("then", ["answer": .string(reason)])]
      if let session { members.append(.init("session", .string(session))) }
      return .object(members)
    }
    #expect(office.post("/v1/faults", busy("a", "TooManyRequests")).json["session"] == "a")
    #expect(office.post("/v1/faults", busy("b", "Shutdown")).json["name"] == "busy")
    #expect(office.post("/v1/faults", busy(nil, "ServiceUnavailable")).json["session"] == .null)
    #expect(office.post("/v1/faults", busy("a", "InternalServerError")).status == 200)
    #expect(office.get("/v1/faults")["faults"]?.elements?.count == 3)
    #expect(office.get("/v1/faults?session=a")["faults"]?.strings("name") == ["busy"])
    var reasons: [String] = []
    for device in ["d0", "d1", "d2"] {
      office.push(office.token(device))
      reasons.append(office.newestPush()?["reason"]?.string ?? "")
    }
    #expect(reasons == ["InternalServerError", "Shutdown", "ServiceUnavailable"])
    #expect(office.get("/v1/sessions/a")["faults"] == 1)
    #expect(office.ask("DELETE", "/v1/faults/busy?session=a").json == ["deleted": ["busy"]])
    #expect(office.ask("DELETE", "/v1/faults/busy?session=a").status == 404)
    #expect(office.post("/v1/reset", ["session": "b"]).json == ["deleted": ["busy"]])
    #expect(office.get("/v1/faults")["faults"]?.elements?.count == 1)
    #expect(office.ask("POST", "/v1/reset").json == ["deleted": ["busy"]])
  }

  @Test("closing and deleting end the effects of the session's faults")
  func healing() throws {
    var office = Office()
    for (name, device) in [("a", "d0"), ("b", "d1")] {
      _ = try opened(&office, ["name": .string(name), "devices": [.string(device)]])
      let order: JSONValue = [
        "name": "away", "session": .string(name), "then": ["devices": ["do": "goOffline"]],
      ]
      #expect(office.post("/v1/faults", order).status == 200)
    }
    func isOnline(_ office: inout Office, _ device: String) -> Bool {
      office.get("/v1/devices/\(device)")["online"] == true
    }
    #expect(!isOnline(&office, "d0") && !isOnline(&office, "d1"))
    _ = office.post("/v1/sessions/a/close", [:])
    #expect(isOnline(&office, "d0") && !isOnline(&office, "d1"))
    _ = office.ask("DELETE", "/v1/sessions/b")
    #expect(isOnline(&office, "d1"))
    #expect(office.get("/v1/faults")["faults"] == [])
  }

  @Test(
    "a fault that is not valid for sessions is refused",
    arguments: [
      (["name": "f", "session": "a", "then": ["listener": "refuse"]], 422),
      (["name": "f", "session": "none", "then": ["lose": true]], 404),
      (["name": "f", "session": "old", "then": ["lose": true]], 409),
      (["name": "f", "session": "a", "when": ["devices": ["d5"]], "then": ["lose": true]], 422),
    ] as [(JSONValue, Int)])
  func invalid(order: JSONValue, status: Int) throws {
    var office = Office()
    _ = try opened(&office, ["name": "a", "devices": ["d0"]])
    _ = try opened(&office, ["name": "old", "devices": ["d1"]])
    _ = office.post("/v1/sessions/old/close", [:])
    let answer = office.post("/v1/faults", order)
    #expect(answer.status == status && answer.error.split(separator: " ").count > 4, "\(answer.text)")
    #expect(office.get("/v1/faults")["faults"] == [])
  }
}

import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("The clock over the admin API")
struct ClockTests {
  @Test("the clock of the admin API shows its state")
  func show() {
    var office = Office()
    let shown: JSONValue = [
      "mode": "manual", "now": "2026-03-01T12:00:00.000Z", "unixMilliseconds": 1_772_366_400_000,
      "offsetMilliseconds": 0, "nextDue": nil,
    ]
    #expect(office.get("/v1/clock") == shown)
    office.wall = office.wall.advanced(by: .milliseconds(1500))
    #expect(office.get("/v1/clock")["offsetMilliseconds"] == -1500)
  }

  @Test(
    "the clock of the admin API is moved by durations and by seconds",
    arguments: [
      ("250ms", 250), ("30s", 30_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("0s", 0), ("366d", 31_622_400_000),
      (8, 8000), (0, 0), (.double(0.5), 500),
    ] as [(JSONValue, Int64)])
  func advance(step: JSONValue, milliseconds: Int64) {
    var office = Office()
    let response = office.post("/v1/clock", ["advance": step])
    #expect(response.status == 200)
    #expect(response.json["unixMilliseconds"]?.integer == Office.noon.milliseconds + milliseconds)
  }

  @Test(
    "the clock of the admin API rejects an invalid order, and does not change",
    arguments: [
      [:], ["advance": "-1h"], ["advance": -8], ["advance": .double(-0.5)], ["advance": "soon"], ["advance": ""],
      ["advance": true], ["advance": nil], ["advance": "367d"], ["advance": "99999999999999999h"],
      ["advance": 31_622_401], ["advance": .double(1e300)], ["advance": .integer(.max)], ["mode": "sundial"],
      ["mode": "offset"], ["mode": 1], ["step": "8h"], ["advance": "1h", "mode": "sundial"],
    ] as [JSONValue])
  func refuse(order: JSONValue) {
    var office = Office()
    let before = office.get("/v1/clock")
    let response = office.post("/v1/clock", order)
    #expect(response.status == 422 && response.error.count > 20)
    #expect(response.field == order.members?.last?.key)
    #expect(office.get("/v1/clock") == before)
  }

  @Test("the clock of the admin API can be set to run from its time, ahead of the machine, and be stopped again")
  func modes() {
    var office = Office()
    let both = office.post("/v1/clock", ["mode": "wall", "advance": "1h"]).json
    #expect(both["mode"] == "offset" && both["offsetMilliseconds"] == 3_600_000)
    office.wall = office.wall.advanced(by: .seconds(5))
    #expect(office.get("/v1/clock")["now"] == "2026-03-01T13:00:05.000Z")
    #expect(office.post("/v1/clock", ["mode": "manual"]).json["mode"] == "manual")
    office.wall = office.wall.advanced(by: .seconds(5))
    #expect(office.get("/v1/clock")["now"] == "2026-03-01T13:00:05.000Z")
  }

  @Test("the clock answers after everything that was due on the way was done, in order")
  func dueWork() {
    var office = Office()
    _ = office.act("d3", ["do": "startActivity"])
    _ = office.post("/v1/clock", ["advance": "1h"])
    _ = office.act("d4", ["do": "startActivity"])
    office.events = []
    _ = office.post("/v1/clock", ["advance": "1d"])
    let ends = office.events.compactMap { event -> Instant? in
      if case .phone(_, _, .activityEnded(_, .lifeOver), let at) = event { at } else { nil }
    }
    #expect(ends == [8, 9].map { Office.noon.advanced(by: .seconds($0 * 3600)) })
    #expect(office.install("d3")?["activities"]?.elements?.first?["endedAt"] == "2026-03-01T20:00:00.000Z")
  }

  @Test("the clock of the admin API accepts all queries and orders at the end of time")
  func everythingAtTheEnd() {
    var office = Office()
    _ = office.startActivity("d3")
    for _ in 0..<240 { office.advance("366d") }
    for order in EveryActionTests.cases {
      for before in order.before { _ = office.act("d3", before) }
      #expect([200, 422].contains(office.act("d3", order.order).status))
      office.advance("366d")
    }
    for priority in ["5", "10"] { office.push(office.token("d5"), headers: [("apns-priority", priority)]) }
    office.pushActivity(office.startToken("d5"), "start")
    office.advance("366d")
    #expect(office.newestPush()?["answer"]?["status"] == 200)
    for path in ["/v1/devices/d5", "/v1/devices/d5/screen", "/v1/devices/d5/log", "/v1/tokens"] {
      #expect(office.ask("GET", path).status == 200)
    }
  }

  @Test(
    "the clock of the admin API is read from JSON only",
    arguments: [
      ("", 400), ("{", 400), ("8h", 400), ("{\"advance\":8h}", 400), ("{\"advance\":NaN}", 400),
      ("{\"advance\":1e999}", 422), ("[]", 422), ("\"8h\"", 422), ("{\"advance\":[\"8h\"]}", 422),
      ("{\"advance\":{}}", 422), ("{\"advance\":\"1h-1m\"}", 422), ("{\"advance\":\"+1h\"}", 422),
      ("{\"advance\":\"1m1h\"}", 422), ("{\"advance\":\" 1h\"}", 422), ("{\"advance\":\"٣h\"}", 422),
      ("{\"advance\":-0.0}", 200), ("{\"advance\":1e-300}", 200),
    ])
  func bodies(text: String, status: Int) {
    var office = Office()
    let response = office.ask("POST", "/v1/clock", headers: Office.json, body: Array(text.utf8))
    #expect(response.status == status, "\(response.text)")
    #expect(office.get("/v1/clock")["unixMilliseconds"]?.integer == Office.noon.milliseconds)
  }

  @Test("ends with the year 2199: a step beyond is refused, with the time that is left")
  func endOfTime() {
    var office = Office()
    var last = office.post("/v1/clock", ["advance": "366d"])
    for _ in 0..<300 where last.status == 200 { last = office.post("/v1/clock", ["advance": "366d"]) }
    #expect(last.status == 422 && last.field == "advance")
    #expect(last.error.contains("2200-01-01T00:00:00.000Z"))
    let left = WorldClock.end.milliseconds - (office.get("/v1/clock")["unixMilliseconds"]?.integer ?? 0)
    #expect(office.post("/v1/clock", ["advance": .string("\(left)ms")]).status == 200)
    #expect(office.get("/v1/clock")["now"] == "2200-01-01T00:00:00.000Z")
    #expect(office.post("/v1/clock", ["advance": "1ms"]).status == 422)
    #expect(office.ask("GET", "/v1/devices").status == 200)
  }

  @Test("the clock of the admin API makes a long step in parts, shows its target meanwhile, and accepts no other order")
  func longWay() {
    // More falls due at once than is done in one go.
    var office = Office(devices: 600)
    for device in 0..<600 { _ = office.act("d\(device)", ["do": "startActivity"]) }
    let before = office.get("/v1/clock")
    #expect(before["target"] == nil)
    let order = office.post("/v1/clock", ["advance": "9h"])
    #expect(order.status == 200 && order.awaitsClock)
    let meanwhile = office.get("/v1/clock")
    #expect(meanwhile["target"] == "2026-03-01T21:00:00.000Z")
    #expect(meanwhile["now"] != before["now"] && meanwhile["now"] != meanwhile["target"])
    let second = office.post("/v1/clock", ["advance": "1h"])
    #expect(second.status == 409 && second.error.contains("2026-03-01T21:00:00.000Z"))
    var steps = 0
    while office.get("/v1/clock")["target"] != nil, steps < 100 { steps += 1 }
    #expect(steps < 100 && office.get("/v1/clock")["now"] == "2026-03-01T21:00:00.000Z")
    #expect(office.post("/v1/clock", ["advance": "1h"]).status == 200)
  }
}

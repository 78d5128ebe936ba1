import Devices
import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("An action on many devices")
struct SelectionTests {
  private func order(_ what: String, _ place: JSONValue, _ more: JSONValue = [:]) -> JSONValue {
    .object([.init("do", .string(what)), .init("where", place)] + (more.members ?? []))
  }

  @Test("an action on many devices is done where it is possible, and counts both")
  func counts() {
    var office = Office()
    _ = office.act("d4", ["do": "goOffline"])
    let response = office.post("/v1/actions", order("goOffline", [:]))
    #expect(response.status == 200)
    #expect(
      response.json == [
        "done": 19, "refused": 1, "firstRefusal": ["device": "d4", "sentence": "d4 is already offline."], "next": nil,
      ])
    #expect(office.get("/v1/devices?online=true")["devices"] == [])
    let happened = office.events.filter { if case .phone(_, _, .wentOffline, _) = $0 { true } else { false } }
    #expect(happened.count == 20)
  }

  @Test("an action on many devices is restricted by app, version and state, as the list of devices is")
  func filters() {
    var office = Office()
    _ = office.act("d4", ["do": "uninstall"])
    _ = office.act("d5", ["do": "goOffline"])
    func done(_ place: JSONValue) -> Int64? { office.post("/v1/actions", order("reboot", place)).json["done"]?.integer }
    #expect(done(["app": "com.example.app"]) == 19 && done(["app": "com.unknown"]) == 0)
    #expect(done(["online": false]) == 1 && done(["online": true]) == 19)
    let eighteen = office.get("/v1/devices?os=18")["devices"]?.elements?.count
    #expect(done(["os": "18"]) == eighteen.map { Int64($0) } && done(["os": "18.4"]) == 0)
    #expect(done(["app": "com.example.app", "online": false, "devices": ["d4", "d5", "d6"]]) == 1)
  }

  @Test("a share selects the same devices for the same name, others for another, and more for a larger share")
  func share() {
    var office = Office(devices: 400)
    func offline() -> Set<String> {
      Set((office.get("/v1/devices?online=false&limit=1000")["devices"] ?? []).strings("id"))
    }
    func act(_ what: String, _ share: JSONValue, _ name: String) -> JSONValue {
      office.post("/v1/actions", order(what, ["share": share, "name": .string(name)])).json
    }
    let first = act("goOffline", .double(0.25), "tunnel")
    let quarter = offline()
    #expect(first["done"]?.integer == Int64(quarter.count) && (60...140).contains(quarter.count))
    let again = act("goOffline", .double(0.25), "tunnel")
    #expect(again["done"] == 0 && again["refused"]?.integer == Int64(quarter.count))
    #expect(act("goOnline", .double(0.25), "tunnel")["refused"] == 0 && offline().isEmpty)
    _ = act("goOffline", .double(0.25), "lift")
    #expect(offline() != quarter)
    _ = act("goOnline", 1, "")
    _ = act("goOffline", .double(0.5), "tunnel")
    #expect(offline().isStrictSuperset(of: quarter))
    #expect(act("reboot", 0, "tunnel")["done"] == 0 && act("reboot", 1, "tunnel")["done"] == 400)
  }

  @Test("a share of devices is equal in percent, as text and as a number")
  func shareForms() {
    for share: JSONValue in ["10%", .double(0.1), "0.1"] {
      var office = Office(devices: 400)
      let done = office.post("/v1/actions", order("goOffline", ["share": share, "name": "lift"]))
      #expect(done.status == 200, "\(share): \(done.error)")
      var twin = Office(devices: 400)
      #expect(done.json == twin.post("/v1/actions", order("goOffline", ["share": .double(0.1), "name": "lift"])).json)
    }
  }

  @Test("an action by id is done once on each device, however often the id is given")
  func devices() {
    var office = Office()
    let response = office.post("/v1/actions", order("goOffline", ["devices": ["d3", "d7", "d3"]]))
    #expect(response.json["done"] == 2 && response.json["refused"] == 0)
    #expect((office.get("/v1/devices?online=false")["devices"] ?? []).strings("id") == ["d3", "d7"])
    #expect(office.post("/v1/actions", order("reboot", ["devices": []])).json["done"] == 0)
    let unknown = office.post("/v1/actions", order("reboot", ["devices": ["d3", "d20"]]))
    #expect(unknown.status == 404 && unknown.field == "devices" && unknown.error.contains("d0 to d19"))
  }

  @Test("an action on many devices checks a bounded number of devices, and returns where to continue")
  func pages() {
    var office = Office(devices: 250_000)
    var done: Int64 = 0
    var cursors: [String] = []
    var more: JSONValue = [:]
    repeat {
      let answer = office.post("/v1/actions", order("reboot", ["share": .double(0.000_1), "name": "few"], more)).json
      done += answer["done"]?.integer ?? 0
      guard let next = answer["next"]?.string else { break }
      cursors.append(next)
      more = ["cursor": .string(next)]
    } while cursors.count < 10
    #expect(cursors == ["100000", "200000"] && (5...60).contains(done))
  }

  @Test("an action on many devices is done on ten thousand at a time, each once")
  func most() {
    var office = Office(devices: 12_000)
    let first = office.post("/v1/actions", order("goOffline", [:])).json
    #expect(first["done"] == 10_000 && first["next"] == "10000")
    let rest = office.post("/v1/actions", order("goOffline", [:], ["cursor": "10000"])).json
    #expect(rest == ["done": 2000, "refused": 0, "firstRefusal": nil, "next": nil])
    let names = JSONValue.array((0..<10_001).map { .string("d\($0)") })
    #expect(office.post("/v1/actions", order("goOnline", ["devices": names])).field == "devices")
  }

  @Test(
    "an action that cannot be read returns 422 and changes nothing",
    arguments: [
      (["do": "reboot"], "where"), (["do": "reboot", "where": "all"], "where"),
      (["do": "reboot", "where": []], "where"),
      (["do": "reboot", "where": ["state": "ofline"]], "state"), (["do": "reboot", "where": ["stat": "x"]], "stat"),
      (["do": "reboot", "where": ["os": "eighteen"]], "os"), (["do": "reboot", "where": ["os": .double(18.5)]], "os"),
      (["do": "reboot", "where": ["app": 1]], "app"), (["do": "reboot", "where": ["name": 1]], "name"),
      (["do": "reboot", "where": ["share": .double(1.5)]], "share"),
      (["do": "reboot", "where": ["share": -1]], "share"),
      (["do": "reboot", "where": ["share": "half"]], "share"),
      (["do": "reboot", "where": ["share": "101%"]], "share"),
      (["do": "reboot", "where": ["devices": [3]]], "devices"),
      (["do": "reboot", "where": ["devices": ["x"]]], "devices"),
      (["do": "reboot", "where": [:], "cursor": "x"], "cursor"),
      (["do": "reboot", "where": [:], "cursor": 1], "cursor"),
      (["do": "reboot", "where": [:], "cursor": "4294967296"], "cursor"), (["where": [:]], "do"),
      (["do": "fly", "where": [:]], "do"), (["do": "reboot", "app": "x", "where": [:]], "app"),
      (["do": "reboot", "were": [:]], "were"),
    ] as [(JSONValue, String)])
  func unreadable(order: JSONValue, field: String) {
    var office = Office()
    let response = office.post("/v1/actions", order)
    #expect(response.status == 422 && response.field == field && !response.error.isEmpty, "\(response.text)")
    #expect(office.events.isEmpty)
  }
}

import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("People with two phones over the admin API")
struct PeopleTests {
  /// An office in whose fleet everybody has two phones.
  private func office(devices: UInt32 = 20, cell: Cell? = nil) -> Office {
    var office = Office()
    let usual = office.simulator.world.fleet.plan
    var phones = PhoneMix.ideal
    phones.twoPhones = .always
    var plan = FleetPlan(
      devices: devices, seed: 1, apps: usual.apps, mix: usual.mix, phones: phones, policy: usual.policy)
    plan.cell = cell
    office.simulator = Simulator(
      world: World(
        plan, rulebook: Rulebook(), keyRing: KeyRing(keys: [], apps: []) { _, _, _ in true }, at: Office.noon),
      clock: office.simulator.clock, pushLogCapacity: 10)
    return office
  }

  private func list(_ kind: String, _ member: String, _ query: String, _ office: inout Office) -> [String] {
    (office.get("/v1/\(kind)?\(query)")[kind]?.elements ?? []).compactMap { $0[member]?.string }
  }

  @Test("a device says whose it is")
  func owner() {
    var two = office()
    #expect(two.get("/v1/devices/d4")["user"] == "u4" && two.get("/v1/devices/d5")["user"] == "u4")
    var one = Office()
    #expect(one.get("/v1/devices/d5")["user"] == "u5")
  }

  @Test("a person's devices are listed without reading the fleet, in pages, and with other filters")
  func devices() {
    var office = office(devices: 300_000)
    #expect(list("devices", "id", "user=u299998", &office) == ["d299998", "d299999"])
    let first = office.get("/v1/devices?user=u4&limit=1")
    #expect(first["devices"]?.elements?.first?["id"] == "d4" && first["next"] == "5")
    let second = office.get("/v1/devices?user=u4&limit=1&cursor=5")
    #expect(second["devices"]?.elements?.first?["id"] == "d5" && second["next"] == .null)
    _ = office.act("d4", ["do": "goOffline"])
    #expect(list("devices", "id", "user=u4&online=true", &office) == ["d5"])
  }

  @Test("a person's tokens are those of both phones, also in pages")
  func tokens() {
    var office = office(devices: 300_000)
    let each = ["d299998", "d299999"].flatMap { list("tokens", "token", "device=\($0)", &office) }
    #expect(each.count == 12 && list("tokens", "token", "user=u299998", &office) == each)
    var paged: [String] = []
    var cursor = ""
    repeat {
      let page = office.get("/v1/tokens?user=u299998&limit=5\(cursor)")
      paged += (page["tokens"]?.elements ?? []).compactMap { $0["token"]?.string }
      cursor = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(paged == each)
    #expect(
      list("tokens", "device", "user=u4&device=d5&kind=device", &office) == ["d5", "d5"], "one token for each app")
  }

  @Test(
    "a user that there is not is an error that says why",
    arguments: [
      ("user=u20", "There is no user \"u20\"; this fleet has d0 to d19."),
      ("user=u5", "There is no user \"u5\": d5 is the second phone of u4."),
      ("user=d4", "user must be an id such as u17."),
    ])
  func unknown(query: String, sentence: String) {
    var office = office()
    for path in ["/v1/devices", "/v1/tokens"] {
      let answer = office.ask("GET", "\(path)?\(query)")
      #expect(answer.status == 400 && answer.error == sentence && answer.json["field"] == "user", "\(answer.text)")
    }
    let word = String(query.dropFirst("user=".count))
    let order = office.post("/v1/actions", ["do": "lock", "where": ["user": .string(word)]])
    #expect(order.status == (word == "d4" ? 422 : 404) && order.error.hasSuffix(sentence), "\(order.text)")
  }

  @Test("devices that are not the person's are an error")
  func strangers() {
    var office = office()
    #expect(
      office.ask("GET", "/v1/tokens?user=u4&device=d6").error == "u4 has d4 and d5, and none of the devices named.")
  }

  @Test("an action on a person reaches both phones, or the one that is named")
  func actions() {
    var office = office()
    func done(_ place: JSONValue) -> JSONValue? {
      office.post("/v1/actions", ["do": "goOffline", "where": place]).json["done"]
    }
    #expect(done(["user": "u4"]) == 2 && done(["user": "u6", "device": "d7"]) == 1)
    #expect(done(["user": "u8", "share": 1]) == 2 && list("devices", "id", "online=false", &office).count == 5)
  }

  @Test("a person's phones may lie in different cells, each of which lists and orders its own")
  func cells() throws {
    var here = office(devices: 201, cell: Cell(0, of: 2))
    var there = office(devices: 201, cell: Cell(1, of: 2))
    var divided = 0
    for number in stride(from: 0, to: 200, by: 2) {
      let (mine, others) = (
        list("devices", "id", "user=u\(number)", &here), list("devices", "id", "user=u\(number)", &there)
      )
      #expect((mine + others).sorted() == ["d\(number)", "d\(number + 1)"].sorted())
      guard mine.count == 1 else { continue }
      divided += 1
      #expect(Set(list("tokens", "device", "user=u\(number)", &here)) == Set(mine))
      #expect(
        here.post("/v1/actions", ["do": "goOffline", "where": ["user": .string("u\(number)")]]).json["done"] == 1)
    }
    #expect(divided > 0)
    // The only phone of the last person is in the other cell.
    for path in ["/v1/devices", "/v1/tokens"] {
      let answer = there.ask("GET", "\(path)?user=u200")
      #expect(
        answer.status == 400 && answer.error == "d200 belongs to cell 0; this is cell 1 of 2.", "\(answer.text)")
    }
    #expect(Set(list("tokens", "device", "user=u200&cell=0", &there)) == ["d200"])
  }

  @Test("a claim never gives one person's phones to two sessions")
  func claims() {
    var office = office(devices: 6)
    func claimed(_ count: Int64) -> JSONValue {
      office.post("/v1/sessions", ["claim": ["count": .integer(count)]]).json
    }
    #expect(claimed(1)["devices"] == ["d0"] && claimed(3)["devices"] == ["d2", "d3", "d4"])
    #expect(
      claimed(1)["error"]?.string?.contains("none is free: the others or their owners' second phones belong to") == true
    )
  }
}

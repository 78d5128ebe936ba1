import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import WireFormats

@testable import Admin

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of the simulator is held for a portion of the work at a time.
@Suite("A hold of the lock")
struct HoldTests {
  private struct Held {
    let response: AdminResponse
    /// Processor time in nanoseconds: of each hold, and of all that it took to answer.
    let holds: [UInt64]
    let total: UInt64

    final class Flag: Sendable {
      private let flag = Atomic(false)
      var value: Bool {
        get { flag.load(ordering: .relaxed) }
        set { flag.store(newValue, ordering: .relaxed) }
      }
    }
  }

  private static var processorTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// - Parameter between: the work of others after each hold.
  private func get(
    _ target: String, _ office: inout Office, method: String = "GET", body: JSONValue? = nil,
    between: (inout Simulator) -> Void = { _ in }
  ) -> Held {
    let wall = office.wall
    var simulator = office.simulator
    var holds: [UInt64] = []
    let begin = Self.processorTime
    let request = AdminRequest(
      method: method, target: target, headers: Office.local + [("content-type", "application/json")],
      body: body.map { Array($0.text.utf8) } ?? [])
    let response = office.desk.answer(request) { work in
      let begin = Self.processorTime
      _ = work(&simulator, wall)
      holds.append(Self.processorTime - begin)
      between(&simulator)
    }
    let total = Self.processorTime - begin
    office.simulator = simulator
    return Held(response: response, holds: holds, total: total)
  }

  /// Every eighth push is to d3, from the first on.
  private func office(pushes: Int) -> Office {
    var office = Office(pushLog: 20_000)
    let tokens = [office.token("d3"), office.token("d4")]
    for number in 0..<pushes { office.push(tokens[number % 8 == 0 ? 0 : 1], id: Self.id(number)) }
    _ = office.simulator.settle()
    return office
  }

  private static func id(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  @Test("a hold of the lock looks at 4,000 pushes for a list by topic, whatever the other filters are")
  func topic() {
    var office = office(pushes: 10_000)
    for query in ["topic=none", "status=500", "device=d9", "topic=\(Office.app)&device=d9"] {
      let held = get("/v1/pushes?" + query, &office)
      #expect(held.holds.count == 3, "\(query)")
      #expect(held.response.json == ["pushes": [], "next": nil])
    }
    #expect(get("/v1/pushes?topic=\(Office.app)&limit=10", &office).holds.count == 1)
    let oldest = get("/v1/pushes/" + Self.id(17), &office)
    #expect(oldest.holds.count == 3 && oldest.response.json["sequence"] == 18)
    #expect(get("/v1/pushes/" + Self.id(99_999), &office).response.status == 404)
  }

  @Test("a hold of the lock ends between pushes that arrive meanwhile: a page contains each push once")
  func meanwhile() {
    var office = office(pushes: 10_000)
    var other = office
    let token = other.token("d4")
    let held = get("/v1/pushes?device=d3&limit=1000", &office) { simulator in
      other.simulator = simulator
      for _ in 0..<500 { other.push(token) }
      simulator = other.simulator
      _ = simulator.settle()
    }
    let numbers = (held.response.json["pushes"]?.elements ?? []).compactMap { $0["sequence"]?.integer }
    let expected: [Int64] = (0..<1000).map { 9_993 - 8 * $0 }
    #expect(numbers == expected && held.response.json["next"]?.string == "2001")
    #expect(held.holds.count > 1)
  }

  @Test("a hold of the lock does not include writing the text, which takes most of the time")
  func text() {
    var office = office(pushes: 3_000)
    let held = get("/v1/pushes?limit=1000", &office)
    #expect(held.response.json["pushes"]?.elements?.count == 1000)
    #expect(held.holds.reduce(0, +) * 4 < held.total, "\(held.holds) of \(held.total) ns")
  }

  @Test("a hold of the lock looks at 4,000 lines and pushes for the log of a device, and the pages are the same")
  func log() {
    var office = office(pushes: 10_000)
    var lines: [JSONValue] = []
    var target: String? = "/v1/devices/d3/log?limit=1000"
    while let asked = target {
      let held = get(asked, &office)
      lines += held.response.json["lines"]?.elements ?? []
      target = held.response.json["next"]?.string.map { "/v1/devices/d3/log?limit=1000&cursor=\($0)" }
    }
    let whole = office.simulator.log(of: DeviceID(3), process: nil, before: nil, limit: .max).lines
    #expect(lines.map { $0["event"]?.string } == whole.map { $0.event } && whole.count > 2_000)
    #expect(get("/v1/devices/d9/log", &office).holds.count > 2)
  }

  @Test("a hold of the lock shows 50 devices, or their tokens; a page is the same as from one hold")
  func fleet() {
    var office = Office(devices: 2_000)
    let held = get("/v1/devices?limit=1000", &office)
    let ids = (held.response.json["devices"]?.elements ?? []).compactMap { $0["id"]?.string }
    #expect(ids == (0..<1000).map { "d\($0)" } && held.response.json["next"] == "1000")
    #expect(held.holds.count == 20)
    let few = get("/v1/devices?limit=30&cursor=1990", &office).response.json
    #expect(few["devices"]?.elements?.count == 10 && few["next"] == .null)
    let tokens = get("/v1/tokens?kind=device&limit=1000", &office)
    let whole = office.simulator.world.tokens(
      .init(), from: .init(device: 0, skip: 0), limit: 1000, at: office.now.world)
    #expect(tokens.response.json["tokens"]?.elements?.count == 1000 && tokens.holds.count > 5)
    let all = get("/v1/tokens?limit=1000", &office).response.json
    #expect((all["tokens"]?.elements ?? []).compactMap { $0["token"]?.string } == whole.tokens.map(\.token))
    #expect(all["next"]?.string == whole.next.map { "\($0.device).\($0.skip)" })
  }

  @Test("a hold of the lock does an action on 200 devices, and one answer counts them all")
  func actions() {
    var office = Office(devices: 1_000)
    let order: JSONValue = ["do": "goOffline", "where": ["share": .double(0.5)]]
    let held = get("/v1/actions", &office, method: "POST", body: order)
    let done = held.response.json["done"]?.integer ?? 0
    #expect((400...600).contains(done) && held.holds.count >= 3)
    #expect(held.response.json["refused"] == 0 && held.response.json["next"] == .null)
    #expect(office.get("/v1/devices?online=false&limit=1000")["devices"]?.elements?.count == Int(done))
    let names = JSONValue.array((0..<300).map { .string("d\($0)") })
    let named = get("/v1/actions", &office, method: "POST", body: ["do": "reboot", "where": ["devices": names]])
    #expect(named.response.json["done"] == 300 && named.holds.count == 3)
  }

  @Test("a fault on all devices takes many holds of the lock, and is answered when it has reached the devices")
  func faults() {
    var office = Office(devices: 2_000)
    let fault: JSONValue = ["name": "f", "then": ["devices": ["do": "goOffline"]]]
    let held = get("/v1/faults", &office, method: "POST", body: fault)
    #expect(held.response.json["devices"] == 2000 && held.response.json["pending"] == 0)
    #expect(held.holds.count > 1)
    #expect(office.get("/v1/devices?online=true")["devices"]?.elements?.isEmpty ?? false)
    #expect(get("/v1/faults/f", &office, method: "DELETE").holds.count > 1)
    #expect(office.get("/v1/devices?online=false")["devices"]?.elements?.isEmpty ?? false)
  }

  @Test("A session is closed while a fault is on its way to devices, without waiting for it")
  func closingBesideFault() throws {
    var office = Office(devices: 2_000)
    office.simulator.world.waves.portion = Portion(looks: 5, orders: 5, events: 1_000)
    #expect(office.post("/v1/sessions", ["name": "s"]).json["name"] == "s")
    let fault = Fault("f", .devices(.goOffline, heal: .goOnline))
    try office.simulator.world.perform(.setFault(fault), at: office.now)
    #expect(office.simulator.world.hasWaves)
    let held = get("/v1/sessions/s/close", &office, method: "POST", body: [:])
    #expect(held.response.status == 200 && held.holds.count < 10 && office.simulator.world.hasWaves)
  }

  /// A desk that reads every expectation as one that no push satisfies.
  ///
  /// - Parameter reading: called for each expectation that it reads.
  private func strictDesk(_ reading: @escaping @Sendable () -> Void = {}) -> AdminService {
    AdminService(
      version: "1",
      readExpectation: { (_, place) throws(InputProblem) in
        reading()
        var filter = Filter()
        filter.status = 410
        return Simulation.Expectation(name: place, place: place, question: .pushes(Filter(), .all(filter)))
      })
  }

  private let expectations = JSONValue.array(Array(repeating: [:], count: 200))

  @Test("a hold of the lock evaluates some of the expectations about the ledger, and reading them needs no hold")
  func verify() {
    var office = office(pushes: 1_000)
    let (isHeld, readHeld) = (Held.Flag(), Held.Flag())
    office.desk = strictDesk { if isHeld.value { readHeld.value = true } }
    let wall = office.wall
    let simulator = Mutex(office.simulator)
    var (looks, holds, parts, most) = (0, 0, 1, 0)
    let body: JSONValue = ["expect": expectations]
    let request = AdminRequest(
      method: "POST", target: "/v1/verify", headers: Office.json, body: Array(body.text.utf8))
    let seen = Atomic(0)
    let look: AdminService.Look = { look in
      seen.add(1, ordering: .relaxed)
      simulator.withLock { look($0.readers) }
    }
    let hold: AdminService.Hold = { work in
      holds += 1
      isHeld.value = true
      simulator.withLock { _ = work(&$0, wall) }
      isHeld.value = false
    }
    var response = office.desk.answer(request, looking: look, holding: hold)
    while true {
      looks = seen.load(ordering: .relaxed)
      #expect(looks + holds - most <= 8, "part \(parts)")
      most = looks + holds
      guard let rest = response.rest else { break }
      parts += 1
      response = rest(look, hold)
    }
    #expect(response.json["passed"] == false && response.json["expectations"]?.elements?.count == 200)
    #expect(looks >= 1_000 * 200 / BatchSize.checks && holds >= 1_000 * 200 / BatchSize.checks && parts > 20)
    #expect(!readHeld.value, "the body is read before the simulator is locked")
    // Without readers of their own, the same is done with the lock.
    #expect(get("/v1/verify", &office, method: "POST", body: body).response.json == response.json)
  }

  @Test(
    "the expectations of a session are read without a hold of the lock",
    arguments: [("/v1/sessions", ["name": "t"]), ("/v1/sessions/s/expectations", [:])] as [(String, JSONValue)])
  func reading(target: String, order: JSONValue) {
    var office = Office()
    let (isHeld, readHeld) = (Held.Flag(), Held.Flag())
    #expect(office.post("/v1/sessions", ["name": "s", "devices": ["d3"]]).status == 201)
    let desk = strictDesk { if isHeld.value { readHeld.value = true } }
    let body = JSONValue.object(
      (order.members ?? []) + (order == [:] ? [] : [.init("devices", ["d4"])]) + [.init("expect", expectations)])
    let wall = office.wall
    let simulator = Mutex(office.simulator)
    var holds = 0
    let response = desk.answer(
      AdminRequest(
        method: order == [:] ? "PUT" : "POST", target: target, headers: Office.json, body: Array(body.text.utf8))
    ) { work in
      isHeld.value = true
      simulator.withLock { _ = work(&$0, wall) }
      isHeld.value = false
      holds += 1
    }
    #expect(response.json["expected"] == 200 && holds == 2)
    #expect(!readHeld.value)
  }

  @Test("a body that names 10,000 devices is read before the hold of the lock")
  func bodies() {
    let names = JSONValue.array((0..<10_000).map { .string("d\($0)") })
    let orders: [(target: String, body: JSONValue)] = [
      ("/v1/faults", ["name": "f", "when": ["devices": names], "then": ["answer": "BadTopic"]]),
      ("/v1/actions", ["do": "unlock", "where": ["devices": names]]),
      ("/v1/sessions", ["name": "s", "devices": names]),
    ]
    for order in orders {
      var office = Office(devices: 10_000)
      var changes: [Bool] = []
      let held = get(order.target, &office, method: "POST", body: order.body) { simulator in
        changes.append(
          !simulator.world.faults.active.isEmpty || simulator.world.fleet.touchedCount > 0
            || simulator.readers.sessions.hasOpen)
      }
      #expect([200, 201].contains(held.response.status), "\(order.target)")
      #expect(changes.first == false && changes.last == true, "\(order.target)")
    }
  }

  @Test("the files of a scenario are read without a hold of the lock")
  func files() {
    var office = Office()
    let files = JSONValue.object((0..<50_000).map { JSONValue.Member("f\($0)", "") })
    let held = get("/v1/scenarios", &office, method: "POST", body: ["text": "steps: []", "files": files])
    #expect(held.holds.reduce(0, +) * 10 < held.total, "\(held.holds) of \(held.total) ns")
  }

  @Test("a fault names at most 10,000 devices, like a session and an action")
  func devices() {
    var office = Office(devices: 10_001)
    for (count, status) in [(10_001, 422), (10_000, 200)] {
      let names = JSONValue.array((0..<count).map { .string("d\($0)") })
      let answer = office.post("/v1/faults", ["name": "f", "when": ["devices": names], "then": ["answer": "BadTopic"]])
      #expect(answer.status == status, "\(answer.text.prefix(200))")
    }
  }

  @Test("a body with 50,000 keys is rejected without a look at each: it has more keys than there are")
  func keys() {
    var office = Office()
    func body(_ key: (Int) -> String) -> JSONValue {
      .object((0..<50_000).map { JSONValue.Member(key($0), ["online": true]) })
    }
    let unknown = get("/v1/clock", &office, method: "POST", body: body { $0 == 0 ? "mode" : "k\($0)" })
    #expect(unknown.response.status == 422 && unknown.response.field == "k1")
    let repeated = get("/v1/clock", &office, method: "POST", body: body { _ in "mode" })
    #expect(repeated.response.error == "The body has a key more than once; it has 50000 keys.")
  }

  @Test("a hold of the lock evaluates some of the expectations of a session that is closed")
  func closing() {
    var office = Office(pushLog: 2_000)
    office.desk = strictDesk()
    #expect(office.post("/v1/sessions", ["name": "s", "devices": ["d3"], "expect": expectations]).status == 201)
    let token = office.token("d3")
    for number in 0..<500 { office.push(token, id: Self.id(number)) }
    _ = office.simulator.settle()
    let held = get("/v1/sessions/s/close", &office, method: "POST", body: [:])
    #expect(held.holds.count >= 500 * 200 / BatchSize.checks)
    #expect(held.response.json["passed"] == false && held.response.json["expectations"]?.elements?.count == 200)
    #expect(office.get("/v1/sessions/s") == held.response.json)
  }

  @Test("every hold of the lock is counted, with its duration")
  func times() {
    var holds = LockTimes()
    let times: [UInt64] = [50_000, 100_000, 100_001, 4_000_000, 70_000_000, 2_000_000_000]
    for time in times { holds.add(time) }
    var office = Office()
    office.simulator.holds = holds
    office.simulator.waits.add(3_000_000)
    let text = office.ask("GET", "/metrics").text
    #expect(text.contains("# TYPE pushpit_lock_seconds histogram\n"))
    #expect(text.contains("pushpit_lock_seconds_bucket{le=\"0.0001\"} 2\n"))
    #expect(text.contains("pushpit_lock_seconds_bucket{le=\"0.005\"} 4\n"))
    #expect(text.contains("pushpit_lock_seconds_bucket{le=\"1\"} 5\n"))
    #expect(text.contains("pushpit_lock_seconds_bucket{le=\"+Inf\"} 6\n"))
    #expect(text.contains("pushpit_lock_seconds_sum 2.074250001\npushpit_lock_seconds_count 6\n"))
    #expect(text.contains("pushpit_lock_longest_microseconds 2000000\n"))
    #expect(text.contains("pushpit_lock_wait_seconds_bucket{le=\"0.005\"} 1\n"))
    #expect(text.contains("pushpit_lock_wait_seconds_sum 0.003\npushpit_lock_wait_seconds_count 1\n"))
  }
}

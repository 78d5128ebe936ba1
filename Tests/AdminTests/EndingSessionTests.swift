import Grammar
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import WireFormats

@testable import Admin

/// Work that is counted, not timed.
@Suite("The end of a session with 1,000 expectations")
struct EndingSessionTests {
  /// A server without a wire. Its clients ask it while it is at work for others.
  private final class Server: Sendable {
    private let simulator: Mutex<Simulator>
    private let wall: Mutex<Instant>
    private let desk: AdminService
    private let held = Atomic(0)
    private let alarm = Alarm()

    private final class Alarm: Sendable {
      let due = Mutex<Instant?>(nil)
      func set(_ at: Instant) { due.withLock { $0 = at } }
    }

    /// - Parameter phone: the phone that the session names.
    init(pushes: Int, devices: UInt32 = 20, phone: String = "d3", hasFault: Bool = true) {
      var office = Office(devices: devices, pushLog: 2_000)
      let token = office.token(phone)
      wall = Mutex(office.wall)
      desk = AdminService(
        version: "1", sessionsDue: alarm.set,
        readExpectation: { (_, place) throws(InputProblem) in
          var filter = Filter()
          filter.status = 410
          return Simulation.Expectation(name: place, place: place, question: .pushes(Filter(), .all(filter)))
        })
      office.desk = desk
      let order: JSONValue = [
        "name": "s", "devices": [.string(phone)], "expires": "60s",
        "expect": .array(Array(repeating: [:], count: 1_000)),
      ]
      #expect(office.post("/v1/sessions", order).status == 201)
      let fault: JSONValue = ["name": "f", "session": "s", "then": ["devices": ["do": "goOffline"]]]
      if hasFault { #expect(office.post("/v1/faults", fault).status == 200) }
      for _ in 0..<pushes { office.push(token) }
      _ = office.simulator.settle()
      simulator = Mutex(office.simulator)
    }

    /// Lets the machine's time pass.
    func wait(_ time: Duration) { wall.withLock { $0 = $0.advanced(by: time) } }
    var now: Instant { wall.withLock { $0 } }
    /// Times at which sessions need attention.
    var due: Instant? { alarm.due.withLock { $0 } }

    func hold(_ work: (inout Simulator, Instant) -> [WorldEvent]) {
      held.add(1, ordering: .relaxed)
      let now = now
      simulator.withLock { _ = work(&$0, now) }
    }

    func look(_ body: (borrowing EventReaders) -> Void) { simulator.withLock { body($0.readers) } }

    /// The answer of the loop, and how often it held the lock for it.
    func ask(_ method: String, _ target: String, _ body: JSONValue? = nil) -> (response: AdminResponse, holds: Int) {
      let before = held.load(ordering: .relaxed)
      let request = AdminRequest(
        method: method, target: target, headers: Office.json, body: body.map { Array($0.text.utf8) } ?? [])
      let response = desk.answer(request, looking: look, holding: hold)
      return (response, held.load(ordering: .relaxed) - before)
    }

    /// The answer to a request for which the lock is held several times; something else is done after the first.
    func ask(_ method: String, _ target: String, _ body: JSONValue, whileAsking other: () -> Void) -> AdminResponse {
      let request = AdminRequest(method: method, target: target, headers: Office.json, body: Array(body.text.utf8))
      var holds = 0
      return desk.answer(request, looking: look) { work in
        hold(work)
        holds += 1
        if holds == 3 { other() }
      }
    }

    func get(_ target: String) -> JSONValue { ask("GET", target).response.json }

    /// Work of another thread for the client, in parts.
    func rest(of response: AdminResponse) -> AdminResponse {
      var response = response
      while let rest = response.rest {
        let before = held.load(ordering: .relaxed)
        response = rest(look, hold)
        #expect(held.load(ordering: .relaxed) - before <= 8)
      }
      return response
    }

    /// Work of another thread for no client.
    func end() {
      var parts = 0
      while true {
        let before = held.load(ordering: .relaxed)
        let isDone = AdminService.endSessions(tell: alarm.set, holding: hold)
        #expect(held.load(ordering: .relaxed) - before <= 8)
        if isDone { return #expect(parts > 1) }
        parts += 1
      }
    }

    /// State of a session: open or not, and all its expectations evaluated or not.
    var isOpen: Bool { self.get("/v1/sessions?open=true")["sessions"] != [] }
    var hasEnded: Bool { self.get("/v1/faults")["faults"] == [] && get("/v1/devices/d3")["online"] == true }
  }

  private func verdicts(_ session: JSONValue) -> Bool {
    session["open"] == false && session["passed"] == false && session["expectations"]?.elements?.count == 1_000
  }

  @Test("the end of a large session leaves the loop after some portions, and another thread returns all verdicts")
  func closing() {
    let server = Server(pushes: 20)
    let (response, holds) = server.ask("POST", "/v1/sessions/s/close", [:])
    #expect(response.rest != nil && holds <= 8 && !server.isOpen && !server.hasEnded)
    let closed = server.rest(of: response).json
    #expect(verdicts(closed) && server.hasEnded && server.get("/v1/sessions/s") == closed)
  }

  @Test("the end of a large session does not delay other clients")
  func bystanders() {
    let server = Server(pushes: 20)
    let (response, _) = server.ask("POST", "/v1/sessions/s/close", [:])
    for target in ["/health", "/v1/ready", "/v1/devices/d4", "/v1/pushes?limit=1", "/v1/sessions?open=true"] {
      let (response, holds) = server.ask("GET", target)
      #expect(response.status == 200 && response.rest == nil && holds == 1, "\(target)")
    }
    let (acted, holds) = server.ask("POST", "/v1/devices/d4/actions", ["do": "unlock"])
    #expect(acted.status == 200 && holds == 1)
    #expect(server.ask("POST", "/v1/sessions", ["name": "t", "devices": ["d4"]]).response.status == 201)
    #expect(!server.hasEnded && verdicts(server.rest(of: response).json))
  }

  @Test("a client that wants the verdicts or the phones of an ending session waits, and its faults remain until then")
  func waiting() {
    // Each of those that ask does some portions on the loop.
    let server = Server(pushes: 100)
    _ = server.ask("POST", "/v1/sessions/s/close", [:])
    let asked = [
      server.ask("GET", "/v1/sessions/s"), server.ask("GET", "/v1/sessions?open=false"),
      server.ask("POST", "/v1/sessions/s/close", [:]), server.ask("POST", "/v1/sessions", ["devices": ["d3"]]),
    ]
    #expect(asked.allSatisfy { $0.response.rest != nil && $0.holds <= 9 } && !server.hasEnded)
    let answers = asked.map { server.rest(of: $0.response) }
    #expect(verdicts(answers[0].json) && answers[2].json == answers[0].json)
    #expect(answers[1].json["sessions"] == [answers[0].json])
    #expect(answers[3].status == 201 && server.hasEnded)
  }

  @Test("the end of a large session completes although the client has gone away")
  func gone() {
    let server = Server(pushes: 20)
    let (response, _) = server.ask("POST", "/v1/sessions/s/close", [:])
    #expect(response.rest != nil && server.due == server.now)
    server.end()
    #expect(server.hasEnded && verdicts(server.get("/v1/sessions/s")))
  }

  @Test("the end of an expired session does not delay anybody, and nobody sees the session open")
  func expiring() {
    let server = Server(pushes: 20)
    server.wait(.seconds(61))
    let (response, holds) = server.ask("GET", "/health")
    #expect(response.status == 200 && response.rest == nil && holds == 2)
    #expect(!server.isOpen && !server.hasEnded && server.due == server.now)
    let order: JSONValue = ["name": "t", "devices": ["d4"], "expires": "1h"]
    #expect(server.ask("POST", "/v1/sessions", order).response.status == 201)
    #expect(server.due == server.now, "the end of the other session is not forgotten")
    server.end()
    #expect(server.hasEnded && verdicts(server.get("/v1/sessions/s")))
    #expect(server.due == server.now.advanced(by: .seconds(3_600)))
  }

  @Test("the end of a session may be given up: a deleted session leaves nothing behind, and its name is free")
  func deleted() {
    let server = Server(pushes: 20)
    _ = server.ask("POST", "/v1/sessions/s/close", [:])
    #expect(server.ask("DELETE", "/v1/sessions/s").response.status == 200 && server.hasEnded)
    #expect(server.ask("POST", "/v1/sessions", ["name": "s", "devices": ["d3"]]).response.status == 201)
    let fault: JSONValue = ["name": "g", "session": "s", "then": ["devices": ["do": "goOffline"]]]
    #expect(server.ask("POST", "/v1/faults", fault).response.status == 200)
    let isDone = AdminService.endSessions(tell: { _ in }, holding: server.hold)
    #expect(isDone)
    #expect(server.get("/v1/faults")["faults"]?.elements?.count == 1)
  }

  @Test("a session that names a phone of an ending session waits, and a claim chooses another phone if there is one")
  func phones() {
    for hasFault in [true, false] {
      let server = Server(pushes: 100, hasFault: hasFault)
      _ = server.ask("POST", "/v1/sessions/s/close", [:])
      let named = server.ask("POST", "/v1/sessions", ["name": "named", "devices": ["d3", "d19"]]).response
      #expect(named.rest != nil)
      let claimed = server.ask("POST", "/v1/sessions", ["claim": ["count": 18]]).response
      #expect(claimed.status == 201 && claimed.json["devices"]?.elements?.contains("d3") == false)
      // One is left, and the one that is not free yet.
      let late = server.ask("POST", "/v1/sessions", ["name": "late", "claim": ["count": 2]]).response
      #expect(late.rest != nil && server.get("/v1/sessions?open=false&limit=1")["sessions"] == nil)
      let answer = server.rest(of: late)
      #expect(answer.status == 201 && answer.json["devices"] == ["d3", "d19"])
      #expect(verdicts(server.get("/v1/sessions/s")) && server.rest(of: named).status == 409)
    }
  }

  @Test("the end of a session that begins while another session looks for phones keeps its phones")
  func claiming() {
    // Its fault would take the phone offline, and a claim would not choose it.
    let server = Server(pushes: 100, devices: 200, phone: "d120", hasFault: false)
    let claimed = server.ask("POST", "/v1/sessions", ["name": "t", "claim": ["count": 150]]) {
      #expect(server.get("/v1/sessions/t")["code"] == "not_found", "it is looking for phones")
      #expect(server.ask("POST", "/v1/sessions/s/close", [:]).response.rest != nil)
    }
    let phones = claimed.json["devices"]?.elements?.compactMap(\.string) ?? []
    #expect(claimed.status == 201 && phones.count == 150 && phones.last == "d150" && !phones.contains("d120"))
    #expect(server.ask("GET", "/v1/sessions/s").response.rest != nil, "it has not ended")
  }

  @Test(
    "the end of a session does not return the verdicts of another session that has got the name meanwhile",
    arguments: ["DELETE", "POST"])
  func namesakes(method: String) {
    let server = Server(pushes: 100)
    let asked = [
      server.ask("POST", "/v1/sessions/s/close", [:]), server.ask("POST", "/v1/sessions/s/close", [:]),
      server.ask("GET", "/v1/sessions/s"),
    ]
    #expect(asked.allSatisfy { $0.response.rest != nil })
    if method == "DELETE" {
      #expect(server.ask(method, "/v1/sessions/s").response.status == 200)
    } else {
      let reset = server.ask(method, "/v1/reset", ["everything": true]).response
      #expect(reset.apart?({ true }, server.hold).status == 200)
    }
    #expect(server.ask("POST", "/v1/sessions", ["name": "s", "devices": ["d4"]]).response.status == 201)
    for answer in asked.map({ server.rest(of: $0.response) }) {
      #expect(answer.status == 404 && answer.json["code"] == "not_found", "\(answer.text)")
    }
    #expect(server.isOpen)
  }

  @Test("the error of a stopping server does not claim that nothing was changed")
  func stopping() {
    let server = Server(pushes: 100)
    #expect(server.ask("POST", "/v1/sessions/s/close", [:]).response.rest != nil && !server.isOpen)
    #expect(
      AdminProblem.stopping.response.json == [
        "error": "The server is stopping; it has not finished this.", "code": "unavailable",
      ])
  }
}

import Grammar
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import WireFormats

@testable import Admin

/// Work that is counted, not timed.
@Suite("Moving a scenario of many moments")
struct MovingScenarioTests {
  /// A server without a wire, with a scenario that has begun.
  private final class Server: Sendable {
    private let simulator: Mutex<Simulator>
    private let wall: Instant
    private let desk: AdminService

    init(moments: Int) {
      let office = Office()
      let plan = office.simulator.world.fleet.plan
      desk = AdminService(
        version: "1",
        readScenario: { (order) throws(InputProblem) in
          var scenario = Scenario(name: order.name, file: order.name, plan: plan, length: .seconds(60))
          scenario.steps = (0..<moments).map { number in
            Scenario.Step(place: "\(number)", first: .zero, words: "", action: ClockStep(.zero))
          }
          return ScenarioDirector(scenario, pace: .live, provider: VirtualProvider(plan))
        })
      simulator = Mutex(office.simulator)
      wall = office.wall
      let opened = whole(of: ask("POST", "/v1/scenarios", ["text": ""]))
      #expect(opened.status == 201)
    }

    private func hold(_ work: (inout Simulator, Instant) -> [WorldEvent]) {
      simulator.withLock { _ = work(&$0, wall) }
    }

    private func look(_ body: (borrowing EventReaders) -> Void) { simulator.withLock { body($0.readers) } }

    /// The answer of the loop.
    func ask(_ method: String, _ target: String, _ body: JSONValue? = nil) -> AdminResponse {
      let request = AdminRequest(
        method: method, target: target, headers: Office.json, body: body.map { Array($0.text.utf8) } ?? [])
      return desk.answer(request, looking: look, holding: hold)
    }

    func move() -> AdminResponse { ask("POST", "/v1/scenarios/1/move", ["to": "10s"]) }

    /// The answer when other threads have done the rest.
    func whole(of response: AdminResponse) -> AdminResponse {
      var response = response
      if let work = response.apart { response = work({ true }, hold) }
      while let rest = response.rest { response = rest(look, hold) }
      return response
    }
  }

  @Test("a long move of a scenario leaves the loop after some portions, and does not delay other requests")
  func bystanders() {
    let server = Server(moments: 40)
    let moving = server.move()
    #expect(moving.rest != nil)
    for target in ["/health", "/v1/ready", "/v1/devices/d4", "/v1/scenarios/1"] {
      #expect(server.ask("GET", target).status == 200, "\(target)")
    }
    let moved = server.whole(of: moving).json
    #expect(moved["passed"] == "10s" && moved["due"] == .null)
  }

  @Test("a long move of a scenario ends with the scenario, whoever ends it")
  func ended() {
    for (method, target, body) in [
      ("DELETE", "/v1/scenarios/1", nil), ("POST", "/v1/reset", ["everything": true]),
      ("POST", "/v1/scenarios", ["text": ""]),
    ] as [(String, String, JSONValue?)] {
      let server = Server(moments: 40)
      let moving = server.move()
      #expect(moving.rest != nil)
      #expect([200, 201].contains(server.whole(of: server.ask(method, target, body)).status), "\(target)")
      #expect(server.whole(of: moving).status == 404, "\(method) \(target)")
    }
  }

  @Test("a long move of a scenario may be done by two clients at once: each moment is performed once")
  func two() {
    let server = Server(moments: 40)
    let (one, two) = (server.move(), server.move())
    #expect(one.rest != nil && two.rest != nil)
    for response in [server.whole(of: two), server.whole(of: one)] {
      #expect(response.status == 200 && response.json["passed"] == "10s")
    }
    #expect(server.ask("GET", "/v1/scenarios/1").json["over"] == false)
  }
}

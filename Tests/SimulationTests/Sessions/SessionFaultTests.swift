import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline

@Suite("Faults of a session")
struct SessionFaultTests {
  private static func busy(_ reason: RejectionReason = .tooManyRequests) -> Fault {
    Fault("busy", .push(.refuse(reason, retryAfter: nil, age: nil)))
  }

  @Test("two sessions have faults with the same name, and each matches only its own pushes")
  func apart() throws {
    var stage = SessionStage()
    try stage.open("a", keys: [0])
    try stage.open("b", keys: [1], topics: [SessionStage.app])
    try stage.set(Self.busy(), for: "a")
    try stage.set(Self.busy(.serviceUnavailable), for: "b")
    #expect(try stage.push(0, key: 0).reason == .tooManyRequests)
    #expect(try stage.push(0, key: 1).reason == .serviceUnavailable)
    #expect(try stage.push(0, key: 1, app: 1).status == 200)
    #expect(try stage.push(0, key: 2).status == 200)
    #expect(try stage.session("a").pushLog.push(number: 1)?.fault == "busy")
    try stage.simulator.world.perform(.deleteFault(Fault.name("busy", of: "a")), at: stage.now)
    #expect(try stage.push(0, key: 0).status == 200)
    #expect(try stage.push(0, key: 1).reason == .serviceUnavailable)
  }

  @Test("setting one again replaces it; a global one matches all; healing one session leaves the others")
  func healing() throws {
    var stage = SessionStage()
    try stage.open("a", devices: [0, 1])
    try stage.open("b", devices: [2])
    try stage.set(Self.busy(), for: "a")
    try stage.set(Self.busy(.internalServerError), for: "a")
    try stage.set(Self.busy(), for: "b")
    try stage.simulator.world.perform(.setFault(Self.busy(.shutdown)), at: stage.now)
    #expect(stage.simulator.world.faults.active.count == 3)
    #expect(try stage.push(0).reason == .internalServerError)
    #expect(try stage.push(5).reason == .shutdown)
    try stage.simulator.world.perform(.deleteFaults(of: "a"), at: stage.now)
    #expect(try stage.push(0).reason == .shutdown)
    #expect(try stage.push(2).reason == .tooManyRequests)
    try stage.simulator.world.perform(.deleteAllFaults, at: stage.now)
    #expect(try stage.push(2).status == 200)
  }

  @Test("a fault of devices applies to the session's devices, and is removed with it; without devices it is refused")
  func devices() throws {
    var stage = SessionStage()
    try stage.open("a", devices: [0, 1])
    try stage.open("b", keys: [0], devices: [2])
    try stage.set(Fault("away", .devices(.goOffline, heal: .goOnline)), for: "a")
    func isOnline(_ device: UInt32) -> Bool { stage.simulator.world.fleet.isOnline(DeviceID(device)) }
    #expect(!isOnline(0) && !isOnline(1) && isOnline(2))
    try stage.simulator.world.perform(.deleteFaults(of: "b"), at: stage.now)
    #expect(!isOnline(0))
    try stage.simulator.world.perform(.deleteFaults(of: "a"), at: stage.now)
    #expect(isOnline(0) && isOnline(1))
    var foreign = Self.busy()
    foreign.condition.filter.devices = [DeviceID(7)]
    #expect(throws: CommandProblem.self) { try stage.set(foreign, for: "a") }
  }

  @Test("a listener is shared by all, and a session without devices cannot have a fault on devices")
  func notPossible() throws {
    var stage = SessionStage()
    try stage.open("a", keys: [0])
    #expect(throws: CommandProblem.self) { try stage.set(Fault("l", .listener(.refuse)), for: "a") }
    #expect(throws: CommandProblem.self) {
      try stage.set(Fault("d", .devices(.goOffline, heal: .goOnline)), for: "a")
    }
    _ = try stage.close("a")
    #expect(throws: CommandProblem.self) { try stage.set(Self.busy(), for: "a") }
  }

  @Test("a sticky connection fault matches the session's pushes on it, and ends with the session")
  func sticky() throws {
    var stage = SessionStage()
    try stage.open("a", devices: [0])
    try stage.set(Fault("all", .connection(.rejectAll(.internalServerError))), for: "a")
    #expect(try stage.push(0).reason == .internalServerError)
    #expect(try stage.push(1).status == 200)
    #expect(try stage.push(0).reason == .internalServerError)
    try stage.simulator.world.perform(.deleteFaults(of: "a"), at: stage.now)
    #expect(try stage.push(0).status == 200)
  }

  @Test("a connection that a session's fault froze is released when the session is healed, and no other")
  func frozen() throws {
    var stage = SessionStage()
    try stage.open("a", keys: [0])
    try stage.open("b", keys: [1])
    var opening = Fault("o", .connection(.abort))
    opening.condition.trigger = .opening
    #expect(throws: CommandProblem.self) { try stage.set(opening, for: "a") }
    #expect(throws: CommandProblem.self) { try stage.set(Fault("r", .reports(.lose)), for: "a") }
    for name in ["a", "b"] { try stage.set(Fault("ice", .connection(.freeze(answersPings: true))), for: name) }
    try stage.push(0, key: 0)
    try stage.push(0, key: 1)
    try stage.simulator.world.perform(.deleteFaults(of: "a"), at: stage.now)
    stage.settle()
    let thawed = stage.latest.compactMap { event -> ProviderConnectionID? in
      if case .wire(let connection, .thaw) = event { connection } else { nil }
    }
    #expect(thawed == [SessionStage.connection(0)])
  }
}

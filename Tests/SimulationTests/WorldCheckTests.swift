import APNs
import Testing
import Timeline
import WireFormats

@testable import Devices
@testable import Simulation

@Suite("Checks at the boundary of the world")
struct WorldCheckTests {
  /// Something that is wrong, and a part of the sentence that says so.
  private struct Damage {
    let sentence: String
    let make: @Sendable (inout World) -> Void

    init(_ sentence: String, _ make: @escaping @Sendable (inout World) -> Void) {
      self.sentence = sentence
      self.make = make
    }
  }

  private static let device = DeviceID(0)
  private static let address = Address(device: device, app: 0, slot: .app, generation: 0)
  private static let now = Stage.began
  private static let push = ArrivingPush(
    number: 1, request: HTTPRequest("POST", "/", fields: [], body: []), priority: .immediate,
    type: .alert)
  private static let channel = Subscriptions.ChannelKey(
    home: ChannelOwner(.sandbox, Stage.app), id: "c")

  private static let slow = SlowReadingFault(bytesPerSecond: 5)

  private static func fault(_ name: String) -> Fault { Fault(name, .connection(ConnectionFault(slow))) }

  private static func change(_ world: inout World, _ change: (inout ConnectionFaultState) -> Void) {
    guard let place = world.connections.index(of: Stage.sandbox) else { return }
    world.connections[place].changeFaults(change)
  }

  private static let damages: [Damage] = [
    Damage("changed by the fault nobody, which is not set") { change(&$0) { _ = $0.begin(slow, of: fault("nobody")) } },
    Damage("changed by the fault old, which was over at") { change(&$0) { _ = $0.begin(slow, of: fault("old")) } },
    Damage("changed by the fault slow, whose end is not scheduled") {
      change(&$0) {
        _ = $0.begin(slow, of: fault("slow"))
        $0.schedule(ending: 99, of: fault("slow"))
      }
    },
    Damage("The idle time of connection 1 is kept for nothing") {
      change(&$0) { $0.idle = .init(since: now) }
    },
    Damage("The fault old is in force after") { $0.faults.setApplied("old", true) },
    Damage("is not scheduled: command") { world in
      guard let place = world.connections.index(of: Stage.sandbox) else { return }
      _ = world.connections.delay(.command(.thaw), at: place)
    },
    Damage("1 delayed commands wait, counted 0") {
      change(&$0) { $0.delayed.add(.command(.thaw), number: 99) }
    },
    Damage("of the memory budget is charged 7") { _ = $0.deviceState.memory.charge(7, to: 0) },
    Damage("Call 1 of d0 waits, and is not scheduled") { world in
      guard let call = try? EventSamples.call() else { return }
      _ = world.deviceState.reports.begin(call, AppContext(app: 0, device: device, now: now))
    },
    Damage("is online, and 1 pushes wait for it") {
      _ = $0.deviceState.store.keep(push, for: address, at: now)
    },
    Damage("A stored push of d0 expired at") {
      let old = ArrivingPush(
        number: 1, request: push.request, priority: .immediate, type: .alert, expiration: now.advanced(by: .seconds(-5))
      )
      _ = $0.deviceState.store.keep(old, for: address, at: now.advanced(by: .seconds(-9)))
    },
    Damage("Stored pushes of d0 are looked at at") {
      _ = $0.deviceState.store.keep(push, for: address, at: now)
    },
    Damage("1 entries of the schedule are obsolete, counted 0") {
      $0.deviceState.schedule.add(.wire(Stage.sandbox, 9), due: now.advanced(by: .seconds(1)))
    },
    Damage("Push 1 on the way never arrives") {
      _ = $0.deviceState.underway.add(.push(push, address), isOvertaken: false)
    },
    Damage("is online, and messages wait for it") {
      $0.deviceState.subscriptions.miss(.init(channel: channel, push: 1, until: now), on: device)
    },
    Damage("Activity 9 on d0 is over and subscribes to a channel") {
      $0.deviceState.subscriptions.add(.init(device: device, app: 0, activity: 9), to: channel)
    },
    Damage("A revert is at 2 of 1 devices") { world in
      _ = world.waves.append(.revert([device], .goOnline), at: now)
      world.waves.move(0, to: 2)
    },
    Damage("Connection 9 is accepted by a certificate that is revoked") { world in
      world.connectionOpened(
        ProviderConnectionID(9), to: .sandbox, peer: "", certificate: .good,
        at: Now(world: now, wall: now))
      _ = world.suspendedCertificates.set("", isSuspended: true)
    },
    Damage("bytes and holds") { world in
      world.deviceState.fleet.change(device) { phone in
        var turn = PhoneTurn(model, at: now)
        let order = ActivityUpdateRequest(content: ["n": "a content that nobody has charged"])
        _ = phone.update(0, app: 0, with: order, &turn)
      }
    },
    Damage("bytes, counted 0") { world in
      world.deviceState.fleet.change(device) { phone in
        let order = ActivityUpdateRequest(content: ["n": "a content that its phone has not counted"])
        phone.installs[0].changeActivity(0) { _ = $0.apply(order, spacing: 0, at: now) }
      }
    },
  ]

  private static let model = Stage().world.fleet.model

  /// A world with two faults: one is over, and is kept.
  private static func world() throws -> Stage {
    var stage = Stage(at: now.advanced(by: .seconds(-60)))
    var old = Fault("old", .prompts(PromptFault(answer: .deny)))
    old.until = now.advanced(by: .seconds(-30))
    try stage.world.perform(.setFault(old), at: stage.now)
    try stage.world.perform(
      .setFault(Fault("slow", .connection(.readsSlowly(bytesPerSecond: 9)))), at: stage.now)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    stage.advance(by: .seconds(60))
    return stage
  }

  @Test("find nothing in a world as it should be, and each thing that is not as it should be")
  func finds() throws {
    let stage = try Self.world()
    #expect(stage.world.problems(at: Self.now) == [])
    for damage in Self.damages {
      var world = stage.world
      damage.make(&world)
      let problems = world.problems(at: Self.now)
      #expect(problems.contains { $0.contains(damage.sentence) }, "\(damage.sentence): \(problems)")
    }
  }

  @Test("end the program with the rule and the values, however the world is called")
  func end() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var stage = Stage()
      Self.change(&stage.world) { _ = $0.begin(Self.slow, of: Self.fault("nobody")) }
      for number: UInt64 in 0..<100 {
        stage.world.connectionClosed(ProviderConnectionID(1000 + number), at: stage.now)
      }
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      said.contains("A check of Pushpit itself has failed (seed 1). Connection 1 is changed by the fault nobody"),
      "\(said)")
  }

  @Test("end the program when a filter is matched whose user is not resolved")
  func user() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var filter = Filter()
      filter.user = UserID("u4")
      _ = Matcher(filter)
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(said.contains("A check of Pushpit itself has failed. No fleet has resolved u4"), "\(said)")
  }

  @Test("end the program when a push was examined by other rules than the world's")
  func verdict() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var stage = Stage()
      var rulebook = Rulebook()
      rulebook.strictHeaders = true
      var other = Stage(rulebook: rulebook)
      let token = try stage.token()
      for _ in 0..<2 {
        _ = try other.push(token)
        _ = try stage.push(token)
      }
      var provider = try #require(other.world.provider(of: Stage.sandbox))
      let request = HTTPRequest(
        "POST", "/3/device/" + token,
        fields: [
          (name: "apns-topic", value: Stage.app), (name: "apns-push-type", value: "background"),
          (name: "authorization", value: Stage.authorization),
        ], body: Array(#"{"aps":{}}"#.utf8))
      let checked = try #require(
        other.world.rules.check(request, on: &provider, stage.world.fleet.sealed, at: stage.now.wall))
      _ = stage.world.receive(checked, nil, on: StreamID(Stage.sandbox, 9_001), at: stage.now)
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      said.contains("The verdict before the lock is the world's own: it is BadPriority"),
      "\(said)")
  }
}

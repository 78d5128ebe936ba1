import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport
@testable import Pushpit

@Suite("A gateway with a fault or a broadcast that reaches many devices")
struct WaveServingTests {
  @Test("a gateway serves pushes between the portions of a fault, and brings it to all devices by its alarm")
  func serving() throws {
    let simulator = Simulator(world: try Club(devices: 3_000).world, clock: WorldClock(), pushLogCapacity: 10)
    let gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { _ in }
    gateway.work { simulator, wall in
      _ = try? simulator.world.perform(
        .setFault(Fault("wave", .devices(.goOffline, heal: .goOnline))), at: simulator.now(wall: wall))
      return ((), simulator.settle())
    }
    func ahead() -> Int {
      gateway.work { simulator, _ in
        (simulator.world.faults["wave"].map { simulator.world.devicesAhead(of: $0) } ?? 0, [])
      }
    }
    let first = ahead()
    #expect(first > 0 && ahead() == first, "whoever works here does not do the fault's work")
    var turns = 0
    while ahead() > 0, turns < 100 {
      gateway.advance()
      turns += 1
    }
    #expect(turns < 100 && turns > 1)
    let offline = gateway.work { simulator, _ in
      ((0..<3_000 as Range<UInt32>).count { !simulator.world.fleet.isOnline(DeviceID($0)) }, [])
    }
    #expect(offline == 3_000)
  }

  private static let devices: UInt32 = 60
  private static let channels = ProviderConnectionID(900)
  private static let provider = ProviderConnectionID(901)

  private static let authorization: (name: String, value: String) = {
    let parts = [
      #"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":\#(SystemClock.now.seconds - 60)}"#,
      String(repeating: "s", count: 64),
    ]
    return ("authorization", "bearer " + parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "."))
  }()

  /// A phone subscribes to a channel of the first app on each device; gives the id of the channel.
  private static func subscribe(_ world: inout World, _ bundleID: String, at now: Now) -> String {
    world.connectionOpened(channels, to: .sandbox, peer: "m", managesChannels: true, at: now)
    world.connectionOpened(provider, to: .sandbox, peer: "p", at: now)
    let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    world.receive(
      HTTPRequest("POST", "/1/apps/\(bundleID)/channels", fields: [authorization], body: Array(body.utf8)),
      on: StreamID(channels, 1), at: now)
    var (events, id): ([WorldEvent], String) = ([], "")
    world.takeEvents(into: &events)
    for case .channels(let record) in events { id = record.answer.channelID?.text ?? "" }
    var request = StartActivity(app: bundleID)
    request.order.updates = .channel(id)
    for device in 0..<devices { _ = try? world.perform(.device(DeviceID(device), .start(request)), at: now) }
    return id
  }

  @Test("a gateway serves pushes between the portions of a broadcast, and brings it to all phones by its alarm")
  func broadcast() throws {
    let club = try Club(devices: Self.devices)
    let bundleID = club.bundleID
    let token = try #require(club.world.fleet.token(DeviceID(0), app: 0, slot: .app)).text
    let gateway = Gateway(
      Simulator(world: club.world, clock: WorldClock(), pushLogCapacity: 10), authorisedStreams: 1000,
      announcesStreams: false
    ) { _ in }
    let subscribers = gateway.work { simulator, wall in
      simulator.world.waves.portion = Portion(looks: 100, orders: 100, events: 10)
      let now = simulator.now(wall: wall)
      let channel = Self.subscribe(&simulator.world, bundleID, at: now)
      let before = simulator.settle()
      let fields = [
        Self.authorization, (name: "apns-channel-id", value: channel), (name: "apns-expiration", value: "0"),
        (name: "apns-priority", value: "10"), (name: "apns-push-type", value: "liveactivity"),
      ]
      let body = #"{"aps":{"timestamp":\#(now.world.seconds + 1),"event":"end"}}"#
      simulator.world.receive(
        HTTPRequest("POST", "/4/broadcasts/apps/" + bundleID, fields: fields, body: Array(body.utf8)),
        on: StreamID(Self.provider, 1), at: now)
      let events = simulator.settle()
      let counts = events.compactMap { if case .channels(let record) = $0 { record.subscribers } else { nil } }
      return (counts, before + events)
    }
    #expect(subscribers == [Int(Self.devices)])
    func left() -> Int {
      gateway.work { simulator, wall in
        let now = simulator.now(wall: wall).world
        return (
          (0..<Self.devices).count { number in
            simulator.world.device(DeviceID(number), at: now)?.apps[0].activities.contains { !$0.isOver } ?? false
          }, []
        )
      }
    }
    var (turns, before) = (0, left())
    #expect(before > 40)
    while before > 0, turns < 100 {
      let status = gateway.work { simulator, wall in
        let fields = [Self.authorization, (name: "apns-topic", value: bundleID)]
        simulator.world.receive(
          HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(#"{"aps":{"alert":"x"}}"#.utf8)),
          on: StreamID(Self.provider, Int32(3 + 2 * turns)), at: simulator.now(wall: wall))
        let events = simulator.settle()
        return (events.compactMap { if case .push(let record) = $0 { record.answer.status } else { nil } }, events)
      }
      #expect(status == [200] && left() == before, "a push does not wait for the broadcast")
      gateway.advance()
      before = left()
      turns += 1
    }
    #expect(turns > 3 && turns < 100)
  }
}

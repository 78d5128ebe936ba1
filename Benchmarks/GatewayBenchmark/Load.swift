import APNs
import Devices
import Foundation
import HTTP2
import Pushpit
import Simulation
import Synchronization
import Timeline
import Transport
import WireFormats

/// A gateway with phones on which an activity runs, and one update for each of them, parted among threads.
final class Load: Sendable {
  private static let team = "PUSHPIT001"
  private static let app = "com.example.app"

  private let gateway: Gateway
  /// By thread, then batch by batch.
  private let requests: [[[IncomingRequest]]]
  private let answered = Atomic<Int>(0)
  private let wanted: Int

  init(pushes: Int, threads: Int, batch: Int) {
    let now = Instant(seconds: Int64(Date().timeIntervalSince1970))
    let profile = AppProfile(
      bundleID: Self.app, teamID: Self.team, types: [AttributesType("MatchAttributes")], runningActivities: 1)
    let key = ProviderKey(keyID: "KEY0000001", teamID: Self.team, environments: [.sandbox, .production])
    var budget = BudgetPlan()
    budget.update.standardCapacity = 1_000_000
    let world = World(
      FleetPlan(
        devices: UInt32(pushes), seed: 1, apps: [profile], mix: [.init(OSVersion(26, 1), parts: 1)], phones: .ideal,
        budget: budget),
      rulebook: Rulebook(), keyRing: KeyRing(keys: [key], apps: [(Self.app, Self.team)]) { _, _, _ in true }, at: now)
    requests = Self.requests(world, pushes, threads, batch, now)
    wanted = pushes / threads * threads
    gateway = Gateway(
      Simulator(world: world, clock: WorldClock(), pushLogCapacity: 10_000), authorisedStreams: 1000,
      announcesStreams: false
    ) { _ in }
  }

  var isAnswered: Bool { answered.load(ordering: .relaxed) == wanted }

  private static func requests(
    _ world: World, _ pushes: Int, _ threads: Int, _ batch: Int, _ now: Instant
  ) -> [[[IncomingRequest]]] {
    let parts = [
      #"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"\#(team)","iat":\#(now.seconds - 10)}"#,
      String(repeating: "s", count: 64),
    ]
    let fields = [
      (name: "apns-topic", value: app + ".push-type.liveactivity"), (name: "apns-push-type", value: "liveactivity"),
      (name: "apns-priority", value: "10"),
      (name: "authorization", value: "bearer " + parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")),
    ]
    let text = String(repeating: "x", count: 480)
    let body = Array(
      #"{"aps":{"timestamp":\#(now.seconds + 60),"event":"update","content-state":{"minute":61,"text":"\#(text)"}}}"#
        .utf8)
    let share = pushes / threads
    return (0..<threads).map { thread in
      let list = (0..<share).map { number in
        let device = DeviceID(UInt32(thread * share + number))
        let token = world.fleet.token(device, app: 0, slot: .update(activity: 0))?.text ?? ""
        return IncomingRequest(
          stream: Int32(2 * number + 1), request: HTTPRequest("POST", "/3/device/" + token, fields: fields, body: body))
      }
      return stride(from: 0, to: list.count, by: batch).map { Array(list[$0..<min($0 + batch, list.count)]) }
    }
  }

  /// Sends all of a thread's pushes, on a connection of its own.
  func send(from thread: Int) {
    let id = ConnectionID(loop: thread, number: 1)
    var effects = Effects()
    let setup = gateway.opened(
      ConnectionInfo(
        id: id, listener: 0, peer: "benchmark",
        tls: TLSInfo(version: "TLSv1.3", alpn: .h2, clientCertificate: nil)), into: &effects)
    var count = 0
    for batch in requests[thread] {
      var effects = Effects()
      _ = gateway.received(batch, on: id, token: setup.token, state: setup.state, into: &effects)
      for case .respond(_, let response) in effects.list where response.status == 200 { count += 1 }
    }
    answered.add(count, ordering: .relaxed)
  }
}

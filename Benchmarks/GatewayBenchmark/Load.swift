import APNs
import Devices
import Foundation
import HTTP2
import Pushpit
import Scenarios
import Simulation
import Synchronization
import Timeline
import Transport
import WireFormats

/// A gateway with phones on which an activity runs, and updates for each of them, divided among threads.
final class Load: Sendable {
  private static let team = "PUSHPIT001"
  private static let app = "com.example.app"

  private let gateway: Gateway
  /// By thread and turn, then batch by batch.
  private let requests: [[[[IncomingRequest]]]]
  private let answered = Atomic<Int>(0)
  private let wanted: Int

  init(pushes: Int, phones: Int, threads: Int, batch: Int) {
    let now = Instant(seconds: Int64(Date().timeIntervalSince1970))
    let profile = AppProfile(
      bundleID: Self.app, teamID: Self.team, types: [AttributesType("MatchAttributes")], runningActivities: 1)
    let key = ProviderKey(keyID: "KEY0000001", teamID: Self.team, environments: [.sandbox, .production])
    var budget = BudgetPlan()
    budget.update.standardCapacity = 1_000_000
    var rulebook = Rulebook()
    rulebook.updateTokenRate = nil
    var plan = FleetPlan(
      devices: UInt32(phones), seed: 1, apps: [profile], mix: [.init(OSVersion(26, 1), parts: 1)], phones: .ideal)
    plan.budget = budget
    let world = World(
      plan, rulebook: rulebook, keyRing: KeyRing(keys: [key], apps: [(Self.app, Self.team)]) { _, _, _ in true },
      at: now)
    let turns = 1 + pushes / phones
    requests = (0..<threads).map { thread in
      (0..<turns).map { turn in
        let share = phones / threads
        return Self.requests(world, thread * share..<(thread + 1) * share, turn, now, batch: batch)
      }
    }
    wanted = turns * (phones / threads) * threads
    gateway = Gateway(
      Simulator(world: world, clock: WorldClock(), pushLogCapacity: 10_000), authorisedStreams: 1000,
      announcesStreams: false
    ) { _ in }
  }

  /// Seconds for which pushes waited for the lock, all threads together.
  var waited: Double { Double(gateway.waits.nanoseconds) / 1e9 }

  var isAnswered: Bool { answered.load(ordering: .relaxed) == wanted }

  /// An update for each of these phones, all with one payload.
  private static func requests(
    _ world: World, _ phones: Range<Int>, _ turn: Int, _ now: Instant, batch: Int
  ) -> [[IncomingRequest]] {
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
    let time = now.seconds + Int64(turn)
    let body = Array(
      #"{"aps":{"timestamp":\#(time),"event":"update","content-state":{"minute":61,"text":"\#(text)"}}}"#.utf8)
    let list = phones.map { number in
      let token = world.fleet.token(DeviceID(UInt32(number)), app: 0, slot: .update(activity: 0))?.text ?? ""
      return IncomingRequest(
        stream: Int32(2 * (turn * phones.count + number - phones.lowerBound) + 1),
        request: HTTPRequest("POST", "/3/device/" + token, fields: fields, body: body))
    }
    return stride(from: 0, to: list.count, by: batch).map { Array(list[$0..<min($0 + batch, list.count)]) }
  }

  /// Sends all of a thread's pushes, on a connection of its own.
  ///
  /// - Parameters:
  ///   - others: steps of other work after each batch, for each push of it.
  ///   - wait: called after the first update of each phone. Connections last, and only their first pushes are examined
  ///     under the lock; and the first push to a phone costs more than all others.
  func send(from thread: Int, others: Int, _ wait: () -> Void) {
    let id = ConnectionID(loop: thread, number: 1)
    var effects = Effects()
    let setup = gateway.opened(
      ConnectionInfo(
        id: id, listener: 0, peer: "benchmark",
        tls: TLSInfo(version: "TLSv1.3", alpn: .h2, clientCertificate: nil)), into: &effects)
    var count = 0
    for (turn, batches) in requests[thread].enumerated() {
      if turn == 1 { wait() }
      for batch in batches {
        var effects = Effects()
        _ = gateway.received(batch, on: id, token: setup.token, state: setup.state, into: &effects)
        for case .respond(_, let response) in effects.list where response.status == 200 { count += 1 }
        if others > 0, compute(others * batch.count) == 0 { print("never") }
      }
    }
    answered.add(count, ordering: .relaxed)
  }
}

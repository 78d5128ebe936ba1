import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A random day in lines of text: its events, what sessions make of it, and its tape. Equal lines, equal days.
struct ToldDay {
  /// The additions to the calls of the day.
  struct Setting: OptionSet, CustomStringConvertible {
    let rawValue: Int

    /// Faults of every kind that a world has; where there are sessions, each has one of its own, too.
    static let faults = Setting(rawValue: 1)
    /// Two sessions that share the phones out.
    static let sessions = Setting(rawValue: 2)
    static let tape = Setting(rawValue: 4)

    static let all = (0..<8).map { Setting(rawValue: $0) }

    var description: String {
      let words = ["faults", "sessions", "a tape"].enumerated().map { index, word in
        (contains(Setting(rawValue: 1 << index)) ? "with " : "without ") + word
      }
      return words.joined(separator: ", ")
    }
  }

  private static let calls = 200
  /// Of the connections on which nothing is sent.
  private static let silent: UInt64 = 12

  private let setting: Setting
  private var days: RandomDays
  private var readers = EventReaders(
    EventLogs(pushLogCapacity: 1000, audits: true), apps: Stage.profiles.map(\.bundleID))
  private(set) var lines: [String] = []

  init(seed: UInt64, _ setting: Setting) throws {
    self.setting = setting
    days = RandomDays(seed: seed)
    if setting.contains(.sessions) { try openSessions() }
    let before = setting.contains(.tape) ? days.record() : nil
    read(days.connect(Self.silent))
    if setting.contains(.faults) { try setFaults() }
    for _ in 0..<Self.calls { read(try days.step()) }
    read(days.disconnect())
    read(days.advance(by: .seconds(86_400)))
    for finding in readers.logs.auditor?.findings ?? [] { lines.append("finding \(finding.sentence)") }
    if setting.contains(.sessions) { try closeSessions() }
    if let before { try tellTape(from: before) }
  }

  private mutating func read(_ events: [WorldEvent]) {
    lines += events.map { EventLine.of($0) }
    readers.read(EventBatch(events: events, calls: [], step: nil))
  }

  // MARK: - Sessions

  private static let sessions = ["even", "odd"]

  private mutating func openSessions() throws {
    for (remainder, name) in Self.sessions.enumerated() {
      var order = SessionRequest()
      order.name = name
      order.scope.devices = (0..<days.devices).filter { Int($0) % 2 == remainder }.map { DeviceID($0) }
      var accepted = Filter()
      accepted.status = 200
      var oneCard = ScreenPattern()
      oneCard.cards = 1...1
      order.expect(
        [
          Simulation.Expectation(name: "accepted", place: "a", question: .pushes(Filter(), .all(accepted))),
          Simulation.Expectation(name: "sound", place: "b", question: .findings(nil, 0...0)),
          Simulation.Expectation(name: "one card", place: "c", question: .screens(Selection(), oneCard, .all)),
        ], apps: readers.sessions.apps)
      _ = try readers.sessions.open(order, at: days.stage.now.world)
    }
    days.traceRefusals()
  }

  private mutating func closeSessions() throws {
    for name in Self.sessions {
      let session = try readers.sessions.close(name, at: days.stage.now.world, days.stage.world)
      for push in session.pushLog.list(.init(), before: nil, limit: 1000).pushes {
        lines.append("session \(name): push \(push.sequence) \(push.sent.words) \(EventLine.of(push.fate))")
      }
      lines += session.verdicts.map { "session \(name): verdict \($0.json.text)" }
      lines += session.auditor.findings.map { "session \(name): finding \($0.sentence)" }
    }
  }

  // MARK: - Faults

  private mutating func setFaults() throws {
    for fault in Self.faults(from: days.stage.now.world) { read(try days.set(fault)) }
    guard setting.contains(.sessions) else { return }
    for name in Self.sessions {
      var busy = Fault("busy", .push(.refuse(.tooManyRequests, retryAfter: 5, age: nil)))
      busy.odds = Odds(1, in: 5)
      let own = [busy, Fault("plane", .devices(.goOffline, heal: .goOnline))]
      for fault in own { read(try days.set(fault.bound(to: readers.sessions.session(name)))) }
    }
  }

  private static func faults(from now: Instant) -> [Fault] {
    // So late that several answers wait when the connections are closed.
    var late = Fault("late", .push(.delay(.lognormal(median: .seconds(900), p99: .seconds(3600)))))
    late.odds = Odds(1, in: 4)
    var lost = Fault("lost", .push(.lose))
    lost.odds = Odds(1, in: 8)
    var gone = Fault("gone", .push(.refuse(.unregistered, retryAfter: nil, age: .seconds(60))))
    gone.condition.filter.share = Odds(1, in: 3)
    gone.condition.every = 9
    var tunnel = Fault("tunnel", .devices(.goOffline, heal: .goOnline))
    tunnel.condition.filter.share = Odds(1, in: 2)
    tunnel.from = now.advanced(by: .seconds(600))
    tunnel.until = now.advanced(by: .seconds(90_000))
    let shy = Fault("shy", .prompts(PromptFault(answer: .deny, after: .seconds(3))))
    // It strikes all silent connections at the same instant, and lets go of them at another.
    var quiet = Fault("quiet", .connection(.streams(1, open: .finish, excessStreams: nil, back: nil, after: .zero)))
    quiet.condition.trigger = .idle(.seconds(300))
    quiet.until = tunnel.until
    return [late, lost, gone, tunnel, shy, quiet]
  }

  // MARK: - Tape

  /// Adds the size and the digest of the tape, and the result of playing it.
  private mutating func tellTape(from before: World) throws {
    let reel = try Reel(days.stage.batches)
    // No CRC-32: each record ends with its own, so that of all is the same whatever is in them.
    lines.append("tape of \(reel.bytes.count) bytes, FNV-1a \(PinnedDays.digest(reel.bytes))")
    let (player, difference) = reel.play(in: before)
    lines.append("tape played: \(player.tally.events) events, \(difference?.text ?? "as they were")")
  }
}

import APNs
import Configuration
import Grammar
import Orders
import Reporting
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A tape that was played to its end, from where a server continues.
struct ResumedTape {
  let path: String
  let tally: TapeTally
  let encoder: TapeEncoder
  /// Number of bytes after which the recording continues.
  let bytes: UInt64
  /// True if the bytes after those are damaged, not only incomplete.
  let isDamaged: Bool
  private var world: World?
  private var logs: EventLogs?
  /// The amount that was played, in words.
  let report: String
  /// The last state of the listeners, if faults have changed it.
  private let listeners: [WorldEvent]
  /// Calls of apps that had not ended.
  private let openCalls: [UInt64]

  /// - Throws: `StartFailure` if the tape cannot be played, or does not belong to these settings and keys.
  init(_ path: String, for settings: Settings, keys: [TapeKey]) throws {
    var reading = Reading(
      logs: EventLogs(pushLogCapacity: settings.pushLogEntries, audits: settings.audits))
    var replay = Replay(path)
    replay.checkHeader = { header in
      if let why = try Self.difference(header, settings) {
        throw StartFailure("--resume: \(path) does not belong to this server: \(why)", isOfInput: true)
      }
    }
    let played: (ending: Replay.Ending, report: String)
    do {
      played = try replay.play(to: { events, world, _ in reading.read(events, world) })
    } catch let problem as ReplayProblem {
      throw StartFailure("--resume: \(problem)", isOfInput: true)
    }
    guard played.ending != .differs else {
      throw StartFailure("--resume: \(path) cannot be continued, because this program differs. \(played.report)")
    }
    guard let end = replay.continuation, let header = replay.header else {
      throw StartFailure("--resume: \(played.report)")
    }
    if let why = try Self.difference(end.world, header: header, keys: keys) {
      throw StartFailure("--resume: \(path) does not belong to this server: \(why)", isOfInput: true)
    }
    self.path = path
    tally = end.tally
    encoder = end.encoder
    bytes = end.bytes
    isDamaged = end.isDamaged
    world = end.world
    logs = reading.logs
    report = played.report
    listeners = ["", Environment.sandbox.rawValue, Environment.production.rawValue].compactMap {
      reading.listeners[$0]
    }
    openCalls = reading.openCalls.sorted()
  }

  /// Collects what is not part of the world.
  private struct Reading {
    var logs: EventLogs
    var listeners: [String: WorldEvent] = [:]
    var openCalls: Set<UInt64> = []

    mutating func read(_ events: [WorldEvent], _ world: World) {
      if logs.read(events, in: world) { openCalls = [] }
      for event in events {
        switch event {
        case .listener(_, let environment): listeners[environment?.rawValue ?? ""] = event
        case .call(let record): if !record.isCopy { openCalls.insert(record.number) }
        case .callEnded(let end): openCalls.remove(end.number)
        default: break
        }
      }
    }
  }

  /// The world at the end, and the readers of its events. They can be taken once, because a copy would be
  /// as large as the fleet.
  mutating func take() -> (world: World, logs: EventLogs)? {
    defer { (world, logs) = (nil, nil) }
    guard let world, let logs else { return nil }
    return (world, logs)
  }

  /// The clock of the server that continues. Unless it is stopped, it has kept running since the recording ended.
  func clock(_ settings: Settings) -> WorldClock {
    var clock = WorldClock()
    let ahead = tally.last.wall.duration(to: tally.last.world)
    if settings.startsManual {
      clock.stand(at: tally.last.world)
    } else if ahead > .zero {
      clock.advance(by: ahead)
    }
    clock.reach(tally.last.world, isBehind: false)
    return clock
  }

  /// Closes the connections that were open when the recording ended.
  func close(_ simulator: inout Simulator, wall: Instant) {
    let now = Now(world: tally.last.world, wall: wall)
    for connection in simulator.world.openConnections { simulator.world.connectionClosed(connection.id, at: now) }
    _ = simulator.settle()
  }

  /// Removes faults of sessions, ends the calls whose answers were lost, and gives the listeners their last state.
  ///
  /// Sessions are not on a tape. Nobody could remove their faults any more, and they would strike the pushes of others.
  func continueRun(_ simulator: inout Simulator, wall: Instant) -> [WorldEvent] {
    let now = simulator.now(wall: wall)
    for session in Set(simulator.world.faults.active.compactMap(\.fault.session)).sorted() {
      do throws(CommandProblem) {
        try simulator.world.perform(.deleteFaults(of: session), at: now)
      } catch {
        // Removing faults that are there is no mistake.
      }
    }
    for number in openCalls {
      do throws(CommandProblem) {
        try simulator.world.perform(
          .answer(number, .failed(.closed, "the server ended before the answer came")), at: now)
      } catch {
        // The world accepts every answer.
      }
    }
    return listeners + simulator.settle()
  }

  // MARK: - Whether it belongs to the server

  /// The reason why the tape does not belong to the server with these settings; nil if it does.
  private static func difference(_ header: TapeHeader, _ settings: Settings) throws -> String? {
    guard header.program == Version.text else {
      return "it was recorded by Pushpit \(header.program), and this is \(Version.text)."
    }
    let source = try WorldSource(header)
    guard case .settings(let sources) = source.plan else {
      return "it is the recording of a scenario, which only `pushpit replay` can play."
    }
    let then: Settings
    do throws(InputProblem) {
      then = try Settings(sources)
    } catch {
      return "this program does not accept its settings: \(error)"
    }
    guard then.plan == settings.plan, then.rulebook == settings.rulebook, then.channelRules == settings.channelRules
    else { return difference(then, settings) }
    return nil
  }

  /// The keys are compared at the end of the tape, because they may have changed on it.
  private static func difference(_ world: World, header: TapeHeader, keys: [TapeKey]) throws -> String? {
    let old = names(TapeKey.valid(in: world.validator.keyRing, began: try WorldSource(header).keys ?? []))
    let new = names(keys.map(\.json))
    return old == new
      ? nil
      : "it was recorded with the keys \(old.ids), and there are \(new.ids) now; use its state folder (--state) and"
        + " its keys."
  }

  private static func difference(_ then: Settings, _ settings: Settings) -> String {
    let apart = ["Listening", "The wire"]
    let changed = Setting.groups.filter { !apart.contains($0.title) }.flatMap(\.settings).first {
      $0.shown(in: then) != $0.shown(in: settings)
        && !["clock", "fleet.begins", "audit", "ledger.pushes"].contains($0.key)
    }
    guard let changed else { return "its apps or their profiles are different." }
    return "\(changed.key) was \(changed.shown(in: then)) then, and is \(changed.shown(in: settings)) now."
  }

  private struct KeyNames: Equatable {
    let ids: String
    let texts: [String]
  }

  private static func names(_ keys: [JSONValue]) -> KeyNames {
    KeyNames(
      ids: keys.compactMap { $0["keyId"]?.string }.sorted().joined(separator: ", "),
      texts: keys.map(\.text).sorted())
  }
}

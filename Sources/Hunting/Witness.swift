import APNs
import Devices
import Reporting
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The knowledge of oracles at the end of a play: what the backend has sent, what it was told, and what phones show.
package struct Witness: Sendable {
  /// The number of phones that are looked at.
  private static let mostPhones: UInt32 = 10_000

  /// A report of a token.
  struct Report: Hashable, Sendable {
    let began: Instant
    let ended: Instant
    /// False if the backend may have received it, and nobody knows.
    let isAccepted: Bool
  }

  /// A sentence about the end of the backend; nil if it has survived the play.
  package let ended: String?
  /// True if the backend hung; false if it died, or survived.
  let hangs: Bool
  let began: Instant
  let end: Instant
  /// The backend's, oldest first.
  let pushes: [WitnessedPush]
  /// False if there were more pushes or calls than the logs keep, so that one may be missing here.
  let isComplete: Bool
  /// The time at which the quiet time of the story begins, without faults; the end of a story that has none.
  let quietBegin: Instant
  /// Oldest first.
  let calls: [CallEnd]
  let broadcasts: [WitnessedBroadcast]
  let channelRequests: [String]
  let installs: [WitnessedInstall]
  let findings: [AuditFinding]
  let phoneEvents: [String]
  /// Devices on which an app was deleted, or which were erased. What is installed afterwards is another install to its
  /// backend, which cannot know what was there before.
  private let erased: Set<DeviceID>
  let troubleKinds: [String]
  /// The faults that the scenario sets, with their times in the world.
  let faults: [Fault]
  /// The times at which the backend was stopped, killed or started.
  let restarts: [(at: Instant, order: BackendStep.Order)]
  /// Leaps of the clock, which come on top of the scenario's time line.
  let leaps: [Leap]
  let canRestart: Bool
  let struckFaults: Set<String>
  let holdingFaults: [HoldingFault]
  let fleetSize: UInt32
  /// The machine's times at which the backend was told the time, in their order.
  private let ticks: [Instant]
  private let places: [InstallID: Int]
  private let byToken: [String: [Int]]
  private let byCard: [CardID: [Int]]
  /// Pushes to device and push-to-start tokens that were refused.
  private let refused: [InstallID: [Int]]
  private let reports: [String: [Report]]
  let told: [UserID: Told]
  let breaks: [ProviderConnectionID: [Instant]]

  struct Leap: Hashable, Sendable {
    /// Since the play began.
    let at: Duration
    let length: Duration
  }

  private struct CardID: Hashable, Sendable {
    let install: InstallID
    let number: UInt32
  }

  /// - Parameters:
  ///   - simulator: after the play, in which its readers have audited.
  ///   - ended: a sentence if the backend died or hung, so that the play was abandoned; nil otherwise.
  ///   - hangs: true if the backend hung.
  ///   - struck: names of faults that have struck and were removed since; see `ScenarioDirector.struck`.
  package init(
    _ simulator: Simulator, _ scenario: Scenario, ended: String?, hangs: Bool = false, struck: Set<String> = [],
    ticks: [Instant] = []
  ) {
    let (world, logs) = (simulator.world, simulator.readers.logs)
    let now = simulator.clock.reached
    self.ended = ended
    self.hangs = hangs
    self.ticks = ticks
    began = scenario.begins
    end = now
    pushes = Self.pushes(logs.pushLog, in: world)
    isComplete = !logs.pushLog.hasDropped && logs.calls.oldest == 1
    calls = logs.calls.newest(before: .max).map(\.end).reversed()
    broadcasts = logs.broadcasts.compactMap { WitnessedBroadcast($0) }
    channelRequests = logs.broadcasts.map { record in
      "broadcast \(record.operation.map { "\($0)" } ?? "none"): \(record.answer.status)"
    }
    findings = logs.auditor?.findings ?? []
    troubleKinds = logs.troubles.entries.map(\.latest.kind)
    (phoneEvents, erased) = Self.phoneEvents(logs.deviceEvents)
    faults = scenario.steps.compactMap { step in step.fault.map { $0.counted(from: scenario.time(of: step)) } }
    let quiet = scenario.steps.last { step in (step.action as? DeleteFaultStep).map { $0.name == nil } ?? false }
    quietBegin = quiet.map { scenario.time(of: $0) } ?? now
    canRestart = scenario.backendPersists
    restarts = scenario.steps.compactMap { step in
      (step.action as? BackendStep).map { (scenario.time(of: step), $0.order) }
    }
    leaps = scenario.steps.compactMap { step in
      (step.action as? ClockStep).map {
        Leap(at: scenario.begins.duration(to: scenario.time(of: step)), length: $0.jump)
      }
    }
    struckFaults = struck.union(world.faults.active.filter(\.isUsed).map(\.fault.name))
      .union(pushes.compactMap(\.record.fault)).union(logs.broadcasts.compactMap(\.fault))
    holdingFaults = Self.holdingFaults(faults, struck: struckFaults)
    fleetSize = world.fleet.plan.devices
    installs = Self.installs(world, at: now)
    places = Dictionary(uniqueKeysWithValues: installs.enumerated().map { ($0.element.id, $0.offset) })
    (byToken, byCard) = Self.index(pushes)
    refused = Self.refused(pushes)
    breaks = Self.breaks(pushes)
    told = Self.told(calls, Dictionary(uniqueKeysWithValues: installs.map { ($0.id, $0.user) }))
    var reports: [String: [Report]] = [:]
    for end in calls where end.mayHaveArrived {
      let report = Report(began: end.began, ended: end.at, isAccepted: end.outcome.isSuccess)
      for token in ReportedTokens.tokens(in: end) { reports[token.text.lowercased(), default: []].append(report) }
    }
    self.reports = reports
  }

  private static func pushes(_ log: PushLog, in world: World) -> [WitnessedPush] {
    (0..<log.count).reversed().compactMap { log.record(aged: $0) }
      .filter { $0.stream.connection.number < ProviderConnectionID.firstOfAdmin }
      .map { WitnessedPush($0, address: world.address(of: $0)) }
  }

  private static func installs(_ world: World, at now: Instant) -> [WitnessedInstall] {
    (0..<min(world.fleet.plan.devices, mostPhones)).map { DeviceID($0) }.filter { world.fleet.owns($0) }
      .flatMap { device in
        world.fleet.plan.apps.indices.compactMap {
          WitnessedInstall(InstallID(device: device, app: $0), in: world, at: now)
        }
      }
  }

  private static func phoneEvents(_ log: DeviceEventLog) -> (kinds: [String], erased: Set<DeviceID>) {
    var (kinds, erased): (Set<String>, Set<DeviceID>) = ([], [])
    for age in 0..<log.count {
      guard let line = log.line(aged: age), case .happened(let event) = line.entry else { continue }
      kinds.insert(event.name)
      if let device = line.device, event == .appRemoved || event == .restored { erased.insert(device) }
    }
    return (kinds.sorted(), erased)
  }

  private static func refused(_ pushes: [WitnessedPush]) -> [InstallID: [Int]] {
    var refused: [InstallID: [Int]] = [:]
    for (index, push) in pushes.enumerated() where push.status >= 400 && push.tokenKind != "update" {
      if let install = push.install { refused[install, default: []].append(index) }
    }
    return refused
  }

  private static func index(_ pushes: [WitnessedPush]) -> ([String: [Int]], [CardID: [Int]]) {
    var (tokens, cards): ([String: [Int]], [CardID: [Int]]) = ([:], [:])
    for (index, push) in pushes.enumerated() {
      tokens[push.token, default: []].append(index)
      guard let install = push.install, let number = push.activity else { continue }
      cards[CardID(install: install, number: number), default: []].append(index)
    }
    return (tokens, cards)
  }
}

// MARK: - Questions of oracles

extension Witness {
  /// The time since the play began, leaps of the clock included, as backends plan by the clock. Instants of two plays
  /// cannot be compared, as a play begins at the machine's time.
  func passed(at instant: Instant) -> Duration { began.duration(to: instant) }

  subscript(install: InstallID) -> WitnessedInstall? { places[install].map { installs[$0] } }

  /// True if an app was deleted there, or the phone was erased, however it is now.
  func wasErased(_ device: DeviceID) -> Bool { erased.contains(device) }

  /// Pushes to a token, oldest first.
  func pushes(to token: String) -> [WitnessedPush] { (byToken[token] ?? []).map { pushes[$0] } }

  /// Pushes to the device and push-to-start tokens of an app that were refused, oldest first.
  func refusals(of install: InstallID) -> [WitnessedPush] { (refused[install] ?? []).map { pushes[$0] } }

  /// Tokens that were pushed to, sorted.
  var tokens: [String] { byToken.keys.sorted() }

  /// Pushes about a card, with the one that started it, oldest first.
  func pushes(about card: WitnessedCard) -> [WitnessedPush] {
    (byCard[CardID(install: card.install, number: card.number)] ?? []).map { pushes[$0] }
  }

  /// Reports of a token that the backend may have received, oldest first.
  func attempts(toReport token: String) -> [Report] { reports[token] ?? [] }

  /// Reports of a token that the backend has accepted, oldest first.
  func reports(of token: String) -> [Report] { attempts(toReport: token).filter(\.isAccepted) }

  /// The time from which the backend has known a token: an app's report was accepted, or it was pushed to. Nil if it
  /// does not know the token.
  func known(_ token: String) -> Instant? {
    let told = reports(of: token).first?.ended
    let used = byToken[token]?.first.map { pushes[$0].at }
    return [told, used].compactMap(\.self).min()
  }

  /// The last time at which something went wrong by order: a fault struck a push or a call, phones or listeners were
  /// touched, or the backend was stopped.
  var lastTrouble: Instant {
    var times = pushes.filter { $0.record.fault != nil }.map { max($0.at, $0.record.sentAt) }
    times += calls.compactMap { end in
      guard case .failed(let failure, _) = end.outcome, [.lost, .answerLost, .refusedByRule].contains(failure) else {
        return nil
      }
      return end.at
    }
    times += faults.filter(\.consequence.lastsUntilRemoved).compactMap(\.until)
    times += restarts.map(\.at)
    return times.max() ?? began
  }

  /// The time within which a backend must have tried again, which the story's quiet time may allow to be longer.
  func retryPatience(atLeast least: Duration) -> Duration { max(least, quietBegin.duration(to: end)) }

  /// True if the backend was told the time between two pushes.
  func hasTick(after push: WitnessedPush, before other: WitnessedPush) -> Bool {
    ticks.contains { push.record.at.wall < $0 && $0 < other.record.at.wall }
  }
}

extension Scenario {
  /// The world's time at which a step is first done: leaps of the clock come on top of the time line.
  fileprivate func time(of step: Step) -> Instant {
    let leaps = steps.reduce(Duration.zero) { sum, other in
      other.first < step.first ? sum + ((other.action as? ClockStep)?.jump ?? .zero) : sum
    }
    return begins.advanced(by: step.first + leaps)
  }
}

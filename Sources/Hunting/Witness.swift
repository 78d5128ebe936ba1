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

  /// A report of a token that the backend has accepted.
  struct Report: Hashable, Sendable {
    let began: Instant
    let accepted: Instant
  }

  /// A sentence about the end of the backend; nil if it has survived the play.
  let ended: String?
  /// True if it has hung, and not died.
  let hangs: Bool
  let began: Instant
  let end: Instant
  /// The backend's, oldest first.
  let pushes: [WitnessedPush]
  /// False if there were more pushes than the log keeps, so that a push may be missing in `pushes`.
  let isComplete: Bool
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
  let canRestart: Bool
  let struckFaults: Set<String>
  let fleetSize: UInt32
  private let places: [InstallID: Int]
  private let byToken: [String: [Int]]
  private let byCard: [CardID: [Int]]
  private let reports: [String: [Report]]
  private let told: [UserID: Told]
  private let breaks: [ProviderConnectionID: [Instant]]

  private struct CardID: Hashable, Sendable {
    let install: InstallID
    let number: UInt32
  }

  /// The machine's times at which the backend was told the time, in their order.
  private let ticks: [Instant]

  /// - Parameters:
  ///   - simulator: after the play, in which its readers have audited.
  ///   - ended: a sentence if the backend died or hung, so that the play was abandoned; nil otherwise.
  ///   - hangs: true if it hung.
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
    pushes = Self.pushes(logs.pushLog)
    isComplete = !logs.pushLog.hasDropped
    calls = logs.calls.newest(before: .max).map(\.end).reversed()
    broadcasts = logs.broadcasts.compactMap { WitnessedBroadcast($0) }
    channelRequests = logs.broadcasts.map { record in
      "broadcast \(record.operation.map { "\($0)" } ?? "none"): \(record.answer.status)"
    }
    findings = logs.auditor?.findings ?? []
    troubleKinds = logs.troubles.entries.map(\.latest.kind)
    (phoneEvents, erased) = Self.phoneEvents(logs.deviceEvents)
    faults = scenario.steps.compactMap { step in step.fault.map { $0.counted(from: scenario.time(of: step)) } }
    canRestart = scenario.backendPersists
    restarts = scenario.steps.compactMap { step in
      (step.action as? BackendStep).map { (scenario.time(of: step), $0.order) }
    }
    struckFaults = struck.union(world.faults.active.filter(\.isUsed).map(\.fault.name))
      .union(pushes.compactMap(\.record.fault)).union(logs.broadcasts.compactMap(\.fault))
    fleetSize = world.fleet.plan.devices
    installs = Self.installs(world, at: now)
    places = Dictionary(uniqueKeysWithValues: installs.enumerated().map { ($0.element.id, $0.offset) })
    (byToken, byCard) = Self.index(pushes)
    breaks = Self.breaks(pushes)
    told = Self.told(calls, Dictionary(uniqueKeysWithValues: installs.map { ($0.id, $0.user) }))
    var reports: [String: [Report]] = [:]
    for end in calls where end.outcome.isSuccess {
      for token in ReportedTokens.tokens(in: end) {
        reports[token.text.lowercased(), default: []].append(Report(began: end.began, accepted: end.at))
      }
    }
    self.reports = reports
  }

  private static func pushes(_ log: PushLog) -> [WitnessedPush] {
    (0..<log.count).reversed().compactMap { log.record(aged: $0) }
      .filter { $0.stream.connection.number < ProviderConnectionID.firstOfAdmin }.map { WitnessedPush($0) }
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
  /// The time since the play began. Instants of two plays cannot be compared, as a play begins at the machine's time.
  func passed(at instant: Instant) -> Duration { began.duration(to: instant) }

  subscript(install: InstallID) -> WitnessedInstall? { places[install].map { installs[$0] } }

  /// True if an app was deleted there, or the phone was erased, however it is now.
  func wasErased(_ device: DeviceID) -> Bool { erased.contains(device) }

  /// Pushes to a token, oldest first.
  func pushes(to token: String) -> [WitnessedPush] { (byToken[token] ?? []).map { pushes[$0] } }

  /// Tokens that were pushed to, sorted.
  var tokens: [String] { byToken.keys.sorted() }

  /// Pushes about a card, with the one that started it, oldest first.
  func pushes(about card: WitnessedCard) -> [WitnessedPush] {
    (byCard[CardID(install: card.install, number: card.number)] ?? []).map { pushes[$0] }
  }

  /// Reports of a token that the backend has accepted, oldest first.
  func reports(of token: String) -> [Report] { reports[token] ?? [] }

  /// The time from which the backend has known a token: an app's report was accepted, or it was pushed to. Nil if it
  /// does not know the token.
  func known(_ token: String) -> Instant? {
    let told = reports[token]?.first?.accepted
    let used = byToken[token]?.first.map { pushes[$0].at }
    return [told, used].compactMap(\.self).min()
  }

  /// The longest time that a request may have waited on its way to APNs, held by a fault of connections or listeners.
  var longestWay: Duration {
    let holdsRequests = faults.contains { fault in
      ["listener", "freeze", "streams", "window"].contains { fault.consequence.json[$0] != nil }
    }
    return holdsRequests ? .seconds(120) : .zero
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

  /// True if a backend must have sent one push after another, however long they were on their way.
  func isSurelySent(_ push: WitnessedPush, after first: WitnessedPush) -> Bool {
    first.at.advanced(by: longestWay) <= push.at
  }

  /// True if the backend was told the time between two pushes.
  func hasTick(after push: WitnessedPush, before other: WitnessedPush) -> Bool {
    ticks.contains { push.record.at.wall < $0 && $0 < other.record.at.wall }
  }

  /// True if the backend was stopped then, or was about to be or had just been started.
  func isRestarting(at now: Instant) -> Bool {
    var stopped: Instant?
    for restart in restarts {
      guard restart.order == .start else {
        stopped = stopped ?? restart.at
        continue
      }
      if let since = stopped, since <= now.advanced(by: Self.connectionMargin),
        now <= restart.at.advanced(by: Self.restartMargin)
      {
        return true
      }
      stopped = nil
    }
    return stopped.map { $0 <= now.advanced(by: Self.connectionMargin) } ?? false
  }

  /// True if 200 was sent for a push, and its backend must have received it: neither its connection nor the backend
  /// broke off around that time.
  func wasSurelyHeard(_ push: WitnessedPush, within patience: Duration) -> Bool {
    guard push.status == 200, push.isAnswered, push.wait <= patience else { return false }
    let heard = push.record.sentAt
    let wasKilled = restarts.contains { restart in
      restart.order != .start && restart.at <= heard.advanced(by: Self.restartMargin)
        && heard <= restart.at.advanced(by: Self.connectionMargin)
    }
    return !wasKilled
      && !(breaks[push.record.stream.connection] ?? []).contains { broken in
        broken <= heard.advanced(by: Self.connectionMargin) && heard <= broken.advanced(by: Self.connectionMargin)
      }
  }

  /// An answer may be lost within a client whose connection breaks off at about this time.
  private static let connectionMargin: Duration = .seconds(1)
  /// A backend may need this long to store what it knows.
  private static let restartMargin: Duration = .seconds(10)

  /// The times at which connections were broken off, as pushes on them show.
  private static func breaks(_ pushes: [WitnessedPush]) -> [ProviderConnectionID: [Instant]] {
    var breaks: [ProviderConnectionID: [Instant]] = [:]
    for push in pushes {
      switch push.record.sent {
      case .nothing(.connectionAborted), .nothing(.connectionFrozen), .nothing(.connectionEnded):
        breaks[push.record.stream.connection, default: []] += [push.at, push.record.sentAt]
      default: break
      }
    }
    return breaks
  }

  /// True if the backend was told by the apps of a person's phones at least what it was told in another play, and was
  /// asked for the same by everybody: only then must it do the same.
  func wasToldAsMuch(of user: UserID, as plain: Witness) -> Bool {
    guard !hasReorderedCalls, wasAskedForTheSame(as: plain) else { return false }
    let (mine, theirs) = (told[user]?.reports ?? [:], plain.told[user]?.reports ?? [:])
    return theirs.allSatisfy { mine[$0.key] ?? 0 >= $0.value }
  }

  /// True if people did the same in both plays, each in the same order, as far as the backend was told. What one person
  /// does may be the reason for a push to another.
  package func wasAskedForTheSame(as plain: Witness) -> Bool {
    Set(told.keys).union(plain.told.keys).allSatisfy { told[$0]?.actions ?? [] == plain.told[$0]?.actions ?? [] }
  }

  /// True if the backend was told after the first of two pushes of something that the owner of the phone has done.
  ///
  /// - Parameters:
  ///   - begin: the time of the first push, which one call in the same instant may explain.
  ///   - end: the time of the second.
  func hasActed(on device: DeviceID, after begin: Instant, until end: Instant) -> Bool {
    let told = calls.filter { call in
      call.isOfPerson && call.outcome.isSuccess && call.device == device && (begin...max(begin, end)).contains(call.at)
    }
    return told.count > 1 || told.contains { $0.at > begin || $0.isDoubled }
  }

  /// True if the backend was told between two pushes of something that may be the reason for the second: what the
  /// owner of its phone has done, or that anybody has opened the app.
  func hasReason(for again: WitnessedPush, after first: WitnessedPush) -> Bool {
    guard let device = again.install?.device else { return true }
    let time = first.at...max(first.at, again.at)
    return hasActed(on: device, after: first.at, until: again.at)
      || calls.contains { call in
        call.isOpening && call.outcome.isSuccess && time.contains(call.at) && (call.at > first.at || call.isDoubled)
      }
  }

  /// An app makes its calls one after the other, so that only this fault lets an old token come last.
  var hasReorderedCalls: Bool { faults.contains { $0.consequence == .reports(.overtake) } }

  /// The calls of a person's apps that the backend has accepted.
  private struct Told: Sendable {
    /// Events of what the person did, in their order.
    var actions: [String] = []
    /// Numbers of openings, and of reports about what the backend may push, by event.
    var reports: [String: Int] = [:]
  }

  private static let tellingEvents = ["deviceToken", "pushToStartToken", "laEnablement", "frequentPushes"]

  private static func told(_ calls: [CallEnd], _ users: [InstallID: UserID]) -> [UserID: Told] {
    var told: [UserID: Told] = [:]
    for end in calls where end.outcome.isSuccess {
      guard let user = users[InstallID(device: end.device, app: end.app)] else { continue }
      // Trouble may want an app to be opened once more. It must not be opened less often.
      if end.isOfPerson, !end.isOpening {
        told[user, default: Told()].actions.append(end.event)
      } else if end.isOpening || tellingEvents.contains(end.event) {
        told[user, default: Told()].reports[end.event, default: 0] += 1
      }
    }
    return told
  }
}

extension CallEnd {
  /// True for what an app reports when it is opened.
  var isOpening: Bool { event == "foreground" || event == "launch" || event == "launch.cold" }

  /// True for what a person does in an app: opens it, presses a button, or answers a notification.
  var isOfPerson: Bool {
    isOpening || event == "reply" || event.hasPrefix("action.") || event.hasPrefix("button.")
      || event.hasSuffix("Tapped")
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

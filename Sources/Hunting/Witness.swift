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
  let ended: String?
  /// True if the backend hung; false if it died, or survived.
  let hangs: Bool
  let began: Instant
  let end: Instant
  /// The backend's, oldest first.
  let pushes: [WitnessedPush]
  /// False if there were more pushes or calls than the logs keep, so that one may be missing here.
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
  /// Leaps of the clock, which come on top of the scenario's time line.
  private let leaps: [Leap]
  let canRestart: Bool
  let struckFaults: Set<String>
  let fleetSize: UInt32
  /// The machine's times at which the backend was told the time, in their order.
  private let ticks: [Instant]
  private let places: [InstallID: Int]
  private let byToken: [String: [Int]]
  private let byCard: [CardID: [Int]]
  /// Pushes to device and push-to-start tokens that were refused.
  private let refused: [InstallID: [Int]]
  private let reports: [String: [Report]]
  private let told: [UserID: Told]
  private let breaks: [ProviderConnectionID: [Instant]]

  private struct Leap: Hashable, Sendable {
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

  /// True if the clock has leapt in that time: what comes only now and then may come again, and news may be too old.
  private func hasLeapt(after begin: Instant, until end: Instant) -> Bool {
    let (from, to) = (passed(at: begin), passed(at: end))
    return leaps.contains { $0.at <= to && from <= $0.at + $0.length }
  }

  /// True if the backend may have had a reason to push less to a person than in another play: the person has opened
  /// the app more often, on any phone; the clock has leapt over the time for something; or a fault has struck calls, so
  /// that the backend may take an app for open that was left, or another phone for the one in use.
  func mayOweLess(to user: UserID, than plain: Witness) -> Bool {
    let hasStruckCalls = faults.contains { fault in
      if case .reports = fault.consequence { struckFaults.contains(fault.name) } else { false }
    }
    return hasStruckCalls || leaps != plain.leaps || told[user]?.visits ?? 0 > plain.told[user]?.visits ?? 0
  }

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

  /// Assumed: no fault of connections or listeners holds a request for longer.
  private static let longestHold: Duration = .seconds(120)

  /// The longest time that a request may have waited on its way to APNs, held by a fault of connections or listeners.
  var longestWay: Duration {
    let holdsRequests = faults.contains { fault in
      let kinds = fault.consequence.json
      return kinds["listener"] != nil
        || struckFaults.contains(fault.name) && ["freeze", "streams", "window"].contains { kinds[$0] != nil }
    }
    return holdsRequests ? Self.longestHold : .zero
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

  /// True if people did the same in both plays, each in the same order and at the same times, as far as the backend was
  /// told. What one person does may be the reason for a push to another, and what comes late may come too late.
  package func wasAskedForTheSame(as plain: Witness) -> Bool {
    Set(told.keys).union(plain.told.keys).allSatisfy { user in
      let (mine, theirs) = (told[user]?.actions ?? [], plain.told[user]?.actions ?? [])
      return mine.map(\.event) == theirs.map(\.event)
        && zip(mine, theirs).allSatisfy {
          abs((timeInStory($0.at) - plain.timeInStory($1.at)) / .seconds(1)) <= Self.punctuality
        }
    }
  }

  /// Seconds by which calls of two plays may differ.
  private static let punctuality = 5.0

  /// The time on the story's time line, on which people act: leaps of the clock do not count.
  private func timeInStory(_ instant: Instant) -> Duration {
    let passed = passed(at: instant)
    return leaps.reduce(passed) { time, leap in time - min(leap.length, max(.zero, passed - leap.at)) }
  }

  /// True if a push to a person may not be needed any more: the backend may have been told of something that anybody
  /// did, or that the person has opened the app on any phone, or the clock has leapt.
  ///
  /// - Parameters:
  ///   - begin: the time of the first attempt, which one call in the same instant may explain.
  ///   - end: the time at which the backend had not sent it again.
  func mayBeSettled(for user: UserID, after begin: Instant, until end: Instant) -> Bool {
    if hasLeapt(after: begin, until: end) { return true }
    return isTold(after: begin, until: end) { call in
      let caller = self[InstallID(device: call.device, app: call.app)]?.user
      return call.isOfPerson && !call.isOpening || call.isVisit && caller == user
    }
  }

  /// True if there may be a reason for the second of two pushes: the backend may have been told between them of what
  /// anybody has done, or the clock has leapt.
  func hasReason(for again: WitnessedPush, after first: WitnessedPush) -> Bool {
    again.install == nil || hasLeapt(after: first.at, until: again.at)
      || isTold(after: first.at, until: again.at) { $0.isOfPerson || $0.isVisit }
  }

  /// True if such a call may have reached the backend after the cause of the first push.
  private func isTold(after begin: Instant, until end: Instant, of isWanted: (CallEnd) -> Bool) -> Bool {
    let told = calls.filter { $0.began <= end && begin <= $0.at && $0.mayHaveArrived && isWanted($0) }
    return told.count > 1 || told.contains { $0.at > begin || $0.isDoubled }
  }

  /// An app makes its calls one after the other, so that only this fault lets an old token come last.
  var hasReorderedCalls: Bool { faults.contains { $0.consequence == .reports(.overtake) } }

  /// The calls of a person's apps that the backend has received.
  private struct Told: Sendable {
    /// The acts of the person, in their order.
    var actions: [(event: String, at: Instant)] = []
    /// Number of calls that an app makes when it is opened, also of those that the backend may not have heard of.
    var visits = 0
    /// Numbers of openings, and of reports about what the backend may push, by event.
    var reports: [String: Int] = [:]
  }

  private static func told(_ calls: [CallEnd], _ users: [InstallID: UserID]) -> [UserID: Told] {
    var told: [UserID: Told] = [:]
    for end in calls where end.mayHaveArrived {
      guard let user = users[InstallID(device: end.device, app: end.app)] else { continue }
      // Trouble may make a person open an app more often than without trouble. It must not be opened less often.
      if end.isVisit { told[user, default: Told()].visits += 1 }
      if end.isOfPerson, !end.isOpening {
        let event = end.outcome.isSuccess ? end.event : "\(end.event), failed"
        told[user, default: Told()].actions.append((event, end.at))
      } else if end.outcome.isSuccess, end.isVisit {
        told[user, default: Told()].reports[end.event, default: 0] += 1
      }
    }
    return told
  }
}

extension CallEnd {
  /// True if the backend may have received it, whatever became of its answer.
  var mayHaveArrived: Bool {
    guard case .failed(let failure, _) = outcome else { return true }
    return switch failure {
    case .offline, .missingValue, .hostNotAllowed, .lost, .refusedByRule, .cannotConnect, .queueFull: false
    case .aborted, .answerLost, .timedOut, .closed, .notHTTP, .tooLarge, .other: true
    }
  }

  /// Reports about what the backend may push, which an app makes when it is opened.
  private static let tellingEvents = ["deviceToken", "pushToStartToken", "laEnablement", "frequentPushes"]

  /// True for what an app may report when it is opened, from which a backend may know that it is in use.
  var isVisit: Bool { isOpening || Self.tellingEvents.contains(event) }

  /// True for a report that an app was opened.
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

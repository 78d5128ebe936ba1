import APNs
import Devices
import Reporting
import Timeline

/// Reads the events that expectations are evaluated with.
///
/// Every push is checked when it is answered and again when its fate changes, in its state before and after. The
/// observer keeps no push: the caller follows the pushes that it asks for.
package struct Observer: Sendable {
  struct Tally: Sendable {
    /// Number of matching pushes, and of those that satisfy the claim, by their current state.
    var meant = 0
    var met = 0
    /// True if any push ever satisfied the claim.
    var isSeen = false
    var events = 0
    /// The number of the ordered names that have occurred.
    var reached = 0
    var isClosed = false
  }

  /// The first occurrence of an event name, and the number of occurrences.
  struct Observation: Sendable {
    var count: Int
    let device: DeviceID
    let at: Instant
  }

  package private(set) var expectations: [Expectation]
  /// Names of the steps, where they have one.
  let names: [String?]
  package private(set) var began: Instant
  /// The time windows of the expectations, copied because the expectations themselves are large.
  private let windows: [ClosedRange<Duration>?]
  /// By step number, a place in the lists below. Steps that no expectation names have the place of pushes of no step,
  /// the last one, because there may be thousands of steps.
  private let placeOfStep: [Int]
  /// The expectations that a push of a step can match.
  private let aboutPushesOfStep: [[PushQuestion]]
  /// The questions in `aboutPushesOfStep` that depend on a push's later fate.
  private let aboutLaterOfStep: [[PushQuestion]]
  /// Both, without the expectations whose result is final.
  private var openOfStep: [[PushQuestion]]
  private var looksAtLaterOfStep: [Bool]
  /// True if a push has made the result of an expectation final. `dropFinal` is called once for each push, not for each
  /// expectation.
  private var hasNewFinal = false
  private let aboutEvents: [(index: Int, matcher: Matcher)]
  private let aboutReports: [(index: Int, question: ReportQuestion)]
  private let aboutFindings: [Int]
  private let aboutConnections: [(index: Int, matcher: Matcher)]
  let apps: [String]
  /// The parsed payload of the last push.
  private var content: PushContent?
  private var tallies: [Tally]
  /// Number of the first push that it has read.
  private var first: UInt64?
  private(set) var senders = PushSenders()
  private var sights: [String: Observation] = [:]
  private var reports: [Int: ReportTally] = [:]
  private var findings: [Int: FailureSample<AuditFinding>] = [:]
  private var connections: [Int: SeenConnections] = [:]
  private var delays: [Int: DelayTally] = [:]
  private let aboutDelays: [Int]
  /// True if a delay depends on the later fate of pushes.
  private var measuresLater = false
  /// Present if an expectation is about broadcasts.
  private var broadcasts: BroadcastObserver?
  /// Present if an expectation is about findings.
  private(set) var auditor: Auditor?
  /// Present if phones and backends are expected to converge.
  private(set) var expectedScreens: ExpectedScreens?
  private(set) var tokens = ReportedTokens()
  package private(set) var pushes: UInt64 = 0
  package private(set) var events: UInt64 = 0

  /// - Parameters:
  ///   - steps: names of the sending steps, if they have one; `channels`, of the channels that they create.
  ///   - apps: bundle ids of the fleet.
  ///   - began: the time that times of expectations are relative to.
  package init(
    _ expectations: [Expectation], steps: [String?] = [], channels: [String?] = [], apps: [String],
    began: Instant
  ) {
    self.expectations = expectations
    self.apps = apps
    names = steps
    self.began = began
    windows = expectations.map(\.window)
    tallies = Array(repeating: Tally(), count: expectations.count)
    let all = expectations
    let aboutPushes = all.indices.compactMap { index -> PushQuestion? in
      guard case .pushes(let filter, let claim) = all[index].question else { return nil }
      return PushQuestion(filter, claim, of: index, apps: apps, steps: steps)
    }
    var places: [String: Int] = [:]
    for case let name? in aboutPushes.map(\.step) where places[name] == nil { places[name] = places.count }
    placeOfStep = steps.map { name in name.flatMap { places[$0] } ?? places.count }
    let asked = places.sorted { $0.value < $1.value }.map(\.key)
    aboutPushesOfStep = (asked + [nil]).map { name in aboutPushes.filter { $0.step == nil || $0.step == name } }
    aboutLaterOfStep = aboutPushesOfStep.map { $0.filter(\.looksAtLater) }
    openOfStep = aboutPushesOfStep
    looksAtLaterOfStep = Array(repeating: false, count: aboutPushesOfStep.count)
    aboutEvents = all.indices.compactMap { index in
      guard case .events(let filter, _) = all[index].question else { return nil }
      return (index, Matcher(filter, apps: apps))
    }
    aboutReports = all.indices.compactMap { index in
      guard case .reports(let filter, let claim) = all[index].question else { return nil }
      return (index, ReportQuestion(filter, claim, apps: apps))
    }
    aboutFindings = all.indices.filter { if case .findings = all[$0].question { true } else { false } }
    aboutConnections = all.indices.compactMap { index in
      guard case .connections(let filter, _) = all[index].question else { return nil }
      return (index, Matcher(filter, apps: apps))
    }
    for (index, _) in aboutReports { reports[index] = ReportTally() }
    for index in aboutFindings { findings[index] = FailureSample() }
    for (index, _) in aboutConnections { connections[index] = SeenConnections() }
    aboutDelays = all.indices.filter { if case .delay = all[$0].question { true } else { false } }
    for index in aboutDelays {
      guard case .delay(let question) = all[index].question else { continue }
      delays[index] = DelayTally(question, apps: apps, steps: steps)
    }
    broadcasts = BroadcastObserver(
      expectations, names: .init(steps: steps, channels: channels, apps: apps), began: began)
    auditor = aboutFindings.isEmpty ? nil : Auditor()
    let converges = all.contains { if case .converged = $0.question { true } else { false } }
    expectedScreens = converges ? ExpectedScreens() : nil
    dropFinal()
  }

  /// Begins to read events.
  ///
  /// - Parameters:
  ///   - now: the time that times of expectations are relative to.
  ///   - scope: the devices of expectations about screens that name none; nil for all.
  package mutating func begin(at now: Instant, in scope: Filter? = nil) {
    began = now
    if let scope { expectations = expectations.map { $0.bound(to: scope) } }
    broadcasts?.begin(at: now)
  }

  /// Reads the events of a list, and follows the pushes whose later changes it needs.
  mutating func read(
    _ list: [WorldEvent], of step: Int?, following lives: inout PushLives, in pushLog: PushLog
  ) {
    for index in list.indices {
      let change = lives.change(list, at: index, in: pushLog)
      if read(list, at: index, change: change, of: step, keeping: pushLog.capacity),
        case .push(let record) = list[index]
      {
        lives.follow(PushLife(record, .init(step: step)))
      }
    }
  }

  /// Reads an event of a list.
  ///
  /// - Parameters:
  ///   - index: of the event, which is read in place, as in the logs.
  ///   - change: of the push that the event is about.
  ///   - step: the scenario step that caused it; nil if no step did.
  ///   - most: number of pushes that the push log keeps.
  /// - Returns: true if the event is a push whose later changes must be passed.
  @inline(__always)
  mutating func read(
    _ list: [WorldEvent], at index: Int, change: PushChange?, of step: Int?, keeping most: Int
  ) -> Bool {
    // An earlier push has not been counted, so its change must not be.
    let change = change.flatMap { hasRead($0) ? $0 : nil }
    if list[index].isOfPushOrPhone { events += 1 }
    if readsAll { readAll(list[index], change: change, of: step) }
    switch list[index] {
    case .push(let record):
      if let step { senders.add(record.sequence, of: step, keeping: most) }
      if first == nil { first = record.sequence }
      return count(record.facts, step) || measuresLater && !record.firstFate.isFinal
    case .pushSettled, .answerSent: if let change { judgeAgain(change) }
    case .phone(let device, let app, let deviceEvent, let at): count(deviceEvent, on: device, app: app, at: at)
    case .callEnded(let end): count(end)
    case .connectionOpened(let id, let environment, let peer):
      count(id, environment: environment, peer: peer, of: step)
    default: break
    }
    return false
  }

  /// True if an expectation is not about pushes, events, calls or connections.
  private var readsAll: Bool {
    broadcasts != nil || auditor != nil || !aboutDelays.isEmpty || expectedScreens != nil
  }

  private mutating func readAll(_ event: WorldEvent, change: PushChange?, of step: Int?) {
    if broadcasts != nil { broadcasts?.read(event, of: step) }
    if auditor != nil { audit(event) }
    if !aboutDelays.isEmpty { measure(event, change: change, of: step) }
    if expectedScreens != nil {
      expectedScreens?.read(event)
      tokens.read(event)
    }
  }

  /// True if it has read the push as it was answered.
  private func hasRead(_ change: PushChange) -> Bool { first.map { change.before.number >= $0 } ?? false }

  /// The counts of an expectation so far.
  func counts(_ index: Int) -> Tally { tallies[index] }
  func broadcasts(_ index: Int) -> BroadcastTally { broadcasts?.counts(index) ?? BroadcastTally() }

  /// Later events no longer count for an expectation.
  package mutating func close(_ index: Int) {
    tallies[index].isClosed = true
    broadcasts?.close(index)
    dropFinal()
  }

  func sight(_ name: String) -> Observation? { sights[name] }

  func isOpen(_ index: Int, at now: Instant) -> Bool {
    guard !tallies[index].isClosed else { return false }
    return windows[index].map { $0.contains(began.duration(to: now)) } ?? true
  }

  /// - Returns: true if a later change of the push may change a result.
  private mutating func count(_ facts: PushRecord.Facts, _ step: Int?) -> Bool {
    pushes += 1
    let place = place(of: step)
    guard !openOfStep[place].isEmpty else { return false }
    var push = ObservedPush(facts, fate: nil, answer: nil, step: step)
    swap(&push.content, &content)
    let waits = looksAtLaterOfStep[place] ? !push.isSettled : false
    for question in openOfStep[place] where isOpen(question.index, at: facts.at.world) {
      count(question.index, question.evaluate(&push), by: 1)
    }
    swap(&push.content, &content)
    if hasNewFinal { dropFinal() }
    return waits
  }

  /// True if no further push can change the result of a question: a push has satisfied it, and a single one is enough.
  private func isDecided(_ question: PushQuestion) -> Bool { question.isSometimes && tallies[question.index].isSeen }

  /// The result of an expectation is final: it is evaluated no more.
  private mutating func dropFinal() {
    hasNewFinal = false
    let isOpen = { [tallies] (question: PushQuestion) in
      !tallies[question.index].isClosed && !(question.isSometimes && tallies[question.index].isSeen)
    }
    for place in aboutPushesOfStep.indices {
      openOfStep[place] = aboutPushesOfStep[place].filter(isOpen)
      looksAtLaterOfStep[place] = aboutLaterOfStep[place].contains(where: isOpen)
    }
    measuresLater = aboutDelays.contains { !tallies[$0].isClosed && delays[$0]?.looksAtFate == true }
  }

  private func place(of step: Int?) -> Int {
    guard let step, placeOfStep.indices.contains(step) else { return aboutPushesOfStep.count - 1 }
    return placeOfStep[step]
  }

  /// Counts a push by its new state, and no longer by the one before.
  private mutating func judgeAgain(_ change: PushChange) {
    let life = change.before
    let step = life.notes.step ?? senders.step(of: life.number)
    let place = place(of: step)
    guard looksAtLaterOfStep[place] else { return }
    var push = ObservedPush(life.record.facts, fate: life.fate, answer: life.sent, step: step)
    swap(&push.content, &content)
    let at = push.facts.at.world
    for question in aboutLaterOfStep[place] where isOpen(question.index, at: at) && !isDecided(question) {
      (push.current, push.answer) = (life.fate, life.sent)
      count(question.index, question.evaluate(&push), by: -1)
      (push.current, push.answer) = (change.fate, change.sent)
      count(question.index, question.evaluate(&push), by: 1)
    }
    swap(&push.content, &content)
    if hasNewFinal { dropFinal() }
  }

  private mutating func count(_ index: Int, _ judged: PushQuestion.Judged, by step: Int) {
    guard judged != .foreign else { return }
    tallies[index].meant += step
    guard judged == .met else { return }
    tallies[index].met += step
    guard !tallies[index].isSeen else { return }
    tallies[index].isSeen = true
    hasNewFinal = true
  }

  private mutating func count(_ deviceEvent: DeviceEvent, on device: DeviceID, app: Int?, at now: Instant) {
    guard !aboutEvents.isEmpty else { return }
    let name = deviceEvent.name
    sights[name, default: Observation(count: 0, device: device, at: now)].count += 1
    var event = DeviceEventSubject(name, on: device, app: app)
    for (index, matcher) in aboutEvents where isOpen(index, at: now) && matcher.matches(&event) {
      tallies[index].events += 1
      guard case .events(_, .ordered(let names)) = expectations[index].question else { continue }
      let reached = tallies[index].reached
      if reached < names.count, names[reached] == name { tallies[index].reached += 1 }
    }
  }
}

/// Expectations about calls of apps, connections, delays and findings.
extension Observer {
  func reports(_ index: Int) -> ReportTally { reports[index] ?? ReportTally() }
  func findings(_ index: Int) -> FailureSample<AuditFinding> { findings[index] ?? FailureSample() }
  func delay(_ index: Int) -> DelayTally? { delays[index] }
  func connections(_ index: Int) -> SeenConnections { connections[index] ?? SeenConnections() }

  /// The connections that an expectation counts.
  struct SeenConnections: Sendable {
    private(set) var sample = FailureSample<String>()
    private(set) var figures = Figures()

    /// - Parameter isOwn: whether the scenario's own provider opened it.
    mutating func add(_ id: ProviderConnectionID, _ words: String, isOwn: Bool) {
      sample.add(words)
      figures.meant += 1
      figures.met += 1
      if isOwn { figures.addAlike(id.number, isMet: true) }
    }
  }

  private mutating func count(_ end: CallEnd) {
    for (index, question) in aboutReports where isOpen(index, at: end.at) { reports[index]?.count(end, question) }
  }

  /// - Parameter step: the step that opened it; nil for a connection of a client.
  private mutating func count(_ id: ProviderConnectionID, environment: Environment, peer: String, of step: Int?) {
    var connection = ConnectionSubject(id, to: environment)
    for (index, matcher) in aboutConnections where !tallies[index].isClosed && matcher.matches(&connection) {
      let words = "connection \(id.number) to \(environment.rawValue), from \(peer)"
      connections[index]?.add(id, words, isOwn: step != nil)
    }
  }

  private mutating func measure(_ event: WorldEvent, change: PushChange?, of step: Int?) {
    for index in aboutDelays where !tallies[index].isClosed { delays[index]?.read(event, change: change, of: step) }
  }

  private mutating func audit(_ event: WorldEvent) {
    let before = auditor?.total ?? 0
    auditor?.read(event)
    guard auditor?.total != before, let found = auditor?.findings, let total = auditor?.total else { return }
    for finding in found.suffix(Int(total - before)) {
      for index in aboutFindings where isOpen(index, at: finding.at) {
        guard case .findings(let kind, _) = expectations[index].question, kind ?? finding.kind == finding.kind
        else { continue }
        findings[index]?.add(finding)
      }
    }
  }

  /// The push in its current state.
  func observed(_ record: PushRecord) -> ObservedPush {
    let step = senders.step(of: record.sequence)
    return ObservedPush(record, step: step, name: step.flatMap { names[$0] })
  }

  /// The filters of each expectation about pushes, and of its claim.
  func matchers(_ filter: Filter, _ condition: Filter) -> (means: Matcher, meets: Matcher) {
    (Matcher(filter, apps: apps, steps: names), Matcher(condition, apps: apps, steps: names))
  }
}

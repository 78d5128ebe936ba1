import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The apps' side of the protocol: what happens on a phone becomes a call, and an answer becomes what the app does.
extension World {
  /// Something has happened on a phone; its app may have something to say about it.
  mutating func hear(_ happening: Happening, app: Int?, on device: DeviceID, at now: Instant) {
    guard let app else {
      for app in fleet.plan.apps.indices where reports.reports(app) != nil {
        hear(happening, of: app, on: device, at: now)
      }
      return
    }
    guard reports.reports(app) != nil else { return }
    switch happening {
    case .appLaunched(let launch): launched(launch, app, device, at: now)
    case .appForegrounded:
      reports[device, app].retry(at: .foreground)
      tell(.foreground, .nothing, app, device, at: now)
      checkStale(app, device, at: now)
      if !reports[device, app].isChecking { reports[device, app].checksFrom = now }
      planStaleCheck(app, device, at: now)
    case .appBackgrounded: tell(.background, .nothing, app, device, at: now)
    case .appSuspended:
      if reports.reports(app)?.isRuntimeBound ?? true { abort(app, device, "its runtime was over", at: now) }
    case .appTerminated, .appUpdated:
      silence(app, device, "its process ended", at: now)
      reports[device, app].processBegan()
    case .appRemoved:
      silence(app, device, "the app was deleted", at: now)
      reports[device, app].installed(keepsDisk: false)
    case .activityStarted:
      report(happening, app, device, at: now)
      planStaleCheck(app, device, at: now)
    default: report(happening, app, device, at: now)
    }
    letLeave(app, device, at: now)
  }

  /// What concerns all of a phone.
  private mutating func hear(_ happening: Happening, of app: Int, on device: DeviceID, at now: Instant) {
    switch happening {
    case .rebooted:
      silence(app, device, "the phone was rebooted", at: now)
      reports[device, app].processBegan()
    case .restored:
      silence(app, device, "the phone was restored", at: now)
      reports[device, app].installed(keepsDisk: true)
    default: break
    }
  }

  private mutating func launched(_ launch: Launch, _ app: Int, _ device: DeviceID, at now: Instant) {
    reports[device, app].processBegan()
    tell(launch == .byPerson ? .launchCold : .launchBackground, .nothing, app, device, at: now)
    // Assumed: an app reads both at launch, and reports them before its tokens. Documented for what may change later.
    let phone = fleet.phone(device)
    let allowances = phone.installs[app].allowances
    let shows = allowances.contains(.liveActivities) && phone.isOn(.allLiveActivities, app: app)
    tell(.laEnablement, .value(shows), app, device, at: now)
    tell(.frequentPushes, .value(allowances.contains(.frequentUpdates)), app, device, at: now)
    checkStale(app, device, at: now)
  }

  private mutating func report(_ happening: Happening, _ app: Int, _ device: DeviceID, at now: Instant) {
    switch happening {
    case .tokenYielded(let slot):
      let event: ReportEvent =
        switch slot {
        case .app: .deviceToken
        case .service: .serviceToken
        case .pushToStart: .ptsToken
        case .update(let number): reports[device, app].meetsToken(of: number) ? .activityToken : .activityTokenRotated
        }
      tell(event, .token(slot), app, device, at: now)
    case .activityStarted(let number, .command): tell(.activityStartedLocal, .activity(number), app, device, at: now)
    case .activityYielded(let number):
      guard fleet.install(device, app: app).activity(number)?.origin == .push else { return }
      tell(.activityStartedPush, .activity(number), app, device, at: now)
    case .activityStateYielded(let number, let state):
      tell(.activityState(state), .activity(number), app, device, at: now)
    case .contentYielded(let number): tell(.contentApplied, .activity(number), app, device, at: now)
    case .activityRefused(let error): tell(.activityError, .error(error), app, device, at: now)
    case .enablementYielded(let value): tell(.laEnablement, .value(value), app, device, at: now)
    case .frequentPushesYielded(let value): tell(.frequentPushes, .value(value), app, device, at: now)
    case .notificationYielded(let number): tell(.notificationReceived, .notification(number), app, device, at: now)
    case .notificationTapped(let number): tell(.notificationTapped, .notification(number), app, device, at: now)
    case .backgroundPushYielded: tell(.silentPushHandled, .nothing, app, device, at: now)
    default: break
    }
  }

  // MARK: - Saying it

  /// Puts the requests of an event on their way, where the profile has any.
  private mutating func tell(
    _ event: ReportEvent, _ subject: ReportSubject, _ app: Int, _ device: DeviceID,
    followed: String? = nil, at now: Instant
  ) {
    guard let plan = reports.reports(app), plan.reports(event) else { return }
    var clock = now
    if !faults.reporting.isEmpty {
      let facts = FaultDesk.CallFacts(device: device, app: app, os: fleet.os(of: device).major, event: event.name)
      if let (name, ahead) = faults.clockError(facts, at: now) {
        events.append(.faultStruck(name, device, at: now))
        clock = now.advanced(by: ahead)
      }
    }
    let scope = scope(of: event, subject, app, device, plan, at: now, clock: clock)
    for unsent in reports[device, app].add(event, scope, plan, followed: followed) {
      reports.count += 1
      let number = reports.count
      let end =
        switch unsent {
        case .incomplete(let request, let missing):
          CallEnd(number: number, device, app: app, event: event.name, request, missing: missing, at: now)
        case .crowdedOut(let call):
          CallEnd(
            number: number, device, app: app, call, .queueFull,
            "\(Reporter.mostWaiting) calls of the app wait already", at: now)
        }
      events.append(.callEnded(end))
    }
  }

  // MARK: - Calls

  /// Lets go what may leave now.
  mutating func letLeave(_ app: Int, _ device: DeviceID, at now: Instant) {
    reports.turns.append(.leave(app: app, device, at: now))
    takeTurns()
  }

  private mutating func leave(_ app: Int, _ device: DeviceID, at now: Instant) {
    guard let plan = reports.reports(app), fleet.install(device, app: app).life.isRunning,
      let call = reports[device, app].next(plan)
    else { return }
    send(call, app, device, at: now)
    // The next one comes behind what this one has brought about, if it has ended at once.
    reports.turns.append(.leave(app: app, device, at: now))
  }

  private mutating func send(_ call: OutgoingCall, _ app: Int, _ device: DeviceID, at now: Instant) {
    reports.count += 1
    let number = reports.count
    let subject = ReportDesk.key(device, app)
    let count = reports[device, app].calls
    let trouble = reports.plan.trouble
    let draws = reports.draws
    reports[device, app].left(number)
    let open = ReportDesk.Open(
      device: device, app: app, call: call, since: now,
      losesAnswer: draws.answerLost.strikes(trouble.answerLost, subject, count),
      isDoubled: draws.doubled.strikes(trouble.doubled, subject, count))
    reports.begin(number, open)
    guard fleet.isOnline(device) else { return end(number, .failed(.offline, "the phone is offline"), at: now) }
    if !faults.reporting.isEmpty, let wait = strike(number, call.event, app, device, at: now) {
      if wait > .zero { plan(.callLeaves(number), due: now.advanced(by: wait)) }
      return
    }
    if !trouble.isNone {
      if draws.failed.strikes(trouble.failed, subject, count) {
        return end(number, .failed(.refusedByRule, "reports.trouble.fail struck"), at: now)
      }
      if draws.lost.strikes(trouble.lost, subject, count) {
        return end(number, .failed(.lost, "reports.trouble.lose struck"), at: now)
      }
      var wait = draws.delay.duration(in: trouble.delay, subject, count)
      if draws.overtaken.strikes(trouble.overtaken, subject, count) { wait += .seconds(1) }
      if wait > .zero { return plan(.callLeaves(number), due: now.advanced(by: wait)) }
    }
    launch(number, at: now)
  }

  /// Looks for a fault that strikes a call, and carries it out.
  ///
  /// - Returns: when the call leaves; zero where it has left, or never will. Nil where no fault strikes.
  private mutating func strike(
    _ number: UInt64, _ event: String, _ app: Int, _ device: DeviceID, at now: Instant
  ) -> Duration? {
    let facts = FaultDesk.CallFacts(device: device, app: app, os: fleet.os(of: device).major, event: event)
    guard let (name, fault) = faults.strike(facts, at: now) else { return nil }
    events.append(.faultStruck(name, device, at: now))
    switch fault {
    case .lose: end(number, .failed(.lost, "the fault \(name) struck"), at: now)
    case .fail: end(number, .failed(.refusedByRule, "the fault \(name) struck"), at: now)
    case .overtake: return .seconds(1)
    case .delay(let delay):
      return delay.draw(faultDelays, ReportDesk.key(device, app), reports[device, app].calls)
    case .loseAnswer:
      reports.open[number]?.losesAnswer = true
      reports.open[number]?.fault = name
      launch(number, at: now)
    case .clock: launch(number, at: now)
    case .double:
      reports.open[number]?.isDoubled = true
      launch(number, at: now)
    }
    return .zero
  }

  /// A call reaches the wire.
  mutating func launch(_ number: UInt64, at now: Instant) {
    guard let open = reports.launch(number) else { return }
    let record = CallRecord(
      number: number, device: open.device, app: open.app, call: open.call, at: now, isCopy: false)
    events.append(.call(record))
    if open.isDoubled {
      reports.count += 1
      events.append(
        .call(
          CallRecord(
            number: reports.count, device: open.device, app: open.app, call: open.call, at: now, isCopy: true)))
    }
  }

  /// A call has been answered, or nobody answered it.
  mutating func end(_ number: UInt64, _ result: CallOutcome, at now: Instant) {
    guard let open = reports.end(number), let plan = reports.reports(open.app) else { return }
    let isLost = open.losesAnswer && result.status != nil
    let striker = open.fault.map { "the fault \($0)" } ?? "reports.trouble.loseAnswer"
    let outcome: CallOutcome =
      isLost ? .failed(.answerLost, "\(striker) struck an answer \(result.status ?? 0)") : result
    events.append(.callEnded(CallEnd(open, number: number, outcome, at: now)))
    let deeds = reports[open.device, open.app].end(number, open.call, outcome, plan)
    for deed in deeds {
      reports.turns.append(.react(.init(deed: deed, app: open.app, device: open.device, at: now)))
    }
    letLeave(open.app, open.device, at: now)
  }

  private mutating func abort(_ app: Int, _ device: DeviceID, _ why: String, at now: Instant) {
    for number in reports[device, app].aborted {
      guard let open = reports.end(number), let plan = reports.reports(app) else { continue }
      let outcome = CallOutcome.failed(.aborted, why)
      events.append(.callEnded(CallEnd(open, number: number, outcome, at: now)))
      // The process that would do something about it does not run.
      _ = reports[device, app].end(number, open.call, outcome, plan)
    }
  }

  /// The process ends, and all it had to say.
  private mutating func silence(_ app: Int, _ device: DeviceID, _ why: String, at now: Instant) {
    abort(app, device, why, at: now)
    for call in reports[device, app].giveUp() {
      reports.count += 1
      events.append(
        .callEnded(CallEnd(number: reports.count, device, app: app, call, .aborted, why + " before it left", at: now)))
    }
  }

  // MARK: - What the app does

  /// Has apps do what is their turn. What comes of it may end calls at once, and that may be for others to act on: it
  /// waits its turn.
  private mutating func takeTurns() {
    guard !reports.isInTurns else { return }
    reports.isInTurns = true
    var next = 0
    while next < reports.turns.count {
      let turn = reports.turns[next]
      next += 1
      switch turn {
      case .react(let reaction): react(reaction)
      case .leave(let app, let device, let at): leave(app, device, at: at)
      }
    }
    reports.turns.removeAll(keepingCapacity: true)
    reports.isInTurns = false
  }

  private mutating func react(_ reaction: ReportDesk.Reaction) {
    switch reports.countReaction(reaction) {
    case ...ReportDesk.mostReactions: perform(reaction.deed, reaction.app, reaction.device, at: reaction.at)
    case ReportDesk.mostReactions + 1: events.append(.trouble(tooManyReactions(reaction)))
    default: break
    }
  }

  private func tooManyReactions(_ reaction: ReportDesk.Reaction) -> Trouble {
    let (app, device) = (fleet.plan.apps[reaction.app].bundleID, reaction.device.text)
    return Trouble(
      at: reaction.at, kind: "appReactions", peer: device,
      sentence: "\(app) on \(device) was to do more than \(ReportDesk.mostReactions) things in one second because of "
        + "calls that ended; the rest is dropped. Does its profile start again what has just failed (then, finally)?")
  }

  private mutating func perform(_ deed: Deed, _ app: Int, _ device: DeviceID, at now: Instant) {
    switch deed {
    case .startActivity(let type, let attributes, let content, let followed):
      var order = StartOrder(type: type)
      order.attributes = attributes
      order.content = content
      let result = ask(device) { $0.request(order, app: app, $1, at: now, &$2) }
      if case .failure = result, let followed { reports[device, app].warn(followed) }
    case .endActivity(let attribute, let value):
      for activity in fleet.install(device, app: app).activities where activity.isRunning(at: now) {
        let found = activity.attributes.value("attributes")?[attribute]
        guard let found, found.string ?? found.text == value else { continue }
        _ = ask(device) { $0.end(activity.number, app: app, dismissing: now, .command, $1, at: now, &$2) }
      }
    }
  }

  /// Calls of apps that wait for their backend: whoever moves a manual clock lets them end first. One that is delayed
  /// waits for that clock itself.
  package var openCalls: Int { reports.onWire }

  /// What the apps on a phone show beside what is followed, app by app, in the order in which it was.
  package func bells(on device: DeviceID) -> [(app: Int, key: String, bell: Bell)] {
    guard reports.isOn else { return [] }
    let phone = fleet.phone(device)
    return fleet.plan.apps.indices.filter { reports.reports($0)?.follows != nil }.flatMap { app in
      let canShow =
        phone.installs[app].allowances.contains(.liveActivities) && phone.isOn(.allLiveActivities, app: app)
      let reporter = reports[device, app]
      return reporter.followed.map { (app, $0, reporter.bell($0, canShow: canShow)) }
    }
  }

  /// A person does in the app what the profile calls by that name.
  mutating func use(
    _ action: String, _ app: Int, _ arguments: [JSONValue.Member], _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) {
    let bundle = fleet.plan.apps[app].bundleID
    guard let plan = reports.reports(app), plan.reports(.action(action)) else {
      let known = reports.reports(app)?.actions ?? []
      throw CommandProblem(
        .unknown, "action",
        known.isEmpty
          ? "\(bundle) has no actions: no profile gives it any (reports.on.action.NAME)."
          : "\(bundle) has no action \(action); there are \(known.joined(separator: ", ")).")
    }
    var followed: String?
    if let follows = plan.follows, action == follows.follow || action == follows.unfollow {
      let value = arguments.last { $0.key == follows.key }?.value
      guard let value, value != .null else {
        throw CommandProblem(
          .senseless, "arguments", "\(action) needs the argument \(follows.key): what is to be followed.")
      }
      followed = value.string ?? value.text
    }
    let phone = fleet.phone(device)
    if phone.installs[app].life != .foreground {
      let (wasLocked, wasDark) = (phone.isLocked, !phone.condition.contains(.screenOn))
      ask(device) { $0.open(app, $1, at: now, &$2) }
      self.plan(
        .visitEnds(device, app: app, locks: wasLocked, darkens: wasDark, quits: false),
        due: now.advanced(by: reports.plan.visit))
    }
    if let followed {
      if action == plan.follows?.follow {
        reports[device, app].follow(followed)
      } else {
        reports[device, app].unfollow(followed)
      }
    }
    tell(.action(action), .arguments(arguments), app, device, followed: followed, at: now)
    letLeave(app, device, at: now)
  }

  /// Opens an app once, so that its backend knows it, and leaves it as it was found.
  mutating func openFirst(_ app: Int, on device: DeviceID, at now: Instant) {
    let phone = fleet.phone(device)
    let install = phone.installs[app]
    guard install.isInstalled, install.life != .foreground else { return }
    let quits = install.life == .forceQuit
    let (wasLocked, wasDark) = (phone.isLocked, !phone.condition.contains(.screenOn))
    if install.life.hasProcess { ask(device) { $0.stop(app, as: .terminated, $1, at: now, &$2) } }
    ask(device) { $0.open(app, $1, at: now, &$2) }
    plan(
      .visitEnds(device, app: app, locks: wasLocked, darkens: wasDark, quits: quits),
      due: now.advanced(by: reports.plan.visit))
  }

  mutating func endVisit(
    _ app: Int, on device: DeviceID, locks: Bool, darkens: Bool, quits: Bool, at now: Instant
  ) {
    let phone = fleet.phone(device)
    guard phone.installs[app].life == .foreground else { return }
    ask(device) { $0.leave(app, $1, at: now, &$2) }
    if quits { ask(device) { $0.stop(app, as: .forceQuit, $1, at: now, &$2) } }
    if locks, !phone.isLocked { ask(device) { $0.lock($1, at: now, &$2) } }
    if darkens, fleet.phone(device).condition.contains(.screenOn) { ask(device) { $0.darkenScreen($1, at: now, &$2) } }
  }
}

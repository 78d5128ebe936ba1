import APNs
import Timeline

/// The processes of apps: runtime, and the events that apps receive with it.
extension Phone {
  /// True if a push or a token may give the app runtime.
  func canWake(_ app: Int) -> Bool {
    installs[app].canBeWoken && !condition.contains(.beforeFirstUnlock)
  }

  /// Delivers an event to the app: now if it runs or may be woken for it, otherwise when it next runs.
  mutating func emit(_ deviceEvent: DeviceEvent, to app: Int, waking launch: Launch? = nil, _ turn: inout PhoneTurn) {
    guard installs[app].isInstalled else { return }
    let isRunning = installs[app].life.isRunning
    guard isRunning || launch.map({ wake(app, launch: $0, &turn) }) ?? false else {
      installs[app].keep(deviceEvent)
      return
    }
    // A cold launch has delivered all the app's activities already, including this one.
    if !isRunning, case .tokenYielded = deviceEvent, turn.hasEmitted(deviceEvent, app: app) {
      return
    }
    deliver(deviceEvent, to: app, &turn)
  }

  /// Delivers the event if the app's observers listen for it.
  private mutating func deliver(_ deviceEvent: DeviceEvent, to app: Int, _ turn: inout PhoneTurn) {
    switch deviceEvent {
    case .activityYielded where !installs[app].observes: return
    case .tokenYielded(.update(let number)):
      guard hearsToken(of: number, app, turn.behavior) else { return }
    case .tokenYielded(.pushToStart) where !installs[app].hearsStartTokens: return
    default: break
    }
    turn.emit(deviceEvent, app: app)
  }

  /// True if the app listens to the token stream of an activity.
  func hearsToken(of number: UInt32, _ app: Int, _ behavior: PhoneBehavior) -> Bool {
    let install = installs[app]
    guard install.hearsTokens else { return false }
    return install.observes || install.activity(number)?.origin != .push
  }

  /// Gives the app runtime in the background.
  ///
  /// Documented: a start by push, a new token and a background push wake an app unless the person has force-quit it.
  ///
  /// - Parameter end: the end of the runtime; nil: after `timing.runtime`.
  /// - Returns: whether the app runs.
  mutating func wake(_ app: Int, launch: Launch, until end: Instant? = nil, _ turn: inout PhoneTurn) -> Bool {
    guard !condition.contains(.beforeFirstUnlock) else { return false }
    let end = end ?? turn.now.advanced(by: turn.behavior.policy.timing.runtime)
    switch installs[app].wake(until: end) {
    case .refused: return false
    case .inForeground: return true
    case .awake: break
    case .goesOn:
      turn.countWake(launch)
      turn.plan(.runtimeEnds(app: app), due: end)
    case .launched:
      turn.countWake(launch)
      turn.plan(.runtimeEnds(app: app), due: end)
      launchCold(app, launch: launch, &turn)
    }
    flushPending(app, &turn)
    return true
  }

  /// A new process: it registers, and reads the existing activities.
  ///
  /// Documented: an app registers with APNs at every launch, and re-attaches to `Activity.activities`.
  private mutating func launchCold(_ app: Int, launch: Launch, _ turn: inout PhoneTurn) {
    let profile = turn.behavior.apps[app]
    installs[app].launch(profile.traits.observing, launch)
    turn.emit(.appLaunched(launch), app: app)
    // Documented: without the capability, registration fails and no token of any kind is issued.
    let hasCapability = profile.traits.pushCapability
    let isFirst = hasCapability && !installs[app].hasTokens
    if isFirst {
      turn.emit(.tokenIssued(.app), app: app)
      if hasStartToken(app, turn.behavior), !installs[app].keptStartTokens {
        for type in profile.types.indices { turn.emit(.tokenIssued(.pushToStart(type: type)), app: app) }
      }
      installs[app].receiveTokens()
    }
    if hasCapability {
      turn.emit(.tokenYielded(.app), app: app)
      for suffix in profile.services { turn.emit(.tokenYielded(.service(suffix)), app: app) }
      yieldStartTokens(app, isFirst: isFirst, &turn)
    }
    for activity in installs[app].activities where !activity.isOver(at: turn.now) {
      guard installs[app].observes || activity.origin != .push else { continue }
      turn.emit(.activityYielded(activity.number), app: app)
      if activity.hasToken, activity.updates == .token {
        turn.emit(.tokenYielded(.update(activity: activity.number)), app: app)
      }
    }
  }

  private mutating func yieldStartTokens(_ app: Int, isFirst: Bool, _ turn: inout PhoneTurn) {
    // An app that reads the token only once finds it from the second launch on, because the first launch issues it.
    let isRead = !turn.behavior.apps[app].traits.observing.tokenUpdates && !isFirst
    guard hasStartToken(app, turn.behavior), installs[app].hearsStartTokens || isRead else { return }
    let policy = turn.behavior.policy.startTokens
    if policy.availability(on: os) == .freshInstallAfterReboot {
      guard installs[app].yieldStartTokenOnce() else { return }
    } else if !policy.replays, !isFirst {
      return
    }
    let launch = UInt64(installs[app].launches)
    guard !turn.behavior.draws.tokenLoss.strikes(policy.silence, subject: subject(app), count: launch) else { return }
    for type in turn.behavior.apps[app].types.indices {
      turn.emit(.tokenYielded(.pushToStart(type: type)), app: app)
    }
  }

  private mutating func flushPending(_ app: Int, _ turn: inout PhoneTurn) {
    for deviceEvent in installs[app].takePending()
    where !turn.hasEmitted(deviceEvent, app: app) {
      deliver(deviceEvent, to: app, &turn)
    }
  }

  // MARK: - Actions of the person

  /// The person opens the app.
  package mutating func open(_ app: Int, _ turn: inout PhoneTurn) {
    guard installs[app].isInstalled, installs[app].life != .foreground else { return }
    putDown()
    if isLocked { unlock(&turn) }
    for other in installs.indices where installs[other].life == .foreground { leave(other, &turn) }
    if installs[app].open() == .launched { launchCold(app, launch: .byPerson, &turn) }
    turn.emit(.appForegrounded, app: app)
    if turn.behavior.apps[app].traits.observing.tokenUpdates, installs[app].listenToStartTokens() {
      yieldStartTokens(app, isFirst: false, &turn)
    }
    flushPending(app, &turn)
    installs[app].refillStarts(turn.behavior.budget.start, at: turn.now)
    launchBackground(app, &turn)
    flush(.foreground, &turn)
  }

  /// The person leaves the app; it keeps some runtime.
  package mutating func leave(_ app: Int, _ turn: inout PhoneTurn) {
    let end = turn.now.advanced(by: turn.behavior.policy.timing.runtime)
    guard installs[app].leave(until: end, keepsTask: turn.behavior.apps[app].traits.observing.keepsTask) else { return }
    turn.plan(.runtimeEnds(app: app), due: end)
    turn.emit(.appBackgrounded, app: app)
  }

  /// Ends the process: by the person, by the system, or by itself.
  package mutating func stop(_ app: Int, as end: ProcessEnd, _ turn: inout PhoneTurn) {
    switch end {
    case .terminated: installs[app].terminate()
    case .crashed: installs[app].crash()
    case .forceQuit:
      installs[app].forceQuit(leaks: turn.behavior.policy.leaksOnForceQuit, at: turn.now)
      discardBackground(app: app, as: .background(.discarded(.forceQuit)), &turn)
    }
    turn.emit(.appTerminated(end.life), app: app)
  }

  mutating func endRuntime(_ app: Int, _ turn: inout PhoneTurn) {
    guard installs[app].endRuntime(at: turn.now) else { return }
    turn.emit(.appSuspended, app: app)
  }

  package mutating func uninstall(_ app: Int, _ turn: inout PhoneTurn) {
    // The process ends first: an app does not see its own end.
    installs[app].terminate()
    dropDeferred(app, &turn)
    endAll(app: app, cause: .appRemoved, dismissing: turn.now, &turn)
    let isOnline = isOnline
    changeNotifications(app) { $0.remove(turn.behavior.policy, isOnline: isOnline, at: turn.now) }
    turn.emit(.appRemoved, app: app)
  }

  /// - Parameter opens: whether the person opens it at once; an app that was never opened has no tokens.
  package mutating func reinstall(_ app: Int, opens: Bool, _ turn: inout PhoneTurn) {
    installs[app].reinstall(at: turn.now)
    if !turn.behavior.policy.startTokens.rotatesOnReinstall, hasStartToken(app, turn.behavior) {
      installs[app].takeBackStartTokens()
    }
    turn.emit(.appInstalled, app: app)
    if opens { visit(app, &turn) { _, _ in } }
  }

  /// The person opens the app briefly, does something there, and returns the phone to its earlier state.
  package mutating func visit(
    _ app: Int, _ turn: inout PhoneTurn,
    doing act: (inout Phone, inout PhoneTurn) -> Void
  ) {
    let before = condition
    open(app, &turn)
    act(&self, &turn)
    leave(app, &turn)
    if before.contains(.locked) { lock(&turn) }
    if !before.contains(.screenOn) { darkenScreen(&turn) }
  }

  /// The next version of the app is installed. Assumed: activities and tokens continue unless the policy says
  /// otherwise, and content is decoded with the new version's types.
  package mutating func update(_ app: Int, _ turn: inout PhoneTurn) {
    installs[app].update()
    turn.emit(.appUpdated, app: app)
    if !turn.behavior.policy.activitiesSurviveAppUpdate { endAll(app: app, cause: .system, &turn) }
    if turn.behavior.policy.startTokens.rotatesOnAppUpdate { rotateStartTokens(app, &turn) }
  }

  /// Replaces the push-to-start tokens of an app, if it has any.
  mutating func rotateStartTokens(_ app: Int, _ turn: inout PhoneTurn) {
    guard installs[app].hasTokens, hasStartToken(app, turn.behavior) else { return }
    for type in turn.behavior.apps[app].types.indices { rotate(app: app, slot: .pushToStart(type: type), &turn) }
  }

  /// Replaces a slot's token.
  ///
  /// - Parameter silently: the app is not told, not even when it next runs. Observed: for weeks, the start token on a
  ///   device differed from the one the backend pushed to (luka-ios pull request 146).
  package mutating func rotate(app: Int, slot: TokenSlot, silently: Bool = false, _ turn: inout PhoneTurn) {
    // When APNs learns that the old token is dead; nil if only a push will tell it.
    let notice: Instant? =
      switch slot {
      // Treated like an uninstall: APNs learns it from later pushes.
      case .app, .service: nil
      case .pushToStart: turn.now.advanced(by: turn.behavior.policy.startTokenGrace)
      case .update: turn.now.advanced(by: turn.behavior.policy.updateTokenGrace)
      }
    guard installs[app].change(slot, { $0.rotate(notice: notice) }) != nil else { return }
    turn.emit(.tokenIssued(slot), app: app)
    guard !silently else { return }
    // Documented: a new update token gives the app runtime; other tokens are delivered when it next runs.
    let wakes: Launch? = slot.isActivity && turn.behavior.policy.newTokenWakesApp ? .byToken : nil
    emit(.tokenYielded(slot), to: app, waking: wakes, &turn)
  }
}

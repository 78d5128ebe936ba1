import APNs
import Timeline

/// The processes of apps: runtime, and the events that apps receive with it.
extension Phone {
  /// Whether a push or a token may give the app runtime.
  func canWake(_ app: Int) -> Bool {
    installs[app].canBeWoken && !condition.contains(.beforeFirstUnlock)
  }

  /// Delivers an event to the app: now if it runs or may be woken for it, otherwise when it next runs.
  mutating func emit(
    _ deviceEvent: DeviceEvent, to app: Int, waking launch: Launch? = nil, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    guard installs[app].isInstalled else { return }
    let isRunning = installs[app].life.isRunning
    guard isRunning || launch.map({ wake(app, $0, model, at: now, &effects) }) ?? false else {
      installs[app].keep(deviceEvent)
      return
    }
    // A cold launch has delivered all the app's activities already, including this one.
    if !isRunning, case .tokenYielded = deviceEvent, effects.items.contains(.happened(deviceEvent, app: app, at: now)) {
      return
    }
    deliver(deviceEvent, to: app, model, at: now, &effects)
  }

  /// Delivers the event if the app's observers listen for it.
  private mutating func deliver(
    _ deviceEvent: DeviceEvent, to app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    switch deviceEvent {
    case .activityYielded where !installs[app].observes: return
    case .tokenYielded(.update(let number)):
      guard hearsToken(of: number, app, model) else { return }
    case .tokenYielded(.pushToStart) where !installs[app].hearsStartTokens: return
    default: break
    }
    effects.emit(deviceEvent, app: app, at: now)
  }

  /// Whether the app listens to the token stream of an activity.
  func hearsToken(of number: UInt32, _ app: Int, _ model: PhoneModel) -> Bool {
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
  mutating func wake(
    _ app: Int, _ launch: Launch, until end: Instant? = nil, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Bool {
    guard !condition.contains(.beforeFirstUnlock) else { return false }
    let end = end ?? now.advanced(by: model.policy.timing.runtime)
    switch installs[app].wake(until: end) {
    case .refused: return false
    case .inForeground: return true
    case .awake: break
    case .goesOn:
      effects.counts.countWake(launch)
      effects.plan(.runtimeEnds(app: app), due: end)
    case .launched:
      effects.counts.countWake(launch)
      effects.plan(.runtimeEnds(app: app), due: end)
      launchCold(app, launch, model, at: now, &effects)
    }
    flushPending(app, model, at: now, &effects)
    return true
  }

  /// A new process: it registers, and reads the existing activities.
  ///
  /// Documented: an app registers with APNs at every launch, and re-attaches to `Activity.activities`.
  private mutating func launchCold(
    _ app: Int, _ launch: Launch, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    let profile = model.apps[app]
    installs[app].launch(profile.traits.observing, launch)
    effects.emit(.appLaunched(launch), app: app, at: now)
    // Documented: without the capability, registration fails and no token of any kind is issued.
    let hasCapability = profile.traits.pushCapability
    let isFirst = hasCapability && !installs[app].hasTokens
    if isFirst {
      effects.emit(.tokenIssued(.app), app: app, at: now)
      if hasStartToken(app, model), !installs[app].keptStartTokens {
        for type in profile.types.indices { effects.emit(.tokenIssued(.pushToStart(type: type)), app: app, at: now) }
      }
      installs[app].receiveTokens()
    }
    if hasCapability {
      effects.emit(.tokenYielded(.app), app: app, at: now)
      for suffix in profile.services { effects.emit(.tokenYielded(.service(suffix)), app: app, at: now) }
      yieldStartTokens(app, isFirst: isFirst, model, at: now, &effects)
    }
    for activity in installs[app].activities where !activity.isOver(at: now) {
      guard installs[app].observes || activity.origin != .push else { continue }
      effects.emit(.activityYielded(activity.number), app: app, at: now)
      if activity.hasToken, activity.updates == .token {
        effects.emit(.tokenYielded(.update(activity: activity.number)), app: app, at: now)
      }
    }
  }

  private mutating func yieldStartTokens(
    _ app: Int, isFirst: Bool, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    // An app that reads the token only once finds it from the second launch on, because the first launch issues it.
    let isRead = !model.apps[app].traits.observing.tokenUpdates && !isFirst
    guard hasStartToken(app, model), installs[app].hearsStartTokens || isRead else { return }
    let policy = model.policy.startTokens
    if policy.availability(on: os) == .freshInstallAfterReboot {
      guard installs[app].yieldStartTokenOnce() else { return }
    } else if !policy.replays, !isFirst {
      return
    }
    let launch = UInt64(installs[app].launches)
    guard !model.draws.tokenLoss.strikes(policy.silence, subject(app), launch) else { return }
    for type in model.apps[app].types.indices {
      effects.emit(.tokenYielded(.pushToStart(type: type)), app: app, at: now)
    }
  }

  private mutating func flushPending(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    for deviceEvent in installs[app].takePending()
    where !effects.items.contains(.happened(deviceEvent, app: app, at: now)) {
      deliver(deviceEvent, to: app, model, at: now, &effects)
    }
  }

  // MARK: - Actions of the person

  /// The person opens the app.
  package mutating func open(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    guard installs[app].isInstalled, installs[app].life != .foreground else { return }
    putDown()
    if isLocked { unlock(model, at: now, &effects) }
    for other in installs.indices where installs[other].life == .foreground { leave(other, model, at: now, &effects) }
    if installs[app].open() == .launched { launchCold(app, .byPerson, model, at: now, &effects) }
    effects.emit(.appForegrounded, app: app, at: now)
    if model.apps[app].traits.observing.tokenUpdates, installs[app].listenToStartTokens() {
      yieldStartTokens(app, isFirst: false, model, at: now, &effects)
    }
    flushPending(app, model, at: now, &effects)
    installs[app].refillStarts(model.budget.start, at: now)
    launchBackground(app, at: now, &effects)
    flush(.foreground, model, at: now, &effects)
  }

  /// The person leaves the app; it keeps some runtime.
  package mutating func leave(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    let end = now.advanced(by: model.policy.timing.runtime)
    guard installs[app].leave(until: end, keepsTask: model.apps[app].traits.observing.keepsTask) else { return }
    effects.plan(.runtimeEnds(app: app), due: end)
    effects.emit(.appBackgrounded, app: app, at: now)
  }

  /// Ends the process: by the person, by the system, or by itself.
  package mutating func stop(
    _ app: Int, as end: ProcessEnd, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    switch end {
    case .terminated: installs[app].terminate()
    case .crashed: installs[app].crash()
    case .forceQuit:
      installs[app].forceQuit(leaks: model.policy.leaksOnForceQuit, at: now)
      discardBackground(app, at: now, &effects)
    }
    effects.emit(.appTerminated(end.life), app: app, at: now)
  }

  mutating func endRuntime(_ app: Int, at due: Instant, _ effects: inout PhoneEffects) {
    guard installs[app].endRuntime(at: due) else { return }
    effects.emit(.appSuspended, app: app, at: due)
  }

  package mutating func uninstall(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    // The process ends first: an app does not see its own end.
    installs[app].terminate()
    forfeitHeld(app, at: now, &effects)
    endAll(app, .appRemoved, dismissing: now, model, at: now, &effects)
    installs[app].remove(model.policy, isOnline: isOnline, at: now)
    effects.emit(.appRemoved, app: app, at: now)
  }

  /// - Parameter opens: whether the person opens it at once; an app that was never opened has no tokens.
  package mutating func reinstall(
    _ app: Int, opens: Bool, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    installs[app].reinstall(at: now)
    if !model.policy.startTokens.rotatesOnReinstall, hasStartToken(app, model) {
      installs[app].takeBackStartTokens()
    }
    effects.emit(.appInstalled, app: app, at: now)
    if opens { visit(app, model, at: now, &effects) { _, _ in } }
  }

  /// The person opens the app briefly, does something there, and returns the phone to its earlier state.
  package mutating func visit(
    _ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects,
    _ act: (inout Phone, inout PhoneEffects) -> Void
  ) {
    let before = condition
    open(app, model, at: now, &effects)
    act(&self, &effects)
    leave(app, model, at: now, &effects)
    if before.contains(.locked) { lock(model, at: now, &effects) }
    if !before.contains(.screenOn) { darkenScreen(model, at: now, &effects) }
  }

  /// The next version of the app is installed. Assumed: activities and tokens continue unless the policy says
  /// otherwise, and content is decoded with the new version's types.
  package mutating func update(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    installs[app].update()
    effects.emit(.appUpdated, app: app, at: now)
    if !model.policy.activitiesSurviveAppUpdate { endAll(app, .system, model, at: now, &effects) }
    if model.policy.startTokens.rotatesOnAppUpdate { rotateStartTokens(app, model, at: now, &effects) }
  }

  /// Replaces the push-to-start tokens of an app, if it has any.
  mutating func rotateStartTokens(_ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    guard installs[app].hasTokens, hasStartToken(app, model) else { return }
    for type in model.apps[app].types.indices { rotate(app, .pushToStart(type: type), model, at: now, &effects) }
  }

  /// Replaces a slot's token.
  ///
  /// - Parameter silently: the app is not told, not even when it next runs. Observed: for weeks, the start token on a
  ///   device differed from the one the backend pushed to (luka-ios pull request 146).
  package mutating func rotate(
    _ app: Int, _ slot: TokenSlot, silently: Bool = false, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    // When APNs learns that the old token is dead; nil if only a push will tell it.
    let notice: Instant? =
      switch slot {
      // Treated like an uninstall: APNs learns it from later pushes.
      case .app, .service: nil
      case .pushToStart: now.advanced(by: model.policy.startTokenGrace)
      case .update: now.advanced(by: model.policy.updateTokenGrace)
      }
    guard installs[app].change(slot, { $0.rotate(notice: notice) }) != nil else { return }
    effects.emit(.tokenIssued(slot), app: app, at: now)
    guard !silently else { return }
    // Documented: a new update token gives the app runtime; other tokens are delivered when it next runs.
    let wakes: Launch? = slot.isActivity && model.policy.newTokenWakesApp ? .byToken : nil
    emit(.tokenYielded(slot), to: app, waking: wakes, model, at: now, &effects)
  }
}

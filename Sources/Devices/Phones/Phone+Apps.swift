import APNs
import Timeline

/// The processes of apps: who gives them runtime, and what they are told with it.
extension Phone {
  /// Whether a push or a token may give the app runtime.
  func canWake(_ app: Int) -> Bool {
    installs[app].canBeWoken && !condition.contains(.beforeFirstUnlock)
  }

  /// Tells the app something, now if it runs or may be woken for it, else when it runs next.
  mutating func tell(
    _ happening: Happening, to app: Int, waking launch: Launch? = nil, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) {
    guard installs[app].isInstalled else { return }
    let isRunning = installs[app].life.isRunning
    guard isRunning || launch.map({ wake(app, $0, model, at: now, &news) }) ?? false else {
      installs[app].keep(happening)
      return
    }
    // A cold launch has gone through all the app's activities already, this one included.
    if !isRunning, case .tokenYielded = happening, news.items.contains(.happened(happening, app: app, at: now)) {
      return
    }
    deliver(happening, to: app, model, at: now, &news)
  }

  /// What the app's own observers let through.
  private mutating func deliver(
    _ happening: Happening, to app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    switch happening {
    case .activityYielded where !installs[app].observes: return
    case .tokenYielded(.update(let number)):
      guard hearsToken(of: number, app, model) else { return }
    case .tokenYielded(.pushToStart) where !installs[app].hearsStartTokens: return
    default: break
    }
    news.tell(happening, app: app, at: now)
  }

  /// Whether the app listens to the token stream of an activity.
  func hearsToken(of number: UInt32, _ app: Int, _ model: PhoneModel) -> Bool {
    let install = installs[app]
    guard install.hearsTokens else { return false }
    return install.observes || install.activity(number)?.origin != .push
  }

  /// Gives the app runtime in the background.
  ///
  /// Documented: a start by push, a new token and a background push wake an app unless its owner has force-quit it.
  ///
  /// - Returns: whether the app runs.
  mutating func wake(
    _ app: Int, _ launch: Launch, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Bool {
    guard !condition.contains(.beforeFirstUnlock) else { return false }
    let end = now.advanced(by: model.habits.timing.runtime)
    switch installs[app].wake(until: end) {
    case .refused: return false
    case .inForeground: return true
    case .awake: break
    case .goesOn: news.plan(.runtimeEnds(app: app), due: end)
    case .launched:
      news.plan(.runtimeEnds(app: app), due: end)
      launchCold(app, launch, model, at: now, &news)
    }
    flushPending(app, model, at: now, &news)
    return true
  }

  /// A new process: it registers, and goes through what there is.
  ///
  /// Documented: an app registers with APNs at every launch, and re-attaches to `Activity.activities`.
  private mutating func launchCold(
    _ app: Int, _ launch: Launch, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    let profile = model.apps[app]
    installs[app].launch(profile.traits.observing, launch)
    news.tell(.appLaunched(launch), app: app, at: now)
    // Documented: without the capability, registering fails and no token of any kind is made.
    let hasCapability = profile.traits.pushCapability
    let isFirst = hasCapability && !installs[app].hasTokens
    if isFirst {
      news.tell(.tokenIssued(.app), app: app, at: now)
      if hasStartToken(app, model), !installs[app].keptStartTokens {
        for type in profile.types.indices { news.tell(.tokenIssued(.pushToStart(type: type)), app: app, at: now) }
      }
      installs[app].receiveTokens()
    }
    if hasCapability {
      news.tell(.tokenYielded(.app), app: app, at: now)
      for suffix in profile.services { news.tell(.tokenYielded(.service(suffix)), app: app, at: now) }
      yieldStartTokens(app, isFirst: isFirst, model, at: now, &news)
    }
    for activity in installs[app].activities where !activity.isOver(at: now) {
      guard installs[app].observes || activity.origin != .push else { continue }
      news.tell(.activityYielded(activity.number), app: app, at: now)
      if activity.hasToken, activity.updates == .token {
        news.tell(.tokenYielded(.update(activity: activity.number)), app: app, at: now)
      }
    }
    // The first launch sets it going; from then on each replacement plans the next.
    if hasCapability, model.habits.startTokens.rotation != nil, installs[app].rotateByChance() {
      for type in profile.types.indices {
        planRotation(app, .pushToStart(type: type), model, at: now, &news)
      }
    }
  }

  private mutating func yieldStartTokens(
    _ app: Int, isFirst: Bool, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard hasStartToken(app, model), installs[app].hearsStartTokens else { return }
    let habits = model.habits.startTokens
    if habits.availability(on: os) == .freshInstallAfterReboot {
      guard installs[app].yieldStartTokenOnce() else { return }
    } else if !habits.replays, !isFirst {
      return
    }
    let launch = UInt64(installs[app].launches)
    guard !model.draws.tokenLoss.strikes(habits.silence, subject(app), launch) else { return }
    for type in model.apps[app].types.indices {
      news.tell(.tokenYielded(.pushToStart(type: type)), app: app, at: now)
    }
  }

  private mutating func flushPending(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    for happening in installs[app].takePending() where !news.items.contains(.happened(happening, app: app, at: now)) {
      deliver(happening, to: app, model, at: now, &news)
    }
  }

  // MARK: - What the person does with it

  /// The person opens the app.
  package mutating func open(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    guard installs[app].isInstalled, installs[app].life != .foreground else { return }
    if isLocked { unlock(model, at: now, &news) }
    for other in installs.indices where installs[other].life == .foreground { leave(other, model, at: now, &news) }
    if installs[app].open() == .launched { launchCold(app, .byPerson, model, at: now, &news) }
    news.tell(.appForegrounded, app: app, at: now)
    if installs[app].listenToStartTokens() { yieldStartTokens(app, isFirst: false, model, at: now, &news) }
    flushPending(app, model, at: now, &news)
    installs[app].refillStarts(model.budget.start, at: now)
    launchBackground(app, at: now, &news)
    flush(.foreground, model, at: now, &news)
  }

  /// The person leaves the app; it has some runtime yet.
  package mutating func leave(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    let end = now.advanced(by: model.habits.timing.runtime)
    guard installs[app].leave(until: end, keepsTask: model.apps[app].traits.observing.keepsTask) else { return }
    news.plan(.runtimeEnds(app: app), due: end)
    news.tell(.appBackgrounded, app: app, at: now)
  }

  /// The process ends: by its owner's hand, by the system, or by itself.
  package mutating func stop(
    _ app: Int, as end: ProcessEnd, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    switch end {
    case .terminated: installs[app].terminate()
    case .crashed: installs[app].crash()
    case .forceQuit:
      installs[app].forceQuit(leaks: model.habits.leaksOnForceQuit, at: now)
      discardBackground(app, at: now, &news)
    }
    news.tell(.appTerminated(end.life), app: app, at: now)
  }

  mutating func endRuntime(_ app: Int, at due: Instant, _ news: inout PhoneNews) {
    guard installs[app].endRuntime(at: due) else { return }
    news.tell(.appSuspended, app: app, at: due)
  }

  package mutating func uninstall(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    // The process goes first: no app hears of its own end.
    installs[app].terminate()
    endAll(app, .appRemoved, dismissing: now, model, at: now, &news)
    forfeitNotifications(app, at: now, &news)
    installs[app].remove(model.habits, isOnline: isOnline, at: now)
    news.tell(.appRemoved, app: app, at: now)
  }

  /// - Parameter opens: the person opens it at once; an app that was never opened has no tokens.
  package mutating func reinstall(
    _ app: Int, opens: Bool, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    installs[app].reinstall(at: now)
    if !model.habits.startTokens.rotatesOnReinstall, hasStartToken(app, model) {
      installs[app].takeBackStartTokens()
    }
    news.tell(.appInstalled, app: app, at: now)
    if opens { visit(app, model, at: now, &news) { _, _ in } }
  }

  /// The person opens the app for a moment, does something there, and puts the phone back as it was.
  package mutating func visit(
    _ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews,
    _ act: (inout Phone, inout PhoneNews) -> Void
  ) {
    let before = condition
    open(app, model, at: now, &news)
    act(&self, &news)
    leave(app, model, at: now, &news)
    if before.contains(.locked) { lock(model, at: now, &news) }
    if !before.contains(.screenOn) { darkenScreen(model, at: now, &news) }
  }

  /// The next version of the app is installed over the present one. Assumed: activities and tokens go on, where the
  /// habits do not say otherwise, and content is decoded by the new version's types.
  package mutating func update(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    installs[app].update()
    news.tell(.appUpdated, app: app, at: now)
    if !model.habits.activitiesSurviveAppUpdate { endAll(app, .system, model, at: now, &news) }
    if model.habits.startTokens.rotatesOnAppUpdate { rotateStartTokens(app, model, at: now, &news) }
  }

  /// The push-to-start tokens of an app are replaced, where it has any.
  mutating func rotateStartTokens(_ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    guard installs[app].hasTokens, hasStartToken(app, model) else { return }
    for type in model.apps[app].types.indices { rotate(app, .pushToStart(type: type), model, at: now, &news) }
  }

  /// A slot's token is replaced.
  ///
  /// - Parameter silently: the app is not told, also not when it runs next. Observed: a start token on the device was
  ///   another than the one the backend pushed to for weeks (luka-ios pull request 146).
  package mutating func rotate(
    _ app: Int, _ slot: TokenSlot, silently: Bool = false, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) {
    // When APNs knows that the old one is dead; nil when only a push will tell it.
    let notice: Instant? =
      switch slot {
      // Treated like an uninstall: APNs learns it from the pushes that follow.
      case .app, .service: nil
      case .pushToStart: now.advanced(by: model.habits.startTokenGrace)
      case .update: now.advanced(by: model.habits.updateTokenGrace)
      }
    guard installs[app].change(slot, { $0.rotate(notice: notice) }) != nil else { return }
    news.tell(.tokenIssued(slot), app: app, at: now)
    guard !silently else { return }
    // Documented: a new update token gives the app runtime; of the others it learns when it runs next.
    let wakes: Launch? = slot.isActivity && model.habits.newTokenWakesApp ? .byToken : nil
    tell(.tokenYielded(slot), to: app, waking: wakes, model, at: now, &news)
  }
}

import APNs
import Timeline

/// What a person and the system do to the phone as a whole.
extension Phone {
  package mutating func setOnline(_ online: Bool, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    isOnline = online
    news.tell(online ? .wentOnline : .wentOffline, at: now)
    guard online else { return }
    for app in installs.indices { installs[app].reconnect(model.habits, at: now) }
  }

  package mutating func lock(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    for app in installs.indices where installs[app].life == .foreground { leave(app, model, at: now, &news) }
    condition.insert(.locked)
    news.tell(.locked, at: now)
    // Documented: a transient activity ends when the phone is locked.
    for app in installs.indices {
      for index in installs[app].activities.indices
      where installs[app].activities[index].isTransient && !installs[app].activities[index].isOver(at: now) {
        end(ActivityPlace(app, index), .transient, dismissing: now, model, at: now, &news)
      }
    }
    seePrompts(model, at: now, &news)
  }

  /// Unlocking lights the screen.
  package mutating func unlock(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    condition.remove([.locked, .beforeFirstUnlock])
    news.tell(.unlocked, at: now)
    lightScreen(model, at: now, &news)
  }

  package mutating func lightScreen(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    guard !condition.contains(.screenOn) else { return }
    condition.insert(.screenOn)
    news.tell(.screenLit, at: now)
    flush(.screenOn, model, at: now, &news)
  }

  package mutating func darkenScreen(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    condition.remove(.screenOn)
    news.tell(.screenDark, at: now)
    if !isLocked { lock(model, at: now, &news) }
  }

  /// Documented: a reboot lifts a force-quit. Assumed: no app is launched before the first unlock.
  package mutating func reboot(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    condition.insert([.locked, .beforeFirstUnlock])
    condition.remove(.screenOn)
    news.tell(.rebooted, at: now)
    for app in installs.indices {
      installs[app].reboot()
      if !model.habits.activitiesSurviveReboot { endAll(app, .system, model, at: now, &news) }
      if model.habits.startTokens.rotatesOnReboot { rotateStartTokens(app, model, at: now, &news) }
    }
  }

  /// A backup of this phone is played back to one that is new to it, or to this one after it was erased.
  ///
  /// Documented: every token changes, and an app has none before it was opened. Assumed: cards do not come along, where
  /// the habits do not say otherwise.
  package mutating func restore(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    news.tell(.restored, at: now)
    for app in installs.indices where installs[app].isInstalled {
      installs[app].terminate()
      if !model.habits.activitiesSurviveRestore { endAll(app, .system, dismissing: now, model, at: now, &news) }
      forfeitNotifications(app, at: now, &news)
      installs[app].restore(model.habits, isOnline: isOnline, keepsStartTokens: keeps(app, model), at: now)
      for activity in installs[app].activities where activity.hasToken && !activity.isOver(at: now) {
        news.tell(.tokenIssued(.update(activity: activity.number)), app: app, at: now)
      }
    }
    condition = condition.intersection([.charging, .timeSensitiveAllowed]).union([.locked, .beforeFirstUnlock])
  }

  private func keeps(_ app: Int, _ model: PhoneModel) -> Bool {
    !model.habits.startTokens.rotatesOnRestore && installs[app].hasTokens && hasStartToken(app, model)
  }

  /// Another version of iOS is installed, and the phone rebooted.
  package mutating func updateSystem(
    to version: OSVersion, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    let before = os
    news.tell(.systemUpdated(version), at: now)
    reboot(model, at: now, &news)
    os = version
    forgetSpacing()
    let rotates = version.major != before.major && model.habits.startTokens.rotatesOnMajorUpdate
    for app in installs.indices where installs[app].hasTokens {
      if rotates { rotate(app, .app, model, at: now, &news) }
      let habits = model.habits.startTokens
      guard installs[app].hasStartToken(version, habits) else { continue }
      let hadOne = installs[app].hasStartToken(before, habits)
      guard rotates || !hadOne else { continue }
      for type in model.apps[app].types.indices {
        let slot = TokenSlot.pushToStart(type: type)
        if hadOne {
          rotate(app, slot, model, at: now, &news)
        } else {
          // The old version had none that could be replaced: this is the first.
          news.tell(.tokenIssued(slot), app: app, at: now)
          tell(.tokenYielded(slot), to: app, model, at: now, &news)
        }
      }
    }
  }

  /// Whether a switch is on; of an app, where it is one of an app.
  package func isOn(_ what: PhoneSwitch, app: Int) -> Bool {
    switch what {
    case .lowPower: condition.contains(.lowPower)
    case .batteryLow: condition.contains(.batteryBelow20)
    case .thermalPressure: condition.contains(.thermalSerious)
    case .charging: condition.contains(.charging)
    case .focus: condition.contains(.focus)
    case .timeSensitive: condition.contains(.timeSensitiveAllowed)
    case .allLiveActivities: !condition.contains(.activitiesOff)
    case .liveActivities: installs[app].allowances.contains(.liveActivities)
    case .frequentUpdates: installs[app].allowances.contains(.frequentUpdates)
    case .backgroundRefresh: installs[app].allowances.contains(.backgroundRefresh)
    }
  }

  /// Switches something, with what follows from it. Nothing follows where it is so already.
  package mutating func flip(
    _ what: PhoneSwitch, on: Bool, app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard isOn(what, app: app) != on else { return }
    news.tell(.switched(what, isOn: on), app: what.isOfApp ? app : nil, at: now)
    switch what {
    case .lowPower:
      set(.lowPower, on)
      for app in installs.indices { reconsiderBackground(app, model, at: now, &news) }
    case .batteryLow: set(.batteryBelow20, on)
    case .thermalPressure: set(.thermalSerious, on)
    case .charging:
      set(.charging, on)
      if on { flush(.powerConnected, model, at: now, &news) }
    case .focus: set(.focus, on)
    case .timeSensitive: set(.timeSensitiveAllowed, on)
    case .allLiveActivities:
      set(.activitiesOff, !on)
      for app in installs.indices { noteEnablement(app, on, model, at: now, &news) }
    case .liveActivities:
      installs[app].allow(.liveActivities, on)
      noteEnablement(app, on, model, at: now, &news)
    case .frequentUpdates:
      installs[app].allow(.frequentUpdates, on)
      // Documented: the system ends all ongoing activities of the app, so that a server need ask once for each.
      endAll(app, .switched, model, at: now, &news)
      tell(.frequentPushesYielded(on), to: app, model, at: now, &news)
    case .backgroundRefresh:
      installs[app].allow(.backgroundRefresh, on)
      reconsiderBackground(app, model, at: now, &news)
    }
  }

  private mutating func noteEnablement(
    _ app: Int, _ on: Bool, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard installs[app].isInstalled else { return }
    // Assumed: running activities end with the switch. Nothing starts again by itself.
    if !on { endAll(app, .switched, model, at: now, &news) }
    tell(.enablementYielded(allowsActivities(app)), to: app, model, at: now, &news)
  }

  package mutating func permit(
    _ permission: NotificationPermission, app: Int, at now: Instant, _ news: inout PhoneNews
  ) {
    installs[app].permit(permission)
    news.tell(.permissionChanged(permission), app: app, at: now)
  }

  private mutating func set(_ bit: DeviceCondition, _ on: Bool) { condition.set(bit, on) }
}

import APNs
import Timeline

/// Actions of a person or the system on the phone as a whole.
extension Phone {
  package mutating func setOnline(_ online: Bool, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    isOnline = online
    effects.emit(online ? .wentOnline : .wentOffline, at: now)
    guard online else { return }
    for app in installs.indices { installs[app].reconnect(model.policy, at: now) }
    releaseKept(model, at: now, &effects)
  }

  package mutating func lock(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    for app in installs.indices where installs[app].life == .foreground { leave(app, model, at: now, &effects) }
    condition.insert(.locked)
    putDown()
    effects.emit(.locked, at: now)
    // Documented: a transient activity ends when the phone is locked.
    for app in installs.indices {
      for index in installs[app].activities.indices
      where installs[app].activities[index].isTransient && !installs[app].activities[index].isOver(at: now) {
        end(ActivityIndex(app, index), .transient, dismissing: now, model, at: now, &effects)
      }
    }
    seePrompts(model, at: now, &effects)
  }

  /// Unlocking turns the screen on.
  package mutating func unlock(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    condition.remove([.locked, .beforeFirstUnlock])
    putDown()
    effects.emit(.unlocked, at: now)
    lightScreen(model, at: now, &effects)
  }

  package mutating func lightScreen(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    guard !condition.contains(.screenOn) else { return }
    condition.insert(.screenOn)
    effects.emit(.screenLit, at: now)
    flush(.screenOn, model, at: now, &effects)
  }

  package mutating func darkenScreen(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    condition.remove(.screenOn)
    effects.emit(.screenDark, at: now)
    if !isLocked { lock(model, at: now, &effects) }
  }

  /// Documented: a reboot lifts a force-quit. Assumed: no app is launched before the first unlock.
  package mutating func reboot(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    condition.insert([.locked, .beforeFirstUnlock])
    condition.remove(.screenOn)
    effects.emit(.rebooted, at: now)
    for app in installs.indices {
      installs[app].reboot()
      if !model.policy.activitiesSurviveReboot { endAll(app, .system, model, at: now, &effects) }
      if model.policy.startTokens.rotatesOnReboot { rotateStartTokens(app, model, at: now, &effects) }
    }
  }

  /// A backup of this phone is restored to a new phone, or to this one after it was erased.
  ///
  /// Documented: every token changes, and an app has no tokens before it is opened. Assumed: cards are not restored
  /// unless the policy says so.
  package mutating func restore(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    effects.emit(.restored, at: now)
    for app in installs.indices where installs[app].isInstalled {
      installs[app].terminate()
      if !model.policy.activitiesSurviveRestore { endAll(app, .system, dismissing: now, model, at: now, &effects) }
      forfeitHeld(app, at: now, &effects)
      installs[app].restore(model.policy, isOnline: isOnline, keepsStartTokens: keeps(app, model), at: now)
      for activity in installs[app].activities where activity.hasToken && !activity.isOver(at: now) {
        effects.emit(.tokenIssued(.update(activity: activity.number)), app: app, at: now)
      }
    }
    condition = condition.intersection([.charging, .timeSensitiveAllowed]).union([.locked, .beforeFirstUnlock])
  }

  private func keeps(_ app: Int, _ model: PhoneModel) -> Bool {
    !model.policy.startTokens.rotatesOnRestore && installs[app].hasTokens && hasStartToken(app, model)
  }

  /// Another version of iOS is installed, and the phone is rebooted.
  package mutating func updateSystem(
    to version: OSVersion, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    let before = os
    effects.emit(.systemUpdated(version), at: now)
    reboot(model, at: now, &effects)
    os = version
    forgetSpacing()
    let rotates = version.major != before.major && model.policy.startTokens.rotatesOnMajorUpdate
    for app in installs.indices where installs[app].hasTokens {
      if rotates { rotate(app, .app, model, at: now, &effects) }
      let policy = model.policy.startTokens
      guard installs[app].hasStartToken(version, policy) else { continue }
      let hadOne = installs[app].hasStartToken(before, policy)
      if hadOne, policy.mayKill(before, version), model.draws.staleToken.strikes(policy.staleShare, subject(app)) {
        loseStartTokens(app, model, at: now, &effects)
        continue
      }
      guard rotates || !hadOne else { continue }
      for type in model.apps[app].types.indices {
        let slot = TokenSlot.pushToStart(type: type)
        if hadOne {
          rotate(app, slot, model, at: now, &effects)
        } else {
          // The old version had no token to replace: this is the first.
          effects.emit(.tokenIssued(slot), app: app, at: now)
          emit(.tokenYielded(slot), to: app, model, at: now, &effects)
        }
      }
    }
  }

  /// The app's push-to-start tokens stop working. The app keeps them, and neither it nor APNs is told.
  private mutating func loseStartTokens(
    _ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    for type in model.apps[app].types.indices {
      let slot = TokenSlot.pushToStart(type: type)
      guard installs[app].change(slot, { $0.goStale() }) != nil else { continue }
      effects.emit(.tokenDied(slot), app: app, at: now)
    }
  }

  /// The person has switched the app's Live Activities on: dead push-to-start tokens are replaced.
  ///
  /// Observed: a fresh token after off and on (docs/behavior/tokens.md#after-the-update-to-ios-27).
  private mutating func renewStaleTokens(
    _ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard installs[app].hasTokens else { return }
    for type in model.apps[app].types.indices {
      let slot = TokenSlot.pushToStart(type: type)
      guard installs[app].state(of: slot)?.isStale ?? false else { continue }
      rotate(app, slot, model, at: now, &effects)
    }
  }

  /// Whether a switch is on; for a switch of one app, that app's.
  package func isOn(_ what: PhoneSwitch, app: Int) -> Bool {
    switch what {
    case .lowPower: condition.contains(.lowPower)
    case .batteryLow: condition.contains(.batteryBelow20)
    case .thermalPressure: condition.contains(.thermalSerious)
    case .charging: condition.contains(.charging)
    case .focus: condition.contains(.focus)
    case .timeSensitive: condition.contains(.timeSensitiveAllowed)
    case .standBy: condition.contains(.onItsSide)
    case .carPlay: condition.contains(.inCar)
    case .mac: condition.contains(.besideMac)
    case .allLiveActivities: !condition.contains(.activitiesOff)
    case .liveActivities: installs[app].allowances.contains(.liveActivities)
    case .frequentUpdates: installs[app].allowances.contains(.frequentUpdates)
    case .backgroundRefresh: installs[app].allowances.contains(.backgroundRefresh)
    }
  }

  /// Changes a switch, with the consequences. No effect if it has that state already.
  package mutating func flip(
    _ what: PhoneSwitch, on: Bool, app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard isOn(what, app: app) != on else { return }
    effects.emit(.switched(what, isOn: on), app: what.isOfApp ? app : nil, at: now)
    switch what {
    case .lowPower:
      set(.lowPower, on)
      for app in installs.indices { reconsiderBackground(app, model, at: now, &effects) }
    case .batteryLow: set(.batteryBelow20, on)
    case .thermalPressure: set(.thermalSerious, on)
    case .charging:
      set(.charging, on)
      if !on { putDown() }
      if on { flush(.powerConnected, model, at: now, &effects) }
    case .focus: set(.focus, on)
    case .timeSensitive: set(.timeSensitiveAllowed, on)
    case .standBy:
      set(.onItsSide, on)
      putDown()
    case .carPlay: set(.inCar, on)
    case .mac: set(.besideMac, on)
    case .allLiveActivities:
      set(.activitiesOff, !on)
      for app in installs.indices { recordEnablement(app, on, model, at: now, &effects) }
    case .liveActivities:
      installs[app].allow(.liveActivities, on)
      recordEnablement(app, on, model, at: now, &effects)
      if on { renewStaleTokens(app, model, at: now, &effects) }
    case .frequentUpdates:
      installs[app].allow(.frequentUpdates, on)
      // Documented: the system ends all ongoing activities of the app, so a server has to ask only once for each.
      endAll(app, .switched, model, at: now, &effects)
      emit(.frequentPushesYielded(on), to: app, model, at: now, &effects)
    case .backgroundRefresh:
      installs[app].allow(.backgroundRefresh, on)
      reconsiderBackground(app, model, at: now, &effects)
    }
  }

  private mutating func recordEnablement(
    _ app: Int, _ on: Bool, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard installs[app].isInstalled else { return }
    // Assumed: running activities end when the switch is turned off. They do not start again by themselves.
    if !on { endAll(app, .switched, model, at: now, &effects) }
    emit(.enablementYielded(allowsActivities(app)), to: app, model, at: now, &effects)
  }

  package mutating func permit(
    _ permission: NotificationPermission, app: Int, at now: Instant, _ effects: inout PhoneEffects
  ) {
    installs[app].permit(permission)
    effects.emit(.permissionChanged(permission), app: app, at: now)
  }

  private mutating func set(_ bit: DeviceCondition, _ on: Bool) { condition.set(bit, on) }
}

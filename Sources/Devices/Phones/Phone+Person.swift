import APNs
import Timeline

/// Actions of a person or the system on the phone as a whole.
extension Phone {
  package mutating func setOnline(_ online: Bool, _ turn: inout PhoneTurn) {
    connect(online)
    turn.emit(online ? .wentOnline : .wentOffline)
    guard online else { return }
    for app in installs.indices { installs[app].reconnect(turn.behavior.policy, at: turn.now) }
    releaseKept(&turn)
  }

  package mutating func lock(_ turn: inout PhoneTurn) {
    for app in installs.indices where installs[app].life == .foreground { leave(app, &turn) }
    set(.locked, true)
    putDown()
    turn.emit(.locked)
    // Documented: a transient activity ends when the phone is locked.
    for app in installs.indices { endAll(app: app, cause: .transient, dismissing: turn.now, &turn) { $0.isTransient } }
    seePrompts(&turn)
  }

  /// Unlocking turns the screen on.
  package mutating func unlock(_ turn: inout PhoneTurn) {
    set([.locked, .beforeFirstUnlock], false)
    putDown()
    turn.emit(.unlocked)
    lightScreen(&turn)
  }

  package mutating func lightScreen(_ turn: inout PhoneTurn) {
    guard !condition.contains(.screenOn) else { return }
    set(.screenOn, true)
    turn.emit(.screenLit)
    flush(.screenOn, &turn)
  }

  package mutating func darkenScreen(_ turn: inout PhoneTurn) {
    set(.screenOn, false)
    turn.emit(.screenDark)
    if !isLocked { lock(&turn) }
  }

  /// Documented: a reboot lifts a force-quit. Assumed: no app is launched before the first unlock.
  package mutating func reboot(_ turn: inout PhoneTurn) {
    set([.locked, .beforeFirstUnlock], true)
    set(.screenOn, false)
    turn.emit(.rebooted)
    for app in installs.indices {
      installs[app].reboot()
      if !turn.behavior.policy.activitiesSurviveReboot { endAll(app: app, cause: .system, &turn) }
      if turn.behavior.policy.startTokens.rotatesOnReboot { rotateStartTokens(app, &turn) }
    }
  }

  /// A backup of this phone is restored to a new phone, or to this one after it was erased.
  ///
  /// Documented: every token changes, and an app has no tokens before it is opened. Assumed: cards are not restored
  /// unless the policy says so.
  package mutating func restore(_ turn: inout PhoneTurn) {
    turn.emit(.restored)
    for app in installs.indices where installs[app].isInstalled {
      installs[app].terminate()
      if !turn.behavior.policy.activitiesSurviveRestore {
        endAll(app: app, cause: .system, dismissing: turn.now, &turn)
      }
      dropDeferred(app, &turn)
      installs[app].restore(
        turn.behavior.policy, isOnline: isOnline, keepsStartTokens: keeps(app, turn.behavior), at: turn.now)
      for activity in installs[app].activities where activity.hasToken && !activity.isOver(at: turn.now) {
        turn.emit(.tokenIssued(.update(activity: activity.number)), app: app)
      }
    }
    resetCondition()
  }

  private func keeps(_ app: Int, _ behavior: PhoneBehavior) -> Bool {
    !behavior.policy.startTokens.rotatesOnRestore && installs[app].hasTokens && hasStartToken(app, behavior)
  }

  /// Another version of iOS is installed, and the phone is rebooted.
  package mutating func updateSystem(to version: OSVersion, _ turn: inout PhoneTurn) {
    let before = os
    turn.emit(.systemUpdated(version))
    reboot(&turn)
    install(version)
    let rotates = version.major != before.major && turn.behavior.policy.startTokens.rotatesOnMajorUpdate
    for app in installs.indices where installs[app].hasTokens {
      if rotates { rotate(app: app, slot: .app, &turn) }
      let policy = turn.behavior.policy.startTokens
      guard installs[app].hasStartToken(version, policy) else { continue }
      let hadOne = installs[app].hasStartToken(before, policy)
      if hadOne, policy.mayKill(before, version),
        turn.behavior.draws.staleToken.strikes(policy.staleShare, subject: subject(app))
      {
        loseStartTokens(app, &turn)
        continue
      }
      guard rotates || !hadOne else { continue }
      for type in turn.behavior.apps[app].types.indices {
        let slot = TokenSlot.pushToStart(type: type)
        if hadOne {
          rotate(app: app, slot: slot, &turn)
        } else {
          // The old version had no token to replace: this is the first.
          turn.emit(.tokenIssued(slot), app: app)
          emit(.tokenYielded(slot), to: app, &turn)
        }
      }
    }
  }

  /// The app's push-to-start tokens stop working. The app keeps them, and neither it nor APNs is told.
  private mutating func loseStartTokens(_ app: Int, _ turn: inout PhoneTurn) {
    for type in turn.behavior.apps[app].types.indices {
      let slot = TokenSlot.pushToStart(type: type)
      guard installs[app].change(slot, { $0.goStale() }) != nil else { continue }
      turn.emit(.tokenDied(slot), app: app)
    }
  }

  /// The person has switched the app's Live Activities on: dead push-to-start tokens are replaced.
  ///
  /// Observed: a fresh token after off and on (docs/behavior/tokens.md#after-the-update-to-ios-27).
  private mutating func renewStaleTokens(_ app: Int, _ turn: inout PhoneTurn) {
    guard installs[app].hasTokens else { return }
    for type in turn.behavior.apps[app].types.indices {
      let slot = TokenSlot.pushToStart(type: type)
      guard installs[app].state(of: slot)?.isStale ?? false else { continue }
      rotate(app: app, slot: slot, &turn)
    }
  }

  /// True if a switch is on; for a switch of one app, that app's.
  package func isOn(_ what: PhoneSwitch, app: Int) -> Bool {
    switch what.effect {
    case .sets(let bit): condition.contains(bit)
    case .clears(let bit): !condition.contains(bit)
    case .allows(let allowance): installs[app].allowances.contains(allowance)
    }
  }

  /// Changes a switch, with the consequences. No effect if it has that state already.
  package mutating func flip(_ what: PhoneSwitch, on: Bool, app: Int, _ turn: inout PhoneTurn) {
    guard isOn(what, app: app) != on else { return }
    turn.emit(.switched(what, isOn: on), app: what.isOfApp ? app : nil)
    switch what.effect {
    case .sets(let bit): set(bit, on)
    case .clears(let bit): set(bit, !on)
    case .allows(let allowance): installs[app].allow(allowance, on)
    }
    switch what {
    case .lowPower: for app in installs.indices { reconsiderBackground(app, &turn) }
    case .charging: if on { flush(.powerConnected, &turn) } else { putDown() }
    case .standBy: putDown()
    case .allLiveActivities: for app in installs.indices { recordEnablement(app: app, isOn: on, &turn) }
    case .liveActivities:
      recordEnablement(app: app, isOn: on, &turn)
      if on { renewStaleTokens(app, &turn) }
    case .frequentUpdates:
      // Documented: the system ends all ongoing activities of the app, so a server has to ask only once for each.
      endAll(app: app, cause: .switched, &turn)
      emit(.frequentPushesYielded(on), to: app, &turn)
    case .backgroundRefresh: reconsiderBackground(app, &turn)
    case .batteryLow, .thermalPressure, .focus, .timeSensitive, .carPlay, .mac: break
    }
  }

  private mutating func recordEnablement(app: Int, isOn on: Bool, _ turn: inout PhoneTurn) {
    guard installs[app].isInstalled else { return }
    // Assumed: running activities end when the switch is turned off. They do not start again by themselves.
    if !on { endAll(app: app, cause: .switched, &turn) }
    emit(.enablementYielded(allowsActivities(app)), to: app, &turn)
  }

  package mutating func permit(_ permission: NotificationPermission, app: Int, _ turn: inout PhoneTurn) {
    installs[app].permit(permission)
    turn.emit(.permissionChanged(permission), app: app)
  }
}

import Timeline

/// The chance by which a background push wakes an app.
package struct WakeDraw: Sendable {
  let chance: Chance
  /// The install.
  let subject: UInt64
  /// Counts the draws of the install, so that pushes to other phones change none.
  let count: UInt64

  package init(_ chance: Chance, subject: UInt64, count: UInt64) {
    self.chance = chance
    self.subject = subject
    self.count = count
  }
}

/// Silent pushes of one app on one device: which wake it, and the one that waits.
///
///     nothing held ──Low Power Mode, refresh off, throttle──▶ held ──newer──▶ held: the older is superseded
///                                                              ├──time or conditions──▶ due: received anew
///                                                              ├──patience over──▶ nothing held
///                                                              └──launch──▶ delivered   force-quit──▶ discarded
///
/// The notification permission does not matter. Documented.
package struct BackgroundWakes: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The app is resumed or launched, and may run until then.
    case woken(until: Instant)
    case deliveredToRunning
    /// Waits for its time; without one for Low Power Mode or refresh to change.
    case held(WakeCause, until: Instant?)
    case discarded(WakeCause)
    /// The draw went against it; it does not come again.
    case notWoken
  }

  package struct Arrival: Hashable, Sendable {
    package let outcome: Outcome
    /// The push that was held until now and is not going to be delivered.
    package let superseded: UInt64?

    package init(outcome: Outcome, superseded: UInt64?) {
      self.outcome = outcome
      self.superseded = superseded
    }
  }

  private struct Held: Hashable, Sendable {
    let push: UInt64
    let cause: WakeCause
    var due: Instant?
  }

  private var windowEnd = Instant.distantPast
  private var wakes: UInt32 = 0
  private var held: Held?

  package init() {}

  package var heldPush: UInt64? { held?.push }
  package var nextDue: Instant? { held?.due }

  /// A silent push arrives, or comes again after it was held: one guard per rule, in the order the phone applies them.
  ///
  /// Documented: only the newest is kept, so whatever was held gives way.
  ///
  /// - Parameters:
  ///   - push: its number, by which it is held.
  ///   - draw: whether a wake that may be is.
  package mutating func receive(
    _ push: UInt64, _ here: BackgroundContext, _ plan: BackgroundWakePlan, _ draw: WakeDraw, at now: Instant
  ) -> Arrival {
    let older = held?.push
    held = nil
    let outcome = decide(here, plan, draw, at: now)
    if case .held(let cause, let until) = outcome { held = Held(push: push, cause: cause, due: until) }
    return Arrival(outcome: outcome, superseded: older == push ? nil : older)
  }

  private mutating func decide(
    _ here: BackgroundContext, _ plan: BackgroundWakePlan, _ draw: WakeDraw, at now: Instant
  ) -> Outcome {
    guard here.process != .forceQuit else { return .discarded(.forceQuit) }
    // Assumed: nothing has to be woken, so none of what follows applies.
    guard !here.process.isRunning else { return .deliveredToRunning }
    guard here.hasBackgroundMode else { return .discarded(.noBackgroundMode) }
    if let cause = here.restriction, plan.whenRestricted != .deliver {
      return plan.whenRestricted == .drop ? .discarded(cause) : .held(cause, until: nil)
    }
    let spent = now < windowEnd ? wakes : 0
    guard spent < plan.wakes else { return .held(.throttled, until: throttleEnd(plan, at: now)) }
    // Assumed: only a wake counts against the hour.
    guard draw.chance.strikes(plan.odds, draw.subject, draw.count) else { return .notWoken }
    if windowEnd <= now { windowEnd = now.advanced(by: plan.window) }
    wakes = spent + 1
    return .woken(until: now.advanced(by: plan.runtime))
  }

  /// A plan that allows no wake at all opens no window; what is held still has to have a time that is not now.
  private func throttleEnd(_ plan: BackgroundWakePlan, at now: Instant) -> Instant {
    now < windowEnd ? windowEnd : now.advanced(by: max(plan.window, .seconds(1)))
  }

  /// The held push whose time has come: it is to be received anew.
  package mutating func takeDue(by now: Instant) -> UInt64? {
    guard let held, let due = held.due, due <= now else { return nil }
    self.held = nil
    return held.push
  }

  /// Low Power Mode or Background App Refresh has changed: what waits for that is due now.
  package mutating func conditionsChanged(at now: Instant) {
    if held?.cause != .throttled { held?.due = now }
  }

  /// The app is launched. Documented: what is held is delivered to it at once.
  package mutating func launch() -> UInt64? { release() }

  /// The user force-quits the app. Documented: what is held is discarded.
  package mutating func forceQuit() -> UInt64? { release() }

  /// It has waited too long. False when it does not wait any more.
  package mutating func expire(_ push: UInt64) -> Bool {
    guard held?.push == push else { return false }
    held = nil
    return true
  }

  private mutating func release() -> UInt64? {
    defer { held = nil }
    return held?.push
  }
}

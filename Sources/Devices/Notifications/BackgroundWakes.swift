import Timeline

/// A draw that decides whether a background push wakes an app.
package struct WakeDraw: Sendable {
  let chance: Chance
  /// The install.
  let subject: UInt64
  /// Counts the draws of the install, so that pushes to other phones do not change them.
  let count: UInt64

  package init(_ chance: Chance, subject: UInt64, count: UInt64) {
    self.chance = chance
    self.subject = subject
    self.count = count
  }
}

/// Silent pushes of one app on one device: which of them wake it, and the deferred one.
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
    /// Deferred until then; without a time, until Low Power Mode or refresh changes.
    case held(WakeCause, until: Instant?)
    case discarded(WakeCause)
    /// The draw decided against a wake; the push is not tried again.
    case notWoken
  }

  package struct Arrival: Hashable, Sendable {
    package let outcome: Outcome
    /// The push that was deferred until now and will not be delivered.
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
    /// Until when it is kept.
    let expires: Instant
  }

  private var windowEnd = Instant.distantPast
  private var wakes: UInt32 = 0
  private var held: Held?

  package init() {}

  package var heldPush: UInt64? { held?.push }
  package var heldUntil: Instant? { held?.expires }
  package var nextDue: Instant? { held?.due }

  /// A silent push arrives, or is tried again after it was deferred. One guard per rule, in the phone's order.
  ///
  /// Documented: only the newest is kept, so a deferred push is replaced.
  ///
  /// - Parameters:
  ///   - push: its number, under which it is deferred.
  ///   - expires: until when it may be deferred; 1970 for not at all.
  ///   - draw: decides whether a possible wake happens.
  package mutating func receive(
    _ push: UInt64, until expires: Instant = .distantFuture, in here: BackgroundContext, plan: BackgroundWakePlan,
    draw: WakeDraw, at now: Instant
  ) -> Arrival {
    let outcome = decide(in: here, plan: plan, draw: draw, at: now)
    guard case .held(let cause, let until) = outcome else {
      defer { held = nil }
      return Arrival(outcome: outcome, superseded: held?.push == push ? nil : held?.push)
    }
    guard expires > now else {
      return Arrival(outcome: .discarded(expires.nanoseconds == 0 ? .notStored : .expired), superseded: nil)
    }
    defer { held = Held(push: push, cause: cause, due: until, expires: expires) }
    return Arrival(outcome: outcome, superseded: held?.push == push ? nil : held?.push)
  }

  private mutating func decide(
    in here: BackgroundContext, plan: BackgroundWakePlan, draw: WakeDraw, at now: Instant
  ) -> Outcome {
    guard here.process != .forceQuit else { return .discarded(.forceQuit) }
    // Assumed: a running app needs no wake, so the rules below do not apply.
    guard !here.process.isRunning else { return .deliveredToRunning }
    guard here.hasBackgroundMode else { return .discarded(.noBackgroundMode) }
    if let cause = here.restriction, plan.whenRestricted != .deliver {
      return plan.whenRestricted == .drop ? .discarded(cause) : .held(cause, until: nil)
    }
    let spent = now < windowEnd ? wakes : 0
    guard spent < plan.wakes else { return .held(.throttled, until: throttleEnd(plan, at: now)) }
    // Assumed: only a wake counts towards the hourly limit.
    guard draw.chance.strikes(plan.odds, subject: draw.subject, count: draw.count) else { return .notWoken }
    if windowEnd <= now { windowEnd = now.advanced(by: plan.window) }
    wakes = spent + 1
    return .woken(until: now.advanced(by: plan.runtime))
  }

  /// With a limit of 0 wakes, no window is open; retry after one window, or the agenda would loop.
  private func throttleEnd(_ plan: BackgroundWakePlan, at now: Instant) -> Instant {
    now < windowEnd ? windowEnd : now.advanced(by: max(plan.window, .seconds(1)))
  }

  /// The deferred push that is due: it is to be received again.
  package mutating func takeDue(by now: Instant) -> UInt64? {
    guard let held, let due = held.due, due <= now else { return nil }
    self.held = nil
    return held.push
  }

  /// Low Power Mode or Background App Refresh has changed: pushes that wait for it are due now.
  package mutating func conditionsChanged(at now: Instant) {
    if held?.cause != .throttled { held?.due = now }
  }

  /// The app was launched without a connection: the deferred push is due when there is one.
  package mutating func hurry(at now: Instant) { held?.due = now }

  /// The app is launched. Documented: the deferred push is delivered at once.
  package mutating func launch() -> UInt64? { release() }

  /// The user force-quits the app. Documented: the deferred push is discarded.
  package mutating func forceQuit() -> UInt64? { release() }

  /// Discards a deferred push that has waited too long. Returns false if the push is no longer deferred.
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

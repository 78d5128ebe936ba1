import APNs
import Timeline

/// Charges budgets, defers updates, and releases them.
extension Phone {
  mutating func charge(
    _ priority: Priority, to place: ActivityIndex, _ behavior: PhoneBehavior, at now: Instant
  ) -> UpdateBudget.Charge {
    let level = level(place.app, behavior)
    let charge = installs[place.app].charge(
      priority, to: place.index, level: level, in: condition, plan: behavior.budget.update, at: now)
    count(charge)
    return charge
  }

  mutating func chargeEnd(_ place: ActivityIndex, _ behavior: PhoneBehavior, at now: Instant) {
    let level = level(place.app, behavior)
    count(
      installs[place.app].chargeEnd(to: place.index, level: level, in: condition, plan: behavior.budget.update, at: now)
    )
  }

  /// The delay of the next push of priority 5.
  mutating func lowPriorityDelay(_ behavior: PhoneBehavior) -> Duration {
    behavior.budget.lowPriority.delay(
      in: condition, by: behavior.draws.lowPriority, subject: UInt64(id.number), count: nextHold())
  }

  /// Decides what APNs does with a push that the phone gets later because of its power.
  enum PowerStorage {
    case stores(until: Instant)
    case discards(DropCause)
    case delivers
  }

  /// Documented: what has expired is discarded instead of stored, and 0 means one attempt.
  func powerStorage(of push: ArrivingPush, _ behavior: PhoneBehavior, at now: Instant) -> PowerStorage {
    let longest = now.advanced(nanoseconds: behavior.patience)
    guard let expiration = push.expiration else { return .stores(until: longest) }
    if expiration > now { return .stores(until: min(expiration, longest)) }
    if LowPriorityPlan.suits(condition) { return .delivers }
    return .discards(expiration.nanoseconds == 0 ? .notStored : .expired)
  }

  /// Defers an update; of two for one activity, the one with the newer timestamp stays.
  ///
  /// - Returns: nil if there is no room for it.
  mutating func hold(
    _ new: DeferredPush, for delay: Duration, of place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction? {
    let reason = new.reason
    let key = key(of: place)
    if let older = held[key], older.timestamp >= new.timestamp { return .dropped(Self.cause(reason)) }
    turn.countHold(reason)
    switch keep(new, of: key, for: delay, at: turn.now) {
    case .held(let due):
      evictExcessContent(&turn)
      planRelease(min(due, new.expires), &turn)
      return .held(reason, until: min(due, new.expires))
    case .coalesced(let older, let due):
      turn.settle(older, .dropped(Self.cause(older.reason)))
      evictExcessContent(&turn)
      planRelease(min(due, new.expires), &turn)
      return .held(reason, until: min(due, new.expires))
    case .noRoom: return nil
    }
  }

  private static func cause(_ reason: Reaction.Hold) -> DropCause { reason == .budget ? .updateBudget : .coalesced }

  /// An update is delivered at once: a deferred update of low priority is applied before it, and one that waits for the
  /// budget is dropped if it is older.
  mutating func applyDeferredFirst(before timestamp: Double?, of place: ActivityIndex, _ turn: inout PhoneTurn) {
    let key = key(of: place)
    if let waiting = held[key], waiting.reason == .budget, let timestamp, waiting.timestamp <= timestamp {
      _ = withdraw(key)
      turn.settle(waiting, .dropped(.updateBudget))
    }
    flush(.priority10Delivered, &turn)
  }

  /// The phone is awake: releases all updates that waited for that.
  mutating func flush(_ cause: LowPriorityPlan.FlushCause, _ turn: inout PhoneTurn) {
    guard held.count > 0 else { return }
    makeDue(cause, turn.behavior.budget.lowPriority, at: turn.now)
    deliverDue(&turn)
  }

  /// Lets go what is due; without a connection only what is on the phone.
  private mutating func deliverDue(_ turn: inout PhoneTurn) {
    while let release = takeDue(by: turn.now) { deliver(release, &turn) }
  }

  /// The phone is connected again: APNs delivers what it has kept for the phone's power and what is due.
  mutating func releaseKept(_ turn: inout PhoneTurn) {
    if held.count > 0 {
      deliverDue(&turn)
      if let next = held.nextDue() { planRelease(next, &turn) }
    }
    for app in installs.indices { releaseBackground(app, &turn) }
  }

  /// Releases the deferred update of one activity before its end.
  mutating func release(_ place: ActivityIndex, _ turn: inout PhoneTurn) {
    guard held.count > 0, let waiting = withdraw(key(of: place)) else { return }
    applyHeld(waiting, activity: self[place].number, app: place.app, &turn)
  }

  /// Drops the deferred update of an activity that has ended.
  mutating func dropDeferred(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    guard let waiting = withdraw(.activity(app: app, number)) else { return }
    turn.settle(waiting, .dropped(.activityNotActive))
  }

  /// Drops the deferred pushes of a deleted app.
  mutating func dropDeferred(_ app: Int, _ turn: inout PhoneTurn) {
    discardBackground(app: app, as: .dropped(.appAbsent), &turn)
    for (key, push) in held.all where key.app == app {
      _ = withdraw(key)
      turn.settle(push, .dropped(.appAbsent))
    }
  }

  mutating func planRelease(_ due: Instant, _ turn: inout PhoneTurn) {
    if let planned = releasePlanned, planned <= due { return }
    releasePlanned = due
    turn.plan(.release, due: due)
  }

  /// Releases the deferred pushes that are due.
  mutating func releaseDue(_ turn: inout PhoneTurn) {
    guard releasePlanned == turn.now else { return }
    releasePlanned = nil
    deliverDue(&turn)
    if let next = held.nextDue(isOnline: isOnline) { planRelease(next, &turn) }
  }

  private mutating func deliver(_ release: DeferredPushes.Release, _ turn: inout PhoneTurn) {
    guard release.push.expires > turn.now else { return turn.settle(release.push, .dropped(.expired)) }
    switch release.key {
    case .activity(let app, let number): applyHeld(release.push, activity: number, app: app, &turn)
    case .notification(let app, _): deliverNotification(release.push, app: app, &turn)
    }
  }
}

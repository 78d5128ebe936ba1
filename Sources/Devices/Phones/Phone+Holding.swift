import APNs
import Timeline

/// Charges budgets, defers updates, and releases them.
extension Phone {
  mutating func charge(
    _ priority: Priority, _ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant
  ) -> UpdateBudget.Charge {
    let level = installs[app].level(model.apps[app])
    let charge = installs[app].charge(priority, to: index, level, condition, model.budget.update, at: now)
    count(charge)
    return charge
  }

  mutating func chargeEnd(_ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant) {
    let level = installs[app].level(model.apps[app])
    count(installs[app].chargeEnd(to: index, level, condition, model.budget.update, at: now))
  }

  /// Decides what APNs does with a push that the phone gets later because of its power.
  enum PowerStorage {
    case stores(until: Instant)
    case discards(DropCause)
    case delivers
  }

  /// Documented: what has expired is discarded instead of stored, and 0 means one attempt.
  func powerStorage(of push: ArrivingPush, _ model: PhoneModel, at now: Instant) -> PowerStorage {
    let longest = now.advanced(nanoseconds: model.patience)
    guard let expiration = push.expiration else { return .stores(until: longest) }
    if expiration > now { return .stores(until: min(expiration, longest)) }
    if LowPriorityPlan.suits(condition) { return .delivers }
    return .discards(expiration.nanoseconds == 0 ? .notStored : .expired)
  }

  /// Defers an update; of two for one activity, the one with the newer timestamp stays.
  ///
  /// - Returns: nil if there is no room for it.
  mutating func hold(
    _ new: DeferredPush, for delay: Duration, _ key: ActivityKey, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Reaction? {
    let reason = new.reason
    let key = DeferralKey.activity(app: key.app, key.number)
    if let older = held[key], older.timestamp >= new.timestamp { return .dropped(Self.cause(reason)) }
    effects.counts.countHold(reason)
    switch held.hold(
      new, of: key, because: reason == .budget ? .budgetSpent : .lowPriority, for: delay, until: new.expires,
      at: now)
    {
    case .held(let due):
      makeRoom(model, at: now, &effects)
      planRelease(min(due, new.expires), &effects)
      return .held(reason, until: min(due, new.expires))
    case .coalesced(let older, let due):
      effects.settle(older, .dropped(Self.cause(older.reason)), at: now)
      makeRoom(model, at: now, &effects)
      planRelease(min(due, new.expires), &effects)
      return .held(reason, until: min(due, new.expires))
    case .noRoom: return nil
    }
  }

  private static func cause(_ reason: Reaction.Hold) -> DropCause { reason == .budget ? .updateBudget : .coalesced }

  /// An update is delivered at once: a deferred update of low priority is applied before it, and one that waits for the
  /// budget is overtaken.
  mutating func overtake(
    _ timestamp: Double?, _ key: ActivityKey, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    let key = DeferralKey.activity(app: key.app, key.number)
    if let waiting = held[key], waiting.reason == .budget, let timestamp, waiting.timestamp <= timestamp {
      _ = held.withdraw(key)
      effects.settle(waiting, .dropped(.updateBudget), at: now)
    }
    flush(.priority10Delivered, model, at: now, &effects)
  }

  /// The phone is awake: releases all updates that waited for that.
  mutating func flush(
    _ cause: LowPriorityPlan.FlushCause, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard held.count > 0 else { return }
    held.makeDue(cause, model.budget.lowPriority, at: now)
    letDueGo(model, at: now, &effects)
  }

  /// Lets go what is due; without a connection only what is on the phone.
  mutating func letDueGo(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    while let release = held.takeDue(by: now, isOnline: isOnline) { letGo(release, model, at: now, &effects) }
  }

  /// The phone is connected again: APNs delivers what it has kept for the phone's power and what is due.
  mutating func releaseKept(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    if held.count > 0 {
      letDueGo(model, at: now, &effects)
      if let next = held.nextDue() { planRelease(next, &effects) }
    }
    for app in installs.indices { releaseBackground(app, model, at: now, &effects) }
  }

  /// Releases the deferred update of one activity before its end.
  mutating func release(_ key: ActivityKey, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    guard held.count > 0, let waiting = held.withdraw(.activity(app: key.app, key.number)) else { return }
    applyHeld(waiting, key, model, at: now, &effects)
  }

  /// Drops the deferred update of an activity that has ended.
  mutating func forfeit(_ app: Int, _ number: UInt32, at now: Instant, _ effects: inout PhoneEffects) {
    guard held.count > 0, let waiting = held.withdraw(.activity(app: app, number)) else { return }
    effects.settle(waiting, .dropped(.activityNotActive), at: now)
  }

  mutating func planRelease(_ due: Instant, _ effects: inout PhoneEffects) {
    if let planned = releasePlanned, planned <= due { return }
    releasePlanned = due
    effects.plan(.release, due: due)
  }

  /// Releases the deferred pushes that are due.
  mutating func releaseDue(_ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects) {
    guard releasePlanned == due else { return }
    releasePlanned = nil
    letDueGo(model, at: due, &effects)
    if let next = held.nextDue(isOnline: isOnline) { planRelease(next, &effects) }
  }

  private mutating func letGo(
    _ release: DeferredUpdates<DeferralKey, DeferredPush>.Release, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    guard release.expires > now else { return effects.settle(release.update, .dropped(.expired), at: now) }
    switch release.token {
    case .activity(let app, let number): applyHeld(release.update, ActivityKey(app, number), model, at: now, &effects)
    case .notification(let app, _): letGo(release.update, app, model, at: now, &effects)
    }
  }
}

import APNs
import Timeline
import WireFormats

/// The checks of an update or end on the phone: one guard per rule, each with its own cause, in the phone's order
/// (docs/behavior/live-activities.md#order-on-the-phone).
extension Phone {
  /// A push on the update token of an activity; the caller made sure that the phone is online.
  package mutating func receiveUpdate(
    _ push: ArrivingPush, app: Int, activity: UInt32, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Reaction {
    if let shared = push.shared {
      guard let index = runningIndex(app, activity, model, at: now) else {
        return .dropped(obstacle(app, activity, model, at: now))
      }
      return update(
        reading(shared, push, app, index, model), push, ActivityIndex(app, index), model, at: now, &effects)
    }
    // A deferred push may be parsed next, so this document is closed before anything is done.
    switch push.read({ read($0, push, app, activity, model, at: now) }) {
    case .parsed(let parsed, let index):
      return update(parsed, push, ActivityIndex(app, index), model, at: now, &effects)
    case .reacted(let reaction): return reaction
    case nil: return push.unreadable
    }
  }

  private enum Read {
    /// For the activity at that position.
    case parsed(ParsedActivityUpdate, Int)
    case reacted(Reaction)
  }

  /// The position of the activity that an update or end is for; nil if the activity cannot accept it.
  private func runningIndex(_ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant) -> Int? {
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].acceptsPushes(model.policy.prompt, at: now)
    else { return nil }
    if let cutoff = model.policy.forceQuitCutoff, let quit = installs[app].forceQuitAt,
      quit.advanced(by: cutoff) <= now
    {
      return nil
    }
    return index
  }

  /// Why it cannot accept it.
  private func obstacle(_ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant) -> DropCause {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].isOver(at: now) else {
      return .activityNotActive
    }
    return installs[app].activities[index].acceptsPushes(model.policy.prompt, at: now)
      ? .forceQuit : .awaitingPermission
  }

  private func read(
    _ root: JSONNode, _ push: ArrivingPush, _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant
  ) -> Read {
    guard let payload = ActivityPayload(root) else { return .reacted(.dropped(.noAPS)) }
    guard let event = payload.event else { return .reacted(.dropped(.unknownEvent)) }
    guard event != .start else { return .reacted(.dropped(.wrongTokenKind)) }
    guard let index = runningIndex(app, number, model, at: now) else {
      return .reacted(.dropped(obstacle(app, number, model, at: now)))
    }
    let (decoder, attributes) = demands(of: index, app, model)
    return .parsed(ParsedActivityUpdate(payload, event, push.request, as: decoder, beside: attributes), index)
  }

  /// The result of parsing the push before it was known to be for this activity.
  private func reading(
    _ shared: ParsedActivityUpdate, _ push: ArrivingPush, _ app: Int, _ index: Int, _ model: PhoneModel
  ) -> ParsedActivityUpdate {
    let (decoder, attributes) = demands(of: index, app, model)
    if let reading = shared.reading(as: decoder, beside: attributes) { return reading }
    // It may have been parsed for a type of another version, or be too long with the attributes.
    let read = push.read { root in
      ActivityPayload(root).map {
        ParsedActivityUpdate($0, shared.event, push.request, as: decoder, beside: attributes)
      }
    }
    return (read ?? nil) ?? shared
  }

  /// The type that an activity's content state must decode into, and the size of its attributes.
  private func demands(of index: Int, _ app: Int, _ model: PhoneModel) -> (ContentDecoder?, attributes: Int) {
    let decoders = model.decoders(app, isUpdated: installs[app].isUpdated)
    let type = installs[app].activities[index].type
    return (decoders.indices.contains(type) ? decoders[type] : nil, installs[app].activities[index].attributesSize)
  }

  private mutating func update(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ place: ActivityIndex, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Reaction {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    if parsed.event == .end {
      chargeEnd(app, index, model, at: now)
      guard held.count == 0 else {
        return updateAfterHeld(parsed, push, ActivityKey(app, number), model, at: now, &effects)
      }
    } else {
      if push.priority == .immediate { countUrgent(app, index, model, at: now, &effects) }
      switch gate(parsed, push, place, model, at: now, &effects) {
      case .open: break
      case .openAfterHeld: return updateAfterHeld(parsed, push, ActivityKey(app, number), model, at: now, &effects)
      case .shut(let reaction): return reaction
      }
    }
    return apply(parsed, push, ActivityKey(app, number), model, at: now, &effects)
  }

  /// Applies an update or end after the deferred one.
  private mutating func updateAfterHeld(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Reaction {
    if parsed.event == .end {
      release(key, model, at: now, &effects)
    } else {
      overtake(parsed.timestamp, key, model, at: now, &effects)
    }
    return apply(parsed, push, key, model, at: now, &effects)
  }

  private enum Gate {
    case open
    /// The deferred update is applied first.
    case openAfterHeld
    case shut(Reaction)
  }

  /// Checks the budget, and the delay of priority 5.
  private mutating func gate(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ place: ActivityIndex, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Gate {
    let (app, index) = (place.app, place.index)
    let charge = charge(push.priority, app, index, model, at: now)
    let number = installs[app].activities[index].number
    let wait: Duration
    let reason: Reaction.Hold
    switch charge {
    case .spent: return held.count > 0 ? .openAfterHeld : .open
    case .free where push.priority == .immediate: return .open
    case .free:
      holds &+= 1
      wait = model.budget.lowPriority.delay(in: condition, model.draws.lowPriority, UInt64(id.number), UInt64(holds))
      reason = .lowPriority
    case .exhausted:
      holds &+= 1
      guard let late = model.budget.update.overflow.delay(model.draws.overflow, UInt64(id.number), UInt64(holds)) else {
        return .shut(.dropped(.updateBudget))
      }
      wait = late
      reason = .budget
    }
    // Without a timestamp it cannot be deferred: `apply` rejects it.
    guard let timestamp = parsed.timestamp, wait > .zero else { return .open }
    var expires = Instant.distantFuture
    if reason.isByAPNs {
      switch powerStorage(of: push, model, at: now) {
      case .stores(let until): expires = until
      case .discards(let cause): return .shut(.dropped(cause))
      case .delivers: return held.count > 0 ? .openAfterHeld : .open
      }
    }
    let new = DeferredPush(push: push, timestamp: timestamp, parsed: parsed, reason: reason, expires: expires)
    return hold(new, for: wait, ActivityKey(app, number), model, at: now, &effects).map { .shut($0) } ?? .open
  }

  /// Steps 8 to 12: decode, compare, measure, apply, draw.
  private mutating func apply(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Reaction {
    let (app, number) = (key.app, key.number)
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].acceptsPushes(model.policy.prompt, at: now)
    else { return .dropped(.activityNotActive) }
    // An end without content keeps the current content, so nothing is decoded.
    var verdict = ContentVerdict()
    if parsed.event == .update || parsed.hasContent {
      let decoders = model.decoders(app, isUpdated: installs[app].isUpdated)
      let type = installs[app].activities[index].type
      guard decoders.indices.contains(type) else { return .dropped(.unknownAttributesType) }
      verdict = parsed.contentVerdict(decoders[type], push)
      if let failure = verdict.failure { return .dropped(.contentStateDecode, failure) }
    }
    guard let timestamp = parsed.timestamp else { return .dropped(.missingTimestamp) }
    guard installs[app].activities[index].isNewer(timestamp) else {
      let newest = installs[app].activities[index].lastTimestamp
      let push = installs[app].activities[index].timestampPush
      return .dropped(.staleTimestamp, detail: .stale(timestamp, after: newest, of: push))
    }
    guard parsed.fits else { return .dropped(.combinedSize) }
    let before = installs[app].activities[index].onScreen(at: now)
    var remarks: Remarks = Timestamps.looksLikeMilliseconds(timestamp) ? [.millisecondTimestamp] : []
    if verdict.hasDistantDate { remarks.insert(.dateSince1970) }
    if parsed.hasPayloadRemarks { remarks.insert(.hasPayloadRemarks) }
    let alerts = parsed.alert == .object
    if parsed.alert == .ignored { remarks.insert(.alertIgnored) }
    if parsed.event == .end {
      if parsed.hasContent, installs[app].activities[index].needsDrawing(at: now) { effects.counts.drawings += 1 }
      installs[app].activities[index].conclude(parsed, push, timestamp: timestamp, at: now)
      end(ActivityIndex(app, index), .push, dismissing: instant(of: parsed.dismissalDate), model, at: now, &effects)
      if alerts, presentAlert(of: number, app, push.request, model, at: now) { remarks.insert(.alerted) }
      makeRoom(model, at: now, &effects)
      if parsed.hasAttributes { remarks.insert(.attributesIgnored) }
      return .ended(
        number, dismissal: installs[app].activities[index].dismissal(model.policy), remarks, before: before)
    }
    let spacing = spacing(model)
    if installs[app].activities[index].needsDrawing(at: now) { effects.counts.drawings += 1 }
    let isDrawn = installs[app].activities[index].apply(
      parsed, push, timestamp: timestamp, alerts: alerts, spacing: spacing, at: now)
    if !isDrawn {
      remarks.insert(installs[app].activities[index].isStuck ? .renderStuck : .renderDelayed)
    }
    readDates(of: index, app)
    watchStaleDate(app, index, at: now, &effects)
    if installs[app].activities[index].isStale(at: now) { remarks.insert(.isStale) }
    if alerts, presentAlert(of: number, app, push.request, model, at: now) { remarks.insert(.alerted) }
    makeRoom(model, at: now, &effects)
    if parsed.hasAttributes { remarks.insert(.attributesIgnored) }
    if installs[app].life.isRunning { emit(.contentYielded(number), to: app, model, at: now, &effects) }
    return .updated(number, remarks, before: before)
  }

  /// A deferred update is due.
  mutating func applyHeld(
    _ held: DeferredPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard let parsed = held.parsed else { return }
    let reaction = apply(parsed, held.push, key, model, at: now, &effects)
    switch reaction {
    case .updated, .ended: effects.counts.late += 1
    default: break
    }
    effects.settle(held, reaction.arrivingLate, at: now)
  }
}

extension Reaction {
  /// The same reaction, marked as late.
  var arrivingLate: Reaction {
    switch self {
    case .started(let number, let remarks): .started(number, remarks.union(.late))
    case .updated(let number, let remarks, let before): .updated(number, remarks.union(.late), before: before)
    case .ended(let number, let dismissal, let remarks, let before):
      .ended(number, dismissal: dismissal, remarks.union(.late), before: before)
    case .notified, .background, .call, .service, .held, .dropped: self
    }
  }
}

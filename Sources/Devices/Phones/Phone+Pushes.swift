import APNs
import Timeline
import WireFormats

/// The checks of an update or end on the phone: one guard per rule, each with its own cause, in the phone's order
/// (docs/behavior/live-activities.md#order-on-the-phone).
extension Phone {
  /// A push on the update token of an activity; the caller made sure that the phone is online.
  package mutating func receiveUpdate(
    _ push: ArrivingPush, app: Int, activity number: UInt32, _ turn: inout PhoneTurn
  ) -> Reaction {
    if let shared = push.shared {
      guard let place = acceptingPlace(number, app: app, turn.behavior, at: turn.now) else {
        return .dropped(obstacle(number, app: app, turn.behavior, at: turn.now))
      }
      return update(reading(shared, push: push, place: place, turn.behavior), push: push, place: place, &turn)
    }
    // A deferred push may be parsed next, so this document is closed before anything is done.
    switch push.read({ read($0, push: push, app: app, activity: number, turn.behavior, at: turn.now) }) {
    case .parsed(let parsed, let place): return update(parsed, push: push, place: place, &turn)
    case .reacted(let reaction): return reaction
    case nil: return push.unreadable
    }
  }

  // MARK: - Reading

  private enum Read {
    case parsed(ParsedActivityUpdate, ActivityIndex)
    case reacted(Reaction)
  }

  private func read(
    _ root: JSONNode, push: ArrivingPush, app: Int, activity number: UInt32, _ behavior: PhoneBehavior, at now: Instant
  ) -> Read {
    guard let payload = ActivityPayload(root) else { return .reacted(.dropped(.noAPS)) }
    guard let event = payload.event else { return .reacted(.dropped(.unknownEvent)) }
    guard event != .start else { return .reacted(.dropped(.wrongTokenKind)) }
    guard let place = acceptingPlace(number, app: app, behavior, at: now) else {
      return .reacted(.dropped(obstacle(number, app: app, behavior, at: now)))
    }
    let (decoder, attributes) = demands(of: place, behavior)
    return .parsed(
      ParsedActivityUpdate(payload, event: event, request: push.request, as: decoder, beside: attributes), place)
  }

  /// The activity that an update or end is for; nil if it cannot accept a push.
  private func acceptingPlace(
    _ number: UInt32, app: Int, _ behavior: PhoneBehavior, at now: Instant
  ) -> ActivityIndex? {
    guard let place = place(of: number, app), self[place].acceptsPushes(behavior.policy.prompt, at: now) else {
      return nil
    }
    if let cutoff = behavior.policy.forceQuitCutoff, let quit = installs[app].forceQuitAt,
      quit.advanced(by: cutoff) <= now
    {
      return nil
    }
    return place
  }

  /// The reason why an activity cannot accept a push.
  private func obstacle(_ number: UInt32, app: Int, _ behavior: PhoneBehavior, at now: Instant) -> DropCause {
    guard let place = place(of: number, app), !self[place].isOver(at: now) else { return .activityNotActive }
    return self[place].acceptsPushes(behavior.policy.prompt, at: now) ? .forceQuit : .awaitingPermission
  }

  /// The result of parsing the push before it was known to be for this activity.
  private func reading(
    _ shared: ParsedActivityUpdate, push: ArrivingPush, place: ActivityIndex, _ behavior: PhoneBehavior
  ) -> ParsedActivityUpdate {
    let (decoder, attributes) = demands(of: place, behavior)
    if let reading = shared.reading(as: decoder, beside: attributes) { return reading }
    // It may have been parsed for a type of another version, or be too long with the attributes.
    let read = push.read { root in
      ActivityPayload(root).map {
        ParsedActivityUpdate($0, event: shared.event, request: push.request, as: decoder, beside: attributes)
      }
    }
    return (read ?? nil) ?? shared
  }

  /// The type that an activity's content state must decode into, and the size of its attributes.
  private func demands(of place: ActivityIndex, _ behavior: PhoneBehavior) -> (ContentDecoder?, attributes: Int) {
    let decoders = behavior.decoders(place.app, isUpdated: installs[place.app].isUpdated)
    let type = self[place].type
    return (decoders.indices.contains(type) ? decoders[type] : nil, self[place].attributesSize)
  }

  // MARK: - Budget and delay

  /// Applies an update or end, or defers it. Deferred updates that come first are applied first.
  private mutating func update(
    _ parsed: ParsedActivityUpdate, push: ArrivingPush, place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction {
    if parsed.event == .end {
      chargeEnd(place, turn.behavior, at: turn.now)
      release(place, &turn)
    } else {
      if push.priority == .immediate { countUrgent(place, &turn) }
      switch gate(parsed, push: push, place: place, &turn) {
      case .open: break
      case .openAfterHeld: applyDeferredFirst(before: parsed.timestamp, of: place, &turn)
      case .shut(let reaction): return reaction
      }
    }
    return apply(parsed, push: push, place: place, &turn)
  }

  private enum Gate {
    case open
    /// The deferred update is applied first.
    case openAfterHeld
    case shut(Reaction)
  }

  /// Checks the budget, and the delay of priority 5.
  private mutating func gate(
    _ parsed: ParsedActivityUpdate, push: ArrivingPush, place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Gate {
    let wait: Duration
    let reason: Reaction.Hold
    switch charge(push.priority, to: place, turn.behavior, at: turn.now) {
    case .spent: return held.count > 0 ? .openAfterHeld : .open
    case .free where push.priority == .immediate: return .open
    case .free:
      wait = lowPriorityDelay(turn.behavior)
      reason = .lowPriority
    case .exhausted:
      let overflow = turn.behavior.budget.update.overflow
      guard let late = overflow.delay(by: turn.behavior.draws.overflow, subject: UInt64(id.number), count: nextHold())
      else {
        return .shut(.dropped(.updateBudget))
      }
      wait = late
      reason = .budget
    }
    // Without a timestamp it cannot be deferred: `apply` rejects it.
    guard let timestamp = parsed.timestamp, wait > .zero else { return .open }
    var expires = Instant.distantFuture
    if reason.isByAPNs {
      switch powerStorage(of: push, turn.behavior, at: turn.now) {
      case .stores(let until): expires = until
      case .discards(let cause): return .shut(.dropped(cause))
      case .delivers: return held.count > 0 ? .openAfterHeld : .open
      }
    }
    let new = DeferredPush(push: push, timestamp: timestamp, parsed: parsed, reason: reason, expires: expires)
    return hold(new, for: wait, of: place, &turn).map { .shut($0) } ?? .open
  }

  // MARK: - Applying

  /// Steps 8 to 12: decode, compare, measure, apply, draw.
  private mutating func apply(
    _ parsed: ParsedActivityUpdate, push: ArrivingPush, place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction {
    guard self[place].acceptsPushes(turn.behavior.policy.prompt, at: turn.now) else {
      return .dropped(.activityNotActive)
    }
    // An end without content keeps the current content, so nothing is decoded.
    var verdict = ContentVerdict()
    if parsed.event == .update || parsed.hasContent {
      let decoders = turn.behavior.decoders(place.app, isUpdated: installs[place.app].isUpdated)
      let type = self[place].type
      guard decoders.indices.contains(type) else { return .dropped(.unknownAttributesType) }
      verdict = parsed.contentVerdict(decoders[type], push)
      if let failure = verdict.failure { return .dropped(.contentStateDecode, failure) }
    }
    guard let timestamp = parsed.timestamp else { return .dropped(.missingTimestamp) }
    guard self[place].isNewer(timestamp) else {
      let (newest, push) = (self[place].lastTimestamp, self[place].timestampPush)
      return .dropped(.staleTimestamp, detail: .stale(timestamp, after: newest, of: push))
    }
    guard parsed.fits else { return .dropped(.combinedSize) }
    var remarks: Remarks = Timestamps.looksLikeMilliseconds(timestamp) ? [.millisecondTimestamp] : []
    if verdict.hasDistantDate { remarks.insert(.dateSince1970) }
    if parsed.hasPayloadRemarks { remarks.insert(.hasPayloadRemarks) }
    if parsed.alert == .ignored { remarks.insert(.alertIgnored) }
    if parsed.hasAttributes { remarks.insert(.attributesIgnored) }
    return parsed.event == .end
      ? applyEnd(parsed, push: push, timestamp: timestamp, remarks: remarks, place: place, &turn)
      : applyUpdate(parsed, push: push, timestamp: timestamp, remarks: remarks, place: place, &turn)
  }

  /// Shows new content.
  private mutating func applyUpdate(
    _ parsed: ParsedActivityUpdate, push: ArrivingPush, timestamp: Double, remarks: Remarks,
    place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction {
    var remarks = remarks
    let alerts = parsed.alert == .object
    let (spacing, delay) = (spacing(turn.behavior), clock.delay)
    let (number, before) = change(place) { activity in
      let before = activity.onScreen(at: turn.now)
      if activity.needsDrawing(at: turn.now) { turn.countDrawing() }
      let isDrawn = activity.apply(
        parsed, push, timestamp: timestamp, alerts: alerts, spacing: spacing, at: turn.now)
      if !isDrawn { remarks.insert(activity.isStuck ? .renderStuck : .renderDelayed) }
      activity.moveStaleDate(by: delay)
      if let due = activity.watchStaleDate(at: turn.now) {
        turn.plan(.activityGoesStale(app: place.app, activity.number), due: due)
      }
      if activity.isStale(at: turn.now) { remarks.insert(.isStale) }
      return (activity.number, before)
    }
    if alerts, presentAlert(of: place, push.request, turn.behavior, at: turn.now) { remarks.insert(.alerted) }
    evictExcessContent(&turn)
    if installs[place.app].life.isRunning { emit(.contentYielded(number), to: place.app, &turn) }
    return .updated(number, remarks, before: before)
  }

  /// Ends the activity, with its last content.
  private mutating func applyEnd(
    _ parsed: ParsedActivityUpdate, push: ArrivingPush, timestamp: Double, remarks: Remarks,
    place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction {
    var remarks = remarks
    let (number, before) = change(place) { activity in
      let before = activity.onScreen(at: turn.now)
      if parsed.hasContent, activity.needsDrawing(at: turn.now) { turn.countDrawing() }
      activity.conclude(parsed, push, timestamp: timestamp, at: turn.now)
      return (activity.number, before)
    }
    end(place, cause: .push, dismissing: clock.instant(of: parsed.dismissalDate), &turn)
    if parsed.alert == .object, presentAlert(of: place, push.request, turn.behavior, at: turn.now) {
      remarks.insert(.alerted)
    }
    evictExcessContent(&turn)
    return .ended(number, dismissal: self[place].dismissal(turn.behavior.policy), remarks, before: before)
  }

  /// A deferred update is due.
  mutating func applyHeld(_ held: DeferredPush, activity number: UInt32, app: Int, _ turn: inout PhoneTurn) {
    guard let parsed = held.parsed else { return }
    let reaction =
      if let place = place(of: number, app) {
        apply(parsed, push: held.push, place: place, &turn)
      } else {
        Reaction.dropped(.activityNotActive)
      }
    switch reaction {
    case .updated, .ended: turn.countLate()
    default: break
    }
    turn.settle(held, reaction.arrivingLate)
  }
}

extension Reaction {
  /// The reaction, marked as late.
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

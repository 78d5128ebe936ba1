import APNs
import Timeline
import WireFormats

/// The checks of an update or end on the phone: one guard per rule, each with its own cause, in the phone's order
/// (docs/behavior/live-activities.md#order-on-the-phone).
extension Phone {
  /// A push on the update token of an activity; the caller made sure that the phone is online.
  package mutating func receiveUpdate(
    _ push: ArrivingPush, app: Int, activity: UInt32, _ turn: inout PhoneTurn
  ) -> Reaction {
    if let shared = push.shared {
      guard let index = runningIndex(app, activity, turn.behavior, at: turn.now) else {
        return .dropped(obstacle(app, activity, turn.behavior, at: turn.now))
      }
      return update(
        reading(shared, push, app, index, turn.behavior), push, ActivityIndex(app, index), &turn)
    }
    // A deferred push may be parsed next, so this document is closed before anything is done.
    switch push.read({ read($0, push, app, activity, turn.behavior, at: turn.now) }) {
    case .parsed(let parsed, let index):
      return update(parsed, push, ActivityIndex(app, index), &turn)
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
  private func runningIndex(_ app: Int, _ number: UInt32, _ behavior: PhoneBehavior, at now: Instant) -> Int? {
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].acceptsPushes(behavior.policy.prompt, at: now)
    else { return nil }
    if let cutoff = behavior.policy.forceQuitCutoff, let quit = installs[app].forceQuitAt,
      quit.advanced(by: cutoff) <= now
    {
      return nil
    }
    return index
  }

  /// Why it cannot accept it.
  private func obstacle(_ app: Int, _ number: UInt32, _ behavior: PhoneBehavior, at now: Instant) -> DropCause {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].isOver(at: now) else {
      return .activityNotActive
    }
    return installs[app].activities[index].acceptsPushes(behavior.policy.prompt, at: now)
      ? .forceQuit : .awaitingPermission
  }

  private func read(
    _ root: JSONNode, _ push: ArrivingPush, _ app: Int, _ number: UInt32, _ behavior: PhoneBehavior, at now: Instant
  ) -> Read {
    guard let payload = ActivityPayload(root) else { return .reacted(.dropped(.noAPS)) }
    guard let event = payload.event else { return .reacted(.dropped(.unknownEvent)) }
    guard event != .start else { return .reacted(.dropped(.wrongTokenKind)) }
    guard let index = runningIndex(app, number, behavior, at: now) else {
      return .reacted(.dropped(obstacle(app, number, behavior, at: now)))
    }
    let (decoder, attributes) = demands(of: index, app, behavior)
    return .parsed(ParsedActivityUpdate(payload, event, push.request, as: decoder, beside: attributes), index)
  }

  /// The result of parsing the push before it was known to be for this activity.
  private func reading(
    _ shared: ParsedActivityUpdate, _ push: ArrivingPush, _ app: Int, _ index: Int, _ behavior: PhoneBehavior
  ) -> ParsedActivityUpdate {
    let (decoder, attributes) = demands(of: index, app, behavior)
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
  private func demands(of index: Int, _ app: Int, _ behavior: PhoneBehavior) -> (ContentDecoder?, attributes: Int) {
    let decoders = behavior.decoders(app, isUpdated: installs[app].isUpdated)
    let type = installs[app].activities[index].type
    return (decoders.indices.contains(type) ? decoders[type] : nil, installs[app].activities[index].attributesSize)
  }

  private mutating func update(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Reaction {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    if parsed.event == .end {
      chargeEnd(app, index, turn.behavior, at: turn.now)
      guard held.count == 0 else {
        return updateAfterHeld(parsed, push, ActivityKey(app, number), &turn)
      }
    } else {
      if push.priority == .immediate { countUrgent(app, index, &turn) }
      switch gate(parsed, push, place, &turn) {
      case .open: break
      case .openAfterHeld: return updateAfterHeld(parsed, push, ActivityKey(app, number), &turn)
      case .shut(let reaction): return reaction
      }
    }
    return apply(parsed, push, ActivityKey(app, number), &turn)
  }

  /// Applies an update or end after the deferred one.
  private mutating func updateAfterHeld(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ key: ActivityKey, _ turn: inout PhoneTurn
  ) -> Reaction {
    if parsed.event == .end {
      release(key, &turn)
    } else {
      overtake(parsed.timestamp, key, &turn)
    }
    return apply(parsed, push, key, &turn)
  }

  private enum Gate {
    case open
    /// The deferred update is applied first.
    case openAfterHeld
    case shut(Reaction)
  }

  /// Checks the budget, and the delay of priority 5.
  private mutating func gate(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ place: ActivityIndex, _ turn: inout PhoneTurn
  ) -> Gate {
    let (app, index) = (place.app, place.index)
    let charge = charge(push.priority, app, index, turn.behavior, at: turn.now)
    let number = installs[app].activities[index].number
    let wait: Duration
    let reason: Reaction.Hold
    switch charge {
    case .spent: return held.count > 0 ? .openAfterHeld : .open
    case .free where push.priority == .immediate: return .open
    case .free:
      holds &+= 1
      wait = turn.behavior.budget.lowPriority.delay(
        in: condition, turn.behavior.draws.lowPriority, UInt64(id.number), UInt64(holds))
      reason = .lowPriority
    case .exhausted:
      holds &+= 1
      guard
        let late = turn.behavior.budget.update.overflow.delay(
          turn.behavior.draws.overflow, UInt64(id.number), UInt64(holds))
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
    return hold(new, for: wait, ActivityKey(app, number), &turn).map { .shut($0) } ?? .open
  }

  /// Steps 8 to 12: decode, compare, measure, apply, draw.
  private mutating func apply(
    _ parsed: ParsedActivityUpdate, _ push: ArrivingPush, _ key: ActivityKey, _ turn: inout PhoneTurn
  ) -> Reaction {
    let (app, number) = (key.app, key.number)
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].acceptsPushes(turn.behavior.policy.prompt, at: turn.now)
    else { return .dropped(.activityNotActive) }
    // An end without content keeps the current content, so nothing is decoded.
    var verdict = ContentVerdict()
    if parsed.event == .update || parsed.hasContent {
      let decoders = turn.behavior.decoders(app, isUpdated: installs[app].isUpdated)
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
    let before = installs[app].activities[index].onScreen(at: turn.now)
    var remarks: Remarks = Timestamps.looksLikeMilliseconds(timestamp) ? [.millisecondTimestamp] : []
    if verdict.hasDistantDate { remarks.insert(.dateSince1970) }
    if parsed.hasPayloadRemarks { remarks.insert(.hasPayloadRemarks) }
    let alerts = parsed.alert == .object
    if parsed.alert == .ignored { remarks.insert(.alertIgnored) }
    if parsed.event == .end {
      if parsed.hasContent, installs[app].activities[index].needsDrawing(at: turn.now) { turn.countDrawing() }
      installs[app].activities[index].conclude(parsed, push, timestamp: timestamp, at: turn.now)
      end(ActivityIndex(app, index), .push, dismissing: instant(of: parsed.dismissalDate), &turn)
      if alerts, presentAlert(of: number, app, push.request, turn.behavior, at: turn.now) { remarks.insert(.alerted) }
      makeRoom(&turn)
      if parsed.hasAttributes { remarks.insert(.attributesIgnored) }
      return .ended(
        number, dismissal: installs[app].activities[index].dismissal(turn.behavior.policy), remarks, before: before)
    }
    let spacing = spacing(turn.behavior)
    if installs[app].activities[index].needsDrawing(at: turn.now) { turn.countDrawing() }
    let isDrawn = installs[app].activities[index].apply(
      parsed, push, timestamp: timestamp, alerts: alerts, spacing: spacing, at: turn.now)
    if !isDrawn {
      remarks.insert(installs[app].activities[index].isStuck ? .renderStuck : .renderDelayed)
    }
    readDates(of: index, app)
    watchStaleDate(app, index, &turn)
    if installs[app].activities[index].isStale(at: turn.now) { remarks.insert(.isStale) }
    if alerts, presentAlert(of: number, app, push.request, turn.behavior, at: turn.now) { remarks.insert(.alerted) }
    makeRoom(&turn)
    if parsed.hasAttributes { remarks.insert(.attributesIgnored) }
    if installs[app].life.isRunning { emit(.contentYielded(number), to: app, &turn) }
    return .updated(number, remarks, before: before)
  }

  /// A deferred update is due.
  mutating func applyHeld(
    _ held: DeferredPush, _ key: ActivityKey, _ turn: inout PhoneTurn
  ) {
    guard let parsed = held.parsed else { return }
    let reaction = apply(parsed, held.push, key, &turn)
    switch reaction {
    case .updated, .ended: turn.countLate()
    default: break
    }
    turn.settle(held, reaction.arrivingLate)
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

import APNs
import Timeline
import WireFormats

/// What an update or end of a Live Activity meets on the phone: one guard per rule, each its own cause, in the order in
/// which the phone applies them (docs/behavior/live-activities.md#order-on-the-phone).
extension Phone {
  /// A push on the update token of an activity; the phone is online, or it would not be here.
  package mutating func receiveUpdate(
    _ push: ArrivingPush, app: Int, activity: UInt32, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Reaction {
    if let shared = push.shared {
      guard let index = runningIndex(app, activity, model, at: now) else {
        return .dropped(obstacle(app, activity, at: now))
      }
      return update(
        reading(shared, push, app, index, model), push, ActivityPlace(app, index), model, at: now, &news)
    }
    // What is held may be read in its turn, so the document is closed before anything is done.
    switch push.read({ read($0, push, app, activity, model, at: now) }) {
    case .said(let said, let index):
      return update(said, push, ActivityPlace(app, index), model, at: now, &news)
    case .reacted(let reaction): return reaction
    case nil: return .dropped(.notJSON)
    }
  }

  private enum Read {
    /// To the activity at that place.
    case said(ActivityReading, Int)
    case reacted(Reaction)
  }

  /// The place of the activity that an update or end is for; nil where it takes none.
  private func runningIndex(_ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant) -> Int? {
    guard let index = installs[app].index(of: number), installs[app].activities[index].isRunning(at: now) else {
      return nil
    }
    if let cutoff = model.habits.forceQuitCutoff, let quit = installs[app].forceQuitAt,
      quit.advanced(by: cutoff) <= now
    {
      return nil
    }
    return index
  }

  /// Why it takes none.
  private func obstacle(_ app: Int, _ number: UInt32, at now: Instant) -> DropCause {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].isOver(at: now) else {
      return .activityNotActive
    }
    return installs[app].activities[index].isRunning(at: now) ? .forceQuit : .awaitingPermission
  }

  private func read(
    _ root: JSONNode, _ push: ArrivingPush, _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant
  ) -> Read {
    guard let payload = ActivityPayload(root) else { return .reacted(.dropped(.notJSON)) }
    guard let event = payload.event else { return .reacted(.dropped(.unknownEvent)) }
    guard event != .start else { return .reacted(.dropped(.wrongTokenKind)) }
    guard let index = runningIndex(app, number, model, at: now) else {
      return .reacted(.dropped(obstacle(app, number, at: now)))
    }
    let (decoder, attributes) = demands(of: index, app, model)
    return .said(ActivityReading(payload, event, push.request, as: decoder, beside: attributes), index)
  }

  /// What was read of a push before it was known that it is for this activity.
  private func reading(
    _ shared: ActivityReading, _ push: ArrivingPush, _ app: Int, _ index: Int, _ model: PhoneModel
  ) -> ActivityReading {
    let (decoder, attributes) = demands(of: index, app, model)
    if let reading = shared.reading(as: decoder, beside: attributes) { return reading }
    // It may be the type of another version of the app, or too long beside the attributes.
    let read = push.read { root in
      ActivityPayload(root).map { ActivityReading($0, shared.event, push.request, as: decoder, beside: attributes) }
    }
    return (read ?? nil) ?? shared
  }

  /// The type that an activity's content state must decode into, and the bytes of its attributes.
  private func demands(of index: Int, _ app: Int, _ model: PhoneModel) -> (ContentDecoder?, attributes: Int) {
    let decoders = model.decoders(app, isUpdated: installs[app].isUpdated)
    let type = installs[app].activities[index].type
    return (decoders.indices.contains(type) ? decoders[type] : nil, installs[app].activities[index].attributesSize)
  }

  private mutating func update(
    _ said: ActivityReading, _ push: ArrivingPush, _ place: ActivityPlace, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    if said.event == .end {
      chargeEnd(app, index, model, at: now)
      guard held.count == 0 else { return updateAfterHeld(said, push, ActivityKey(app, number), model, at: now, &news) }
    } else {
      if push.priority == .immediate { countUrgent(app, index, model, at: now, &news) }
      switch gate(said, push, place, model, at: now, &news) {
      case .open: break
      case .openAfterHeld: return updateAfterHeld(said, push, ActivityKey(app, number), model, at: now, &news)
      case .shut(let reaction): return reaction
      }
    }
    return apply(said, push, ActivityKey(app, number), model, at: now, &news)
  }

  /// An update or end that goes on, behind what was held.
  private mutating func updateAfterHeld(
    _ said: ActivityReading, _ push: ArrivingPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    if said.event == .end {
      release(key, model, at: now, &news)
    } else {
      overtake(said.timestamp, key, model, at: now, &news)
    }
    return apply(said, push, key, model, at: now, &news)
  }

  private enum Gate {
    case open
    /// What is held goes first.
    case openAfterHeld
    case shut(Reaction)
  }

  /// The budget, and the leisure of priority 5.
  private mutating func gate(
    _ said: ActivityReading, _ push: ArrivingPush, _ place: ActivityPlace, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
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
    // What cannot be newer than anything takes no place; it is dropped for what is wrong with it.
    guard let timestamp = said.timestamp, wait > .zero else { return .open }
    let held = HeldPush(push: push, timestamp: timestamp, said: said, reason: reason)
    return hold(held, for: wait, ActivityKey(app, number), model, at: now, &news).map { .shut($0) } ?? .open
  }

  /// Steps 8 to 12: decode, compare, measure, apply, draw.
  private mutating func apply(
    _ said: ActivityReading, _ push: ArrivingPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    let (app, number) = (key.app, key.number)
    guard let index = installs[app].index(of: number), installs[app].activities[index].isRunning(at: now) else {
      return .dropped(.activityNotActive)
    }
    // An end may leave the content as it is, and then has nothing to decode.
    if said.event == .update || said.hasContent {
      let decoders = model.decoders(app, isUpdated: installs[app].isUpdated)
      let type = installs[app].activities[index].type
      guard decoders.indices.contains(type) else { return .dropped(.unknownAttributesType) }
      if let failure = said.contentFailure(decoders[type], push) {
        return .dropped(.contentStateDecode, failure)
      }
    }
    guard let timestamp = said.timestamp else { return .dropped(.missingTimestamp) }
    let newest = installs[app].activities[index].lastTimestamp
    guard timestamp > newest else {
      let push = installs[app].activities[index].timestampPush
      return .dropped(.staleTimestamp, detail: .stale(timestamp, after: newest, of: push))
    }
    guard said.fits else { return .dropped(.combinedSize) }
    let before = installs[app].activities[index].onScreen(at: now)
    var remarks: Remarks = Timestamps.looksLikeMilliseconds(timestamp) ? [.millisecondTimestamp] : []
    let alerts = said.alert == .object
    switch said.alert {
    case .object: remarks.insert(.alerted)
    case .ignored: remarks.insert(.alertIgnored)
    case .none: break
    }
    if said.event == .end {
      installs[app].activities[index].conclude(said, push, timestamp: timestamp, at: now)
      end(ActivityPlace(app, index), .push, dismissing: said.dismissalDate, model, at: now, &news)
      if alerts { presentAlert(of: number, app, push.request, model, at: now) }
      makeRoom(model, at: now, &news)
      if said.hasAttributes { remarks.insert(.attributesIgnored) }
      return .ended(
        number, dismissal: installs[app].activities[index].dismissal(model.habits), remarks, before: before)
    }
    let spacing = spacing(model)
    let isDrawn = installs[app].activities[index].apply(
      said, push, timestamp: timestamp, alerts: alerts, spacing: spacing, at: now)
    if !isDrawn {
      remarks.insert(installs[app].activities[index].isStuck ? .renderStuck : .renderDelayed)
    }
    watchStaleDate(app, index, at: now, &news)
    if alerts { presentAlert(of: number, app, push.request, model, at: now) }
    makeRoom(model, at: now, &news)
    if said.hasAttributes { remarks.insert(.attributesIgnored) }
    if installs[app].life.isRunning { tell(.contentYielded(number), to: app, model, at: now, &news) }
    return .updated(number, remarks, before: before)
  }

  /// A held update's time has come.
  mutating func applyHeld(
    _ held: HeldPush, _ key: ActivityKey, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard let said = held.said else { return }
    let reaction = apply(said, held.push, key, model, at: now, &news)
    news.settle(held, reaction.arrivingLate, at: now)
  }
}

extension Reaction {
  /// The same reaction to a push that had been held back.
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

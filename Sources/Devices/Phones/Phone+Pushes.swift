import APNs
import Timeline
import WireFormats

/// What a Live Activity push meets on the phone: one guard per rule, each its own cause, in the order the phone applies
/// them (device reference, 1.6).
extension Phone {
  /// A push on the push-to-start token of an attributes type.
  package mutating func receiveStart(
    _ push: ArrivingPush, app: Int, type: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Reaction {
    guard allowsActivities(app), model.apps[app].traits.supportsLiveActivities else { return .dropped(.activitiesOff) }
    return push.read { start($0, push, app, type, model, at: now, &news) } ?? .dropped(.notJSON)
  }

  /// A push on the update token of an activity; the phone is online, or it would not be here.
  package mutating func receiveUpdate(
    _ push: ArrivingPush, app: Int, activity: UInt32, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Reaction {
    if let shared = push.shared {
      guard let index = runningIndex(app, activity, model, at: now) else {
        return .dropped(obstacle(app, activity, at: now))
      }
      return update(reading(shared, push, app, index, model), push, app, index, model, at: now, &news)
    }
    // What is held may be read in its turn, so the document is closed before anything is done.
    switch push.read({ read($0, push, app, activity, model, at: now) }) {
    case .said(let said, let index): return update(said, push, app, index, model, at: now, &news)
    case .reacted(let reaction): return reaction
    case nil: return .dropped(.notJSON)
    }
  }

  // MARK: - Start

  private mutating func start(
    _ root: JSONNode, _ push: ArrivingPush, _ app: Int, _ type: Int, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    guard let payload = ActivityPayload(root) else { return .dropped(.notJSON) }
    guard let event = payload.event else { return .dropped(.unknownEvent) }
    guard event == .start else { return .dropped(.wrongTokenKind) }
    // Observed: a log shows the budget accepting a start before the missing alert drops it, so a malformed start costs.
    installs[app].details.store()
    switch installs[app].details[0].startBudget.charge(condition, model.budget.start, at: now) {
    case .spent: break
    case .suppressed: return .dropped(.lowPower)
    case .exhausted(let balance, _): return .dropped(.startBudget, "balance \(balance)")
    }
    if let alert = payload.alert {
      guard alert.isObject else { return .dropped(.alertNotDictionary) }
    } else if model.habits.startNeedsAlert.holds(on: os) {
      // Observed: iOS 26.4 logs that a start had no alert configuration, and drops it.
      return .dropped(.noAlertConfiguration)
    }
    let types = installs[app].types(model.apps[app])
    guard types.indices.contains(type) else { return .dropped(.unknownAttributesType) }
    let wanted = types[type]
    guard let name = payload.aps["attributes-type"]?.string, name == wanted.name else {
      let given = payload.aps["attributes-type"]?.string
      return .dropped(.unknownAttributesType, "the token is of \(wanted.name), the push of \(given ?? "none")")
    }
    let channel = payload.aps["input-push-channel"]
    let asksForToken = payload.aps["input-push-token"] != nil
    if channel != nil {
      guard os >= OSVersion(18, 0) else { return .dropped(.osTooOld) }
      guard !asksForToken else { return .dropped(.contradictoryInput) }
    }
    guard let attributes = payload.aps["attributes"], attributes.isObject else {
      return .dropped(.attributesDecode, "attributes: an object is missing")
    }
    if let failure = wanted.attributes?.failure(attributes, at: "attributes") {
      return .dropped(.attributesDecode, failure)
    }
    if let failure = payload.contentFailure(wanted.contentState) {
      return .dropped(.contentStateDecode, failure)
    }
    guard let timestamp = payload.timestamp else { return .dropped(.missingTimestamp) }
    if let limit = model.habits.maxStartAge, Double(now.seconds) - timestamp > Double(limit.wholeNanoseconds) / 1e9 {
      return .dropped(.startTooOld)
    }
    let size = attributes.whole.text.utf8.count
    guard payload.fits(push.request, beside: size) else { return .dropped(.combinedSize) }
    if let cause = makeRoom(app, model, at: now, &news) { return .dropped(cause) }
    guard wanted.images != .tooLarge else { return .dropped(.renderFailed) }

    let number = installs[app].start(type: type, origin: .push, model.habits, at: now).number
    var remarks: Remarks = wanted.images == .missing ? [.imagesMissing] : []
    if payload.hasStrayAlert { remarks.insert(.alertIgnored) }
    if Timestamps.looksLikeMilliseconds(timestamp) { remarks.insert(.millisecondTimestamp) }
    guard let index = installs[app].index(of: number) else { return .dropped(.targetLimit) }
    installs[app].activities[index].begin(payload, push.request, timestamp: timestamp, attributesSize: size)
    installs[app].activities[index].timestampPush = push.number
    if model.draws.stuck.strikes(model.habits.stuckCards, subject(app), UInt64(number)) {
      installs[app].activities[index].stick()
    }
    if let id = channel?.string {
      installs[app].activities[index].updates = .channel(id)
    } else if model.habits.requiresInputPushToken, !asksForToken, os >= OSVersion(18, 0) {
      installs[app].activities[index].updates = .none
      remarks.insert(.noTokenAsked)
    }
    installs[app].activities[index].awaitToken()
    news.tell(.activityStarted(number, .push), app: app, at: now)
    if payload.alert != nil {
      presentAlert(of: number, app, push.request, model, at: now)
      remarks.insert(.alerted)
    }
    makeRoom(model, at: now, &news)
    remarks.formUnion(introduce(number, app, model, at: now, &news))
    return .started(number, remarks)
  }

  /// Makes room for one more activity, or says which limit keeps it out.
  private mutating func makeRoom(
    _ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> DropCause? {
    let habits = model.habits
    if installs[app].counted(habits, at: now) >= habits.activitiesPerApp {
      guard evict(from: [app], model, at: now, &news) else { return .targetLimit }
    }
    if counted(habits, at: now) >= habits.activitiesPerDevice {
      guard evict(from: Array(installs.indices), model, at: now, &news) else { return .globalLimit }
    }
    return installs[app].isFull ? .targetLimit : nil
  }

  /// The question, the first token and the waking of the app that follow a start by push.
  private mutating func introduce(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Remarks {
    var remarks: Remarks = []
    plan(.activityRunsOut(app: app, number), after: model.habits.activityLife, at: now, &news)
    let asks =
      switch model.habits.prompt.policy {
      case .never: false
      case .everyPushStart: true
      case .firstPushStart: !installs[app].hasAllowedStarts
      }
    if asks {
      ask(number, app, model, at: now, &news)
      remarks.insert(.awaitingPermission)
    }
    let isAwake = canWake(app)
    let wake = model.draws.wake.duration(in: model.habits.timing.wake, subject(app), UInt64(number))
    if isAwake { perform(.appWakes(app: app, number), after: wake, model, at: now, &news) }
    if !asks {
      // The stream yields a token to an app that is awake, so not before it is.
      let wait = model.draws.token.duration(in: model.habits.timing.pushedToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: max(wait, wake), model, at: now, &news)
    }
    guard isAwake else { return remarks.union(.noRuntime) }
    if !model.apps[app].traits.observing.activityUpdates || !model.apps[app].traits.observing.atLaunch {
      remarks.insert(.noObserver)
    }
    return remarks
  }

  // MARK: - Update and end

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
    _ said: ActivityReading, _ push: ArrivingPush, _ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    let number = installs[app].activities[index].number
    if said.event == .end {
      chargeEnd(app, index, model, at: now)
      guard held.count == 0 else { return updateAfterHeld(said, push, app, number, model, at: now, &news) }
    } else {
      if model.habits.prompt.asksAgainAfter != nil, push.priority == .immediate {
        countUrgent(app, index, model, at: now, &news)
      }
      switch gate(said, push, app, index, model, at: now, &news) {
      case .open: break
      case .openAfterHeld: return updateAfterHeld(said, push, app, number, model, at: now, &news)
      case .shut(let reaction): return reaction
      }
    }
    return apply(said, push, app, number, model, at: now, &news)
  }

  /// An update or end that goes on, behind what was held.
  private mutating func updateAfterHeld(
    _ said: ActivityReading, _ push: ArrivingPush, _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
    if said.event == .end {
      release(app, number, model, at: now, &news)
    } else {
      overtake(said.timestamp, app, number, model, at: now, &news)
    }
    return apply(said, push, app, number, model, at: now, &news)
  }

  private enum Gate {
    case open
    /// What is held goes first.
    case openAfterHeld
    case shut(Reaction)
  }

  /// The budget, and the leisure of priority 5.
  private mutating func gate(
    _ said: ActivityReading, _ push: ArrivingPush, _ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Gate {
    let charge = charge(push.priority, app, index, model, at: now)
    count(charge)
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
    return hold(push, said, reason, for: wait, app, number, model, at: now, &news).map { .shut($0) } ?? .open
  }

  /// Steps 8 to 12: decode, compare, measure, apply, draw.
  private mutating func apply(
    _ said: ActivityReading, _ push: ArrivingPush, _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Reaction {
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
    installs[app].activities[index].timestampPush = push.number
    let alerts = said.alert == .object
    switch said.alert {
    case .object: remarks.insert(.alerted)
    case .ignored: remarks.insert(.alertIgnored)
    case .none: break
    }
    if said.event == .end {
      installs[app].activities[index].conclude(said, push.request, timestamp: timestamp, at: now)
      end(app, index, .push, dismissing: said.dismissalDate, model, at: now, &news)
      if alerts { presentAlert(of: number, app, push.request, model, at: now) }
      makeRoom(model, at: now, &news)
      if said.hasAttributes { remarks.insert(.attributesIgnored) }
      return .ended(
        number, dismissal: installs[app].activities[index].dismissal(model.habits), remarks, before: before)
    }
    let spacing = spacing(model)
    let isDrawn = installs[app].activities[index].apply(
      said, push.request, timestamp: timestamp, alerts: alerts, spacing: spacing, at: now)
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
    _ held: HeldPush, _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard let said = held.said else { return }
    let reaction = apply(said, held.push, app, number, model, at: now, &news)
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

import APNs
import Timeline
import WireFormats

/// The checks of a start by push on the phone: one guard per rule, each with its own cause, in the phone's order
/// (docs/behavior/live-activities.md#order-on-the-phone).
extension Phone {
  /// The app and type that a push-to-start token belongs to.
  private struct StartSlot {
    let app: Int
    /// Number of the attributes type.
    let type: Int
  }

  /// A push on the push-to-start token of an attributes type.
  package mutating func receiveStart(_ push: ArrivingPush, app: Int, type: Int, _ turn: inout PhoneTurn) -> Reaction {
    guard allowsActivities(app), turn.behavior.apps[app].traits.supportsLiveActivities else {
      return .dropped(.activitiesOff)
    }
    let slot = StartSlot(app: app, type: type)
    let reaction = push.read { root in
      ActivityPayload(root).map { start($0, push: push, slot: slot, &turn) }
    }
    return reaction.map { $0 ?? .dropped(.noAPS) } ?? push.unreadable
  }

  /// A start that passed all checks of the payload.
  private struct StartRequest {
    let payload: ActivityPayload
    let timestamp: Double
    /// Size of its attributes as compact JSON, in bytes.
    let attributesSize: Int
    let images: AttributesType.Images
    let hasDistantDate: Bool
  }

  private enum StartOutcome {
    case wanted(StartRequest)
    case dropped(DropCause, String? = nil)
  }

  private mutating func start(
    _ payload: ActivityPayload, push: ArrivingPush, slot: StartSlot, _ turn: inout PhoneTurn
  ) -> Reaction {
    guard let event = payload.event else { return .dropped(.unknownEvent) }
    guard event == .start else { return .dropped(.wrongTokenKind) }
    // Observed: a log shows the budget accepting a start before the missing alert drops it, so a malformed start costs.
    switch installs[slot.app].chargeStart(condition, turn.behavior.budget.start, at: turn.now) {
    case .spent: break
    case .suppressed: return .dropped(.lowPower)
    case .exhausted(let balance, _): return .dropped(.startBudget, "balance \(balance)")
    }
    switch examine(payload, push: push, slot: slot, turn.behavior, at: turn.now) {
    case .dropped(let cause, let detail): return .dropped(cause, detail: detail.map { .words($0) })
    case .wanted(let request):
      if let cause = evictActivity(for: slot.app, &turn) { return .dropped(cause) }
      guard request.images != .tooLarge else { return .dropped(.renderFailed) }
      return start(request, push: push, slot: slot, &turn)
    }
  }

  /// Checks the payload: one guard per rule.
  private func examine(
    _ payload: ActivityPayload, push: ArrivingPush, slot: StartSlot, _ behavior: PhoneBehavior, at now: Instant
  ) -> StartOutcome {
    if let alert = payload.alert {
      guard alert.isObject else { return .dropped(.alertNotDictionary) }
    } else if behavior.policy.startNeedsAlert.holds(on: os) {
      // Observed: iOS 26.4 logs that a start had no alert configuration, and drops it.
      return .dropped(.noAlertConfiguration)
    }
    let types = installs[slot.app].types(behavior.apps[slot.app])
    guard types.indices.contains(slot.type) else { return .dropped(.unknownAttributesType) }
    let wanted = types[slot.type]
    guard let name = payload.attributesType?.string, name == wanted.name else {
      let given = payload.attributesType?.string
      let detail = "the token is for \(wanted.name), the push for \(given ?? "no type")"
      return .dropped(.unknownAttributesType, detail)
    }
    if payload.inputChannel != nil {
      guard os >= OSVersion(18, 0) else { return .dropped(.osTooOld) }
      guard !payload.asksForToken else { return .dropped(.contradictoryInput) }
    }
    guard let attributes = payload.attributes, attributes.isObject else {
      return .dropped(.attributesDecode, "attributes is missing; it must be an object")
    }
    let constant = wanted.attributes?.verdict(on: attributes, at: "attributes") ?? ContentVerdict()
    if let failure = constant.failure { return .dropped(.attributesDecode, failure) }
    let content = payload.contentVerdict(wanted.contentState)
    if let failure = content.failure { return .dropped(.contentStateDecode, failure) }
    guard let timestamp = payload.timestamp else { return .dropped(.missingTimestamp) }
    if let limit = behavior.policy.maxStartAge, Double(now.seconds) - timestamp > Double(limit.wholeNanoseconds) / 1e9 {
      return .dropped(.startTooOld)
    }
    let size = attributes.whole.text.utf8.count
    guard payload.fits(push.request, beside: size) else { return .dropped(.combinedSize) }
    return .wanted(
      StartRequest(
        payload: payload, timestamp: timestamp, attributesSize: size, images: wanted.images,
        hasDistantDate: constant.hasDistantDate || content.hasDistantDate))
  }

  /// Starts the activity.
  private mutating func start(
    _ request: StartRequest, push: ArrivingPush, slot: StartSlot, _ turn: inout PhoneTurn
  ) -> Reaction {
    let app = slot.app
    let place = startActivity(app, type: slot.type, origin: .push, turn.behavior.policy, at: turn.now)
    let number = self[place].number
    var remarks: Remarks = request.images == .missing ? [.imagesMissing] : []
    if Timestamps.looksLikeMilliseconds(request.timestamp) { remarks.insert(.millisecondTimestamp) }
    if request.hasDistantDate { remarks.insert(.dateSince1970) }
    if !request.payload.allRemarks.isEmpty { remarks.insert(.hasPayloadRemarks) }
    var updates = ActivityUpdates.token
    if let id = request.payload.inputChannel?.string {
      updates = .channel(id)
    } else if turn.behavior.policy.requiresInputPushToken, !request.payload.asksForToken, os >= OSVersion(18, 0) {
      updates = .none
      remarks.insert(.noTokenAsked)
    }
    let isStuck = isStuck(number, app: app, turn.behavior)
    change(place) { activity in
      activity.begin(
        request.payload, push: push, timestamp: request.timestamp, attributesSize: request.attributesSize,
        updates: updates)
      if isStuck { activity.stick() }
    }
    readDates(of: place)
    watchStaleDate(of: place, &turn)
    if self[place].isStale(at: turn.now) { remarks.insert(.isStale) }
    turn.countDrawing()
    turn.emit(.activityStarted(number, .push), app: app)
    if request.payload.hasIgnoredAlert {
      remarks.insert(.alertIgnored)
    } else if request.payload.alert != nil, presentAlert(of: place, push.request, turn.behavior, at: turn.now) {
      remarks.insert(.alerted)
    }
    evictExcessContent(&turn)
    remarks.formUnion(introduce(place, &turn))
    return .started(number, remarks)
  }

  /// Makes room for one more activity, or returns the limit that prevents it.
  private mutating func evictActivity(for app: Int, _ turn: inout PhoneTurn) -> DropCause? {
    let policy = turn.behavior.policy
    if installs[app].counted(policy, at: turn.now) >= policy.activitiesPerApp {
      guard evict(from: [app], &turn) else { return .targetLimit }
    }
    if counted(policy, at: turn.now) >= policy.activitiesPerDevice {
      guard evict(from: Array(installs.indices), &turn) else { return .globalLimit }
    }
    return installs[app].isFull ? .targetLimit : nil
  }

  /// The Allow question, the first token and the wake of the app after a start by push.
  private mutating func introduce(_ place: ActivityIndex, _ turn: inout PhoneTurn) -> Remarks {
    let (app, number) = (place.app, self[place].number)
    var remarks: Remarks = []
    turn.plan(.activityRunsOut(app: app, number), after: turn.behavior.policy.activityLife)
    let asks =
      switch turn.behavior.policy.prompt.policy {
      case .never: false
      case .everyPushStart: true
      case .firstPushStart: !installs[app].hasAllowedStarts
      }
    if asks {
      ask(place, &turn)
      remarks.insert(.awaitingPermission)
    }
    let isAwake = canWake(app)
    let wake = turn.behavior.draws.wake.duration(
      in: turn.behavior.policy.timing.wake, subject: subject(app), count: UInt64(number))
    if isAwake { perform(.appWakes(app: app, number), after: wake, &turn) }
    if !asks {
      // The stream yields a token only to an app that is awake.
      let wait = turn.behavior.draws.token.duration(
        in: turn.behavior.policy.timing.pushedToken, subject: subject(app), count: UInt64(number))
      perform(.tokenArrives(app: app, number), after: max(wait, wake), &turn)
    }
    guard isAwake else { return remarks.union(.noRuntime) }
    if !turn.behavior.apps[app].traits.observing.activityUpdates || !turn.behavior.apps[app].traits.observing.atLaunch {
      remarks.insert(.noObserver)
    }
    return remarks
  }
}

import APNs
import Devices
import Timeline
import WireFormats

/// Mistakes in pushes that APNs answered 200, found by what phones did with the pushes.
extension Auditor {
  /// Checks what a phone dropped silently, deferred or ignored.
  mutating func judge(_ fate: Fate, _ device: DeviceID?, _ id: NotificationID?, _ now: Instant) {
    guard let reaction = fate.reaction else { return }
    switch reaction {
    case .notified(let shown):
      if shown.cause == .nothingToShow || shown.cause == .noText {
        find(.payloadDropped, now, device, id, Self.dropped(shown.cause.sentence), shown.cause.evidence)
      }
      judge(shown.remarks.list, device, id, now)
    case .background(.discarded(let cause)) where cause == .notRequested || cause == .typeIsAlert:
      find(.payloadDropped, now, device, id, Self.dropped(cause.sentence), cause.evidence)
    case .service(let service) where service.isForBody:
      find(.payloadDropped, now, device, id, Self.dropped(service.sentence), service.evidence)
    case .dropped(let cause, let detail):
      guard let (kind, advice) = Self.mistake(cause) else { return }
      find(
        kind, now, device, id, cause.sentence + (detail.map { " (\($0.text))" } ?? "") + "; " + advice,
        kind == .payloadDropped ? cause.evidence : nil)
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      judge(remarks, device, id, now)
    default: return
    }
  }

  private static func dropped(_ sentence: String) -> String { "\(sentence); check the payload against Apple's keys" }

  private mutating func judge(
    _ remarks: [PayloadRemark], _ device: DeviceID?, _ id: NotificationID?, _ now: Instant
  ) {
    let ignored = remarks.filter(\.isAboutIgnored)
    guard let first = ignored.first else { return }
    find(.fieldsIgnored, now, device, id, ignored.map(\.sentence).joined(separator: "; ") + ".", first.evidence)
  }

  /// Checks the payloads whose reaction does not tell what was ignored: of a push for an app's background work and of a
  /// Live Activity.
  mutating func watchPayload(_ record: PushRecord) {
    guard record.answer.status == 200 else { return }
    switch record.firstFate.reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      guard remarks.contains(.hasPayloadRemarks) else { return }
    case .background: break
    default: guard record.push.type == .background else { return }
    }
    judge(record.payloadRemarks(), record.address?.device, record.answer.id, record.at.world)
  }

  /// Checks a push that had to wait, whose payload is not at hand any more.
  mutating func watchSettled(_ fate: Fate, _ device: DeviceID, _ now: Instant) {
    switch fate.reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      guard remarks.contains(.hasPayloadRemarks) else { return }
      find(
        .fieldsIgnored, now, device, nil,
        "Members of aps had a wrong type, another unit or no effect; the story of the push names them.")
    default: return
    }
  }

  /// Checks for pushes to a token that its phone has replaced although the backend knows the new one.
  mutating func watchReplaced(_ record: PushRecord) {
    guard record.firstFate == .discarded(.orphanToken), let address = record.address,
      let told = replaced.known(address), told.advanced(by: Self.patience) <= record.at.world
    else { return }
    find(
      .replacedToken, record.at.world, address.device, record.answer.id,
      "A push to a token that the app has replaced; it reported the new one to the backend"
        + " \(Self.ago(told, record.at.world)). Delete the old token when the new one arrives: APNs may answer 200 to"
        + " it for a long time.")
  }

  /// Checks for throttled background pushes.
  mutating func watchBackground(_ record: PushRecord) {
    guard record.push.type == .background, case .stored(.power(.throttled, _)) = record.firstFate else { return }
    find(
      .backgroundThrottled, record.at.world, record.address?.device, record.answer.id,
      "More background pushes than iOS lets wake the app; send two or three an hour, and do not rely on them.")
  }

  /// Checks for a spent update budget. It is reported once, and again only after another update was delivered.
  mutating func watchBudget(_ record: PushRecord, _ known: inout Known) {
    switch record.firstFate.reaction {
    case .held(.budget, _), .dropped(.updateBudget, _):
      guard !known.isOverBudget else { return }
      known.isOverBudget = true
      find(
        .updateBudgetSpent, record.at.world, record.address?.device, record.answer.id,
        "More updates of priority 10 than the phone's budget, so they are late or lost; send those that"
          + " are not urgent with priority 5, and let the app ask for frequent updates if it needs them.")
    case .updated where record.push.priority == .immediate: known.isOverBudget = false
    default: break
    }
  }

  /// Checks for updates that bring nothing new.
  mutating func watchContent(_ record: PushRecord, _ known: inout Known) {
    // An ordinary notification of priority 5 waits for the phone's power, too.
    guard record.firstFate.takesUpdate, record.address?.slot.isLiveActivity ?? false else { return }
    let hash = Self.contentHash(record)
    known.content = hash == known.content.hash ? (hash, known.content.count + 1) : (hash, 1)
    guard known.content.count >= Self.sameInARow else { return }
    find(
      .sameContent, record.at.world, record.address?.device, record.answer.id,
      "\(known.content.count) updates in a row with nothing new but the timestamp; each costs battery and budget, so"
        + " send what has changed.")
  }

  private mutating func judge(_ remarks: Remarks, _ device: DeviceID?, _ id: NotificationID?, _ now: Instant) {
    if remarks.contains(.millisecondTimestamp) {
      find(
        .millisecondTimestamp, now, device, id,
        "aps.timestamp looks like milliseconds; write seconds, or every later update in seconds is ignored.")
    }
    if remarks.contains(.dateSince1970) {
      find(
        .dateSince1970, now, device, id,
        "A date in the content looks like seconds since 1970; Swift's decoder counts from 2001, so subtract"
          + " 978,307,200, or the card shows a date decades ahead.")
    }
    if remarks.contains(.attributesIgnored) {
      find(
        .fieldsIgnored, now, device, id,
        "attributes belong in a start; in an update or end they have no effect. Leave them out.")
    }
    if remarks.contains(.alertIgnored) {
      find(
        .fieldsIgnored, now, device, id,
        "An alert counts only as a dictionary inside aps with text in its title or body; nobody was alerted.")
    }
  }

  /// The backend's mistake behind a drop; nil if the drop is not a mistake, or if another check finds it.
  private static func mistake(_ cause: DropCause) -> (AuditFinding.Kind, advice: String)? {
    switch cause {
    case .notJSON, .noAPS, .unknownEvent, .missingTimestamp, .contradictoryInput:
      (.payloadDropped, "check the payload against Apple's keys")
    case .unknownAttributesType:
      (.payloadDropped, "attributes-type must be the name of the Swift type, letter by letter")
    case .attributesDecode, .contentStateDecode:
      (
        .payloadDropped,
        "a plain JSONDecoder reads it: keys in camelCase as in Swift, dates as numbers, nothing missing; `pushpit lint`"
          + " checks a payload"
      )
    case .noAlertConfiguration, .alertNotDictionary: (.payloadDropped, "a start needs an alert with title and body")
    case .combinedSize: (.payloadDropped, "keep attributes and content state small")
    case .osTooOld: (.payloadDropped, "ask the app for its version of iOS")
    case .wrongTokenKind:
      (
        .wrongTokenKind,
        "a push-to-start token can only start an activity; update and end it with the token that pushTokenUpdates gave,"
          + " even if the start token is reported again"
      )
    case .startBudget:
      (.startsSpent, "start once for each person and event, and wait for the update token before you start again")
    case .targetLimit, .globalLimit:
      (.startsSpent, "an app can run only a few activities; end old ones, and do not start one that already runs")
    case .renderFailed, .staleTimestamp, .activityNotActive, .activitiesOff, .awaitingPermission, .forceQuit, .lowPower,
      .updateBudget, .coalesced, .startTooOld, .appAbsent, .tooManyHeld, .expired, .notStored:
      nil
    }
  }
}

extension Fate {
  /// True for an update of a Live Activity that was applied, or that is kept to be applied later.
  var takesUpdate: Bool {
    switch self {
    case .delivered(.updated), .delivered(.held(.budget, _)), .stored(.power(.lowPriority, _)): true
    default: false
    }
  }
}

import APNs
import Devices
import Timeline
import WireFormats

/// Mistakes in pushes that APNs answered 200, found by what phones did with the pushes.
extension Auditor {
  /// Checks what a phone dropped silently, deferred or ignored.
  mutating func judge(_ fate: Fate, on device: DeviceID?, push id: NotificationID?, at now: Instant) {
    guard let reaction = fate.reaction else { return }
    switch reaction {
    case .notified(let shown):
      if shown.cause == .nothingToShow {
        find(
          .payloadDropped, at: now, on: device, push: id,
          mistake: .init(shown.cause.sentence, evidence: shown.cause.evidence))
      }
      judge(shown.remarks.list, on: device, push: id, at: now)
    case .background(.discarded(let cause)) where cause == .notRequested || cause == .typeIsAlert:
      find(.payloadDropped, at: now, on: device, push: id, mistake: .init(cause.sentence, evidence: cause.evidence))
    case .service(let service) where service.isForBody:
      find(.payloadDropped, at: now, on: device, push: id, mistake: .init(service.sentence, evidence: service.evidence))
    case .dropped(let cause, let detail):
      guard let (kind, instead) = Self.mistake(cause) else { return }
      find(
        kind, at: now, on: device, push: id,
        mistake: .init(
          cause.sentence + (detail.map { " (\($0.text))" } ?? ""), instead: instead,
          evidence: kind == .payloadDropped ? cause.evidence : nil))
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      judge(remarks, on: device, push: id, at: now)
    default: return
    }
  }

  private mutating func judge(
    _ remarks: [PayloadRemark], on device: DeviceID?, push id: NotificationID?, at now: Instant
  ) {
    let ignored = remarks.filter(\.isAboutIgnored)
    guard let first = ignored.first else { return }
    find(
      .fieldsIgnored, at: now, on: device, push: id,
      mistake: .init(ignored.map(\.sentence).joined(separator: "; "), evidence: first.evidence))
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
    judge(record.payloadRemarks(), on: record.address?.device, push: record.answer.id, at: record.at.world)
  }

  /// Checks a push that had to wait, whose payload is not at hand any more.
  mutating func watchSettled(_ fate: Fate, on device: DeviceID, at now: Instant) {
    switch fate.reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      guard remarks.contains(.hasPayloadRemarks) else { return }
      find(
        .fieldsIgnored, at: now, on: device, push: nil,
        mistake: .init("Members of aps, named in the story of the push, had a wrong type, another unit or no effect"))
    default: return
    }
  }

  /// Checks for pushes to a token that its phone has replaced although the backend knows the new one.
  mutating func watchReplaced(_ record: PushRecord) {
    guard record.firstFate == .discarded(.orphanToken), let address = record.address,
      let told = replaced.known(address), told.advanced(by: Self.patience) <= record.at.world
    else { return }
    find(
      .replacedToken, at: record.at.world, on: address.device, push: record.answer.id,
      mistake: .init(
        "A push to a token that the app has replaced; it reported the new one to the backend"
          + " \(Self.ago(told, record.at.world))"))
  }

  /// Checks for throttled background pushes.
  mutating func watchBackground(_ record: PushRecord) {
    guard record.push.type == .background, case .stored(.power(.throttled, _)) = record.firstFate else { return }
    find(
      .backgroundThrottled, at: record.at.world, on: record.address?.device, push: record.answer.id,
      mistake: .init("More background pushes than iOS lets wake the app"))
  }

  /// Checks for a spent update budget. It is reported once, and again only after another update was delivered.
  mutating func watchBudget(_ record: PushRecord, _ known: inout AuditedToken) {
    switch record.firstFate.reaction {
    case .held(.budget, _), .dropped(.updateBudget, _):
      guard !known.isOverBudget else { return }
      known.isOverBudget = true
      find(
        .updateBudgetSpent, at: record.at.world, on: record.address?.device, push: record.answer.id,
        mistake: .init("More updates of priority 10 than the phone's budget, so they are late or lost"))
    case .updated where record.push.priority == .immediate: known.isOverBudget = false
    default: break
    }
  }

  /// Checks for updates that bring nothing new.
  mutating func watchContent(_ record: PushRecord, _ known: inout AuditedToken) {
    // An ordinary notification of priority 5 waits for the phone's power, too.
    guard record.firstFate.takesUpdate, record.address?.slot.isLiveActivity ?? false else { return }
    let hash = Self.contentHash(record)
    known.content = hash == known.content.hash ? (hash, known.content.count + 1) : (hash, 1)
    guard known.content.count >= Self.sameInARow else { return }
    find(
      .sameContent, at: record.at.world, on: record.address?.device, push: record.answer.id,
      mistake: .init(
        "\(known.content.count) updates in a row, each of which costs battery and budget, with nothing new but the"
          + " timestamp"))
  }

  private mutating func judge(_ remarks: Remarks, on device: DeviceID?, push id: NotificationID?, at now: Instant) {
    if remarks.contains(.millisecondTimestamp) {
      find(
        .millisecondTimestamp, at: now, on: device, push: id, mistake: .init("aps.timestamp looks like milliseconds"))
    }
    if remarks.contains(.dateSince1970) {
      find(
        .dateSince1970, at: now, on: device, push: id,
        mistake: .init("A date in the content looks like seconds since 1970, and Swift's decoder counts from 2001"))
    }
    if remarks.contains(.attributesIgnored) {
      find(
        .fieldsIgnored, at: now, on: device, push: id,
        mistake: .init(
          "attributes belong in a start; in an update or end they have no effect",
          instead: "leave them out, and send what changes in content-state"))
    }
    if remarks.contains(.alertIgnored) {
      find(
        .fieldsIgnored, at: now, on: device, push: id,
        mistake: .init(
          "The alert was ignored, so nobody was alerted",
          instead: "write it inside aps, as a dictionary with text in its title or body"))
    }
  }

  /// The backend's mistake behind a drop; nil if the drop is not a mistake, or if another check finds it.
  ///
  /// - Returns: the kind of the mistake, and what to do instead; nil for the kind's own advice.
  private static func mistake(_ cause: DropCause) -> (AuditFinding.Kind, instead: String?)? {
    switch cause {
    case .notJSON, .noAPS, .unknownEvent, .missingTimestamp, .contradictoryInput: (.payloadDropped, nil)
    case .unknownAttributesType:
      (.payloadDropped, "send the name of the Swift type, letter by letter")
    case .attributesDecode, .contentStateDecode:
      (
        .payloadDropped,
        "write what a plain JSONDecoder reads: keys in camelCase as in Swift, dates as numbers, nothing missing;"
          + " `pushpit lint` checks a payload"
      )
    case .noAlertConfiguration, .alertNotDictionary:
      (.payloadDropped, "send an alert with title and body in each start")
    case .combinedSize: (.payloadDropped, "keep attributes and content state small")
    case .osTooOld: (.payloadDropped, "let the app report its version of iOS, and name a channel only from iOS 18 on")
    case .wrongTokenKind: (.wrongTokenKind, nil)
    case .startBudget: (.startsSpent, nil)
    case .targetLimit, .globalLimit:
      (.startsSpent, "end old activities, of which an app can run only a few, and do not start one that already runs")
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

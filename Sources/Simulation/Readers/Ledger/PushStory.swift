import APNs
import Devices
import Timeline
import WireFormats

/// The story of a push, step by step.
package struct PushStory: Sendable {
  package private(set) var lines: [LogLine] = []
  private let record: PushRecord
  private let policy: DevicePolicy
  /// The time of the step that is described.
  private var now: Instant
  private static let metrics = Evidence.documented(
    "Apple, Viewing the status of push notifications using metrics and APNs"
  ).told(in: "delivery.md#accepted")

  /// The whole story.
  ///
  /// - Parameter policy: the phones' own.
  package init(_ record: PushRecord, _ policy: DevicePolicy = DevicePolicy()) {
    self.record = record
    self.policy = policy
    now = record.at.world
    if record.answer.rejection == nil { describe(record.firstFate, at: record.at.world, isFirst: true) }
    describeSent()
    guard record.answer.rejection == nil else { return }
    for step in record.later { describe(step.fate, at: step.at, isFirst: false) }
    // The answer may have been sent between two of them.
    lines = lines.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  /// Adds what was sent, if it differs from what was decided.
  private mutating func describeSent() {
    let (first, last) = (record.firstSent, record.sent)
    if record.isAnsweredApart { say(first, at: record.at.world) }
    if last != first || record.sentAt != record.at.world { say(last, at: record.sentAt) }
  }

  private mutating func say(_ sent: SentAnswer, at now: Instant) {
    self.now = now
    say(nil, Self.answerEvent, record.sentence(of: sent, at: now), nil, cause: sent.name)
  }

  /// Adds one step.
  package init(_ record: PushRecord, _ fate: Fate, at: Instant, isFirst: Bool, _ policy: DevicePolicy) {
    self.record = record
    self.policy = policy
    now = at
    guard record.answer.rejection == nil else { return }
    describe(fate, at: at, isFirst: isFirst)
  }

  private mutating func describe(_ fate: Fate, at now: Instant, isFirst: Bool) {
    self.now = now
    if isFirst, record.isProcessed {
      let told = record.isAnsweredApart ? "" : ": 200"
      say(nil, "accepted", "APNs accepted the push\(told)", Self.metrics)
    }
    switch fate {
    case .refused: break
    case .stored(.offline):
      say(nil, "stored", "the device is offline, so APNs stores the push", Self.metrics)
    case .stored(.power(let why, let until)):
      let when = until == .distantFuture ? "until that changes" : "for at most \(until.clock(since: now))"
      say(
        nil, "stored", "\(reason(why)), so it is stored to save the phone's power, \(when)", why.evidence,
        cause: why.rawValue)
    case .discarded(.notStored) where record.push.expirationRange == nil:
      say(
        nil, "discarded",
        "the device is offline, and store.withoutExpiration=once stores no push without apns-expiration",
        Fate.Discard.untimed, cause: Fate.Discard.notStored.rawValue)
    case .discarded(let cause):
      say(nil, "discarded", cause.sentence, cause.evidence, cause: cause.rawValue)
    case .discardedFromStorage(let cause):
      say(nil, "discarded", cause.sentenceFromStorage, cause.evidenceFromStorage, cause: cause.rawValue)
    case .delivered(let reaction), .deliveredFromStorage(let reaction):
      let isStored = if case .deliveredFromStorage = fate { true } else { false }
      // A push deferred by the phone itself is on the phone already.
      guard isFirst || isStored else { return describe(reaction) }
      let isDisabled = fate.isDisabled
      say(
        .apsd, isDisabled ? "discarded" : isStored ? "deliveredFromStorage" : "delivered",
        "the phone received the push\(isStored ? ", from storage" : "") (priority \(priority))"
          + (isDisabled ? " and discarded it: notifications of the app are off" : ""), Self.metrics)
      describeFlags()
      describe(reaction)
    }
  }

  /// The line in which SpringBoard logs what it has read in a notification.
  private mutating func describeFlags() {
    guard let payload = record.notification(readingBooleans: policy.booleanFlags) else { return }
    let flags = [
      ("hasAlertContent", payload.alert != nil), ("hasSound", payload.sound != nil), ("hasBadge", payload.badge != nil),
      ("hasContentAvailable", payload.isContentAvailable), ("hasMutableContent", payload.isMutable),
    ]
    say(
      .springboard, "received",
      "received a notification [" + flags.map { "\($0): \($1 ? 1 : 0)" }.joined(separator: ", ") + "]",
      .observed("a device log in openradar-mirror issue 18284").told(in: "notifications.md#flags-in-the-log"))
  }

  private mutating func describe(_ reaction: Reaction) {
    let evidence = record.evidence(reaction)
    switch reaction {
    case .started(let number, let remarks):
      say(.liveactivitiesd, "started", "the activity begins", evidence, activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .updated(let number, let remarks, _):
      say(.liveactivitiesd, "updated", "the content state is applied", evidence, activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .ended(let number, let dismissal, let remarks, _):
      let when = dismissal <= now ? "is removed at once" : "stays for \(dismissal.clock(since: now))"
      say(
        .liveactivitiesd, "ended", "the activity ends; its card \(when)", evidence, activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .held(let why, let until):
      let when = until == .distantFuture ? "" : " for at most \(until.clock(since: now))"
      say(
        .liveactivitiesd, "held", "\(reason(why)), so it is deferred\(when)", evidence,
        cause: why.rawValue)
    case .dropped(let cause, let detail):
      let process: LogProcess = record.address?.slot.isLiveActivity ?? false ? .liveactivitiesd : .springboard
      say(
        process, "dropped", cause.sentence + (detail.map { " (\($0.text))" } ?? ""), evidence,
        cause: cause.rawValue, activity: activity)
    case .notified(let shown):
      if let passage = shown.passage {
        say(.springboard, "extension", passage.sentence, passage.evidence, cause: passage.rawValue)
      }
      say(
        .springboard, shown.shape.rawValue, shown.cause.sentence, evidence,
        cause: shown.cause.rawValue)
      if shown.cleared > 0 {
        say(
          .springboard, "cleared",
          "badge 0 removed \(shown.cleared) older \(shown.cleared == 1 ? "notification" : "notifications") of the app"
            + " from the list",
          Self.badge)
      }
      remarkOnPayload()
    case .background(let outcome):
      describe(outcome, evidence)
      remarkOnPayload()
    case .call(let outcome): say(.springboard, outcome.name, outcome.sentence, evidence)
    case .service(let reaction):
      say(
        .apsd, reaction.rawValue, reaction.sentence, evidence,
        cause: reaction.isForBody ? reaction.rawValue : nil)
    }
  }

  private mutating func describe(_ outcome: BackgroundWakes.Outcome, _ evidence: Evidence?) {
    switch outcome {
    case .woken: say(.app, "woken", "the app was woken and has some seconds of runtime", evidence)
    case .deliveredToRunning: say(.app, "handled", "the app was running and received it at once", evidence)
    case .held(let cause, _):
      say(.springboard, "held", cause.sentence, evidence, cause: cause.rawValue)
    case .discarded(let cause):
      say(.springboard, "dropped", cause.sentence, evidence, cause: cause.rawValue)
    case .notWoken:
      let cause = WakeCause.notWoken
      say(.springboard, "dropped", cause.sentence, evidence, cause: cause.rawValue)
    }
  }

  private mutating func remark(_ remarks: Remarks, _ number: UInt32) {
    guard !remarks.isEmpty else { return }
    for known in Remarks.all where remarks.contains(known.remark) {
      guard !Self.drawn.contains(known.remark) else { continue }
      say(.liveactivitiesd, Self.remarkEvent, known.sentence, known.evidence, cause: known.name, activity: number)
    }
  }

  private mutating func remarkOnPayload(_ activity: UInt32? = nil) {
    for remark in record.payloadRemarks(readingBooleans: policy.booleanFlags) {
      say(
        activity == nil ? .springboard : .liveactivitiesd, Self.remarkEvent, remark.sentence, remark.evidence,
        cause: remark.rawValue, activity: activity)
    }
  }

  private static let remarkEvent = "remark"
  /// The event of the line about an answer that a fault changed.
  private static let answerEvent = "answer"
  private static let badge = Evidence.observed(
    "openradar-mirror issues 18912 and 17743; PushSharp issue 324"
  ).told(in: "notifications.md#badge-0")

  /// The line about the current fate, and the sentences about what was ignored.
  package var outcome: (line: LogLine?, remarks: [String]) {
    let told = lines.filter { $0.event != Self.answerEvent }
    let last = told.lastIndex { $0.event != Self.remarkEvent && $0.event != "cleared" }
    let rest = last.map { told[($0 + 1)...] } ?? []
    return (last.map { told[$0] }, rest.map(\.sentence))
  }

  private static let drawn: Remarks = [.renderDelayed, .renderStuck]

  private mutating func draw(_ remarks: Remarks, _ number: UInt32) {
    for known in Remarks.all where remarks.intersection(Self.drawn).contains(known.remark) {
      say(.chronod, "notRendered", known.sentence, known.evidence, cause: known.name, activity: number)
      return
    }
    say(
      .chronod, "rendered", "the widget extension draws the new content",
      .documented("Apple, Displaying live data with Live Activities"), activity: number)
  }

  /// `apns-priority` as it was sent.
  private var priority: String { record.push.priorityRange.map(record.push.text) ?? "10" }
  private var activity: UInt32? { if case .update(let number)? = record.address?.slot { number } else { nil } }

  private mutating func say(
    _ process: LogProcess?, _ event: String, _ sentence: String, _ evidence: Evidence?,
    cause: String? = nil, activity: UInt32? = nil
  ) {
    var line = LogLine(now, process, event, sentence)
    line.cause = cause
    line.evidence = evidence
    line.app = record.address?.app
    line.activity = activity
    line.push = record.answer.id
    lines.append(line)
  }

  private func reason(_ why: Reaction.Hold) -> String {
    switch why {
    case .budget: "the budget for updates was spent"
    case .lowPriority:
      priority == "1" ? "priority 1 does not wake the phone" : "priority 5 is delivered when it suits the phone"
    case .throttled: "the app was woken as often as iOS allows in an hour"
    case .lowPower: "Low Power Mode turns Background App Refresh off"
    case .refreshOff: "the person has turned Background App Refresh off for this app"
    case .serviceExtension: "the app's service extension is working on it"
    }
  }
}

extension Instant {
  /// The time since another instant, as text.
  func clock(since other: Instant) -> String { DurationText.write(other.duration(to: self)) }
}

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
    say(nil, event: Self.answerEvent, sentence: record.sentence(of: sent, at: now), evidence: nil, cause: sent.name)
  }

  /// Adds one step.
  package init(_ record: PushRecord, fate: Fate, at: Instant, isFirst: Bool, policy: DevicePolicy) {
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
      say(nil, event: "accepted", sentence: "APNs accepted the push\(told)", evidence: Self.metrics)
    }
    switch fate {
    case .refused: break
    case .stored(.offline):
      say(nil, event: "stored", sentence: "the device is offline, so APNs stores the push", evidence: Self.metrics)
    case .stored(.power(let why, let until)):
      let when = until == .distantFuture ? "until that changes" : "for at most \(until.clock(since: now))"
      say(
        nil, event: "stored", sentence: "\(reason(why)), so it is stored to save the phone's power, \(when)",
        evidence: why.evidence,
        cause: why.rawValue)
    case .onTheWay(let why, let until):
      say(
        nil, event: "sent", sentence: "\(why.sentence), at most \(until.clock(since: now))\(byFault)",
        evidence: why.evidence, cause: why.rawValue)
    case .discarded(.lost):
      say(
        nil, event: "lost", sentence: "it was lost on the way from APNs to the phone\(byFault)",
        evidence: Fate.Discard.lost.evidence, cause: Fate.Discard.lost.rawValue)
    case .discarded(.notStored) where record.push.expirationRange == nil:
      say(
        nil, event: "discarded",
        sentence: "the device is offline, and store.withoutExpiration=once stores no push without apns-expiration",
        evidence: Fate.Discard.untimed, cause: Fate.Discard.notStored.rawValue)
    case .discarded(let cause):
      say(nil, event: "discarded", sentence: cause.sentence, evidence: cause.evidence, cause: cause.rawValue)
    case .discardedFromStorage(let cause):
      say(
        nil, event: "discarded", sentence: cause.sentenceFromStorage, evidence: cause.evidenceFromStorage,
        cause: cause.rawValue)
    case .delivered(let reaction), .deliveredFromStorage(let reaction):
      let isStored = if case .deliveredFromStorage = fate { true } else { false }
      // A push deferred by the phone itself is on the phone already.
      guard isFirst || isStored || record.arrivedLate(at: now) else { return describe(reaction) }
      let isDisabled = fate.isDisabled
      say(
        .apsd, event: isDisabled ? "discarded" : isStored ? "deliveredFromStorage" : "delivered",
        sentence: "the phone received the push\(isStored ? ", from storage" : "") (priority \(priority))"
          + (isDisabled ? " and discarded it: notifications of the app are off" : ""), evidence: Self.metrics)
      describeFlags()
      describe(reaction)
    }
  }

  private var byFault: String { record.fault.map { ", by the fault \($0)" } ?? "" }

  /// The line in which SpringBoard logs what it has read in a notification.
  private mutating func describeFlags() {
    guard let payload = record.notification(readingBooleans: policy.booleanFlags) else { return }
    let flags = [
      ("hasAlertContent", payload.alert != nil), ("hasSound", payload.sound != nil), ("hasBadge", payload.badge != nil),
      ("hasContentAvailable", payload.isContentAvailable), ("hasMutableContent", payload.isMutable),
    ]
    say(
      .springboard, event: "received",
      sentence: "received a notification [" + flags.map { "\($0): \($1 ? 1 : 0)" }.joined(separator: ", ") + "]",
      evidence: .observed("a device log in openradar-mirror issue 18284").told(in: "notifications.md#flags-in-the-log"))
  }

  private mutating func describe(_ reaction: Reaction) {
    let evidence = record.evidence(reaction)
    switch reaction {
    case .started(let number, let remarks):
      say(.liveactivitiesd, event: "started", sentence: "the activity begins", evidence: evidence, activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .updated(let number, let remarks, _):
      say(
        .liveactivitiesd, event: "updated", sentence: "the content state is applied", evidence: evidence,
        activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .ended(let number, let dismissal, let remarks, _):
      let when = dismissal <= now ? "is removed at once" : "stays for \(dismissal.clock(since: now))"
      say(
        .liveactivitiesd, event: "ended", sentence: "the activity ends; its card \(when)", evidence: evidence,
        activity: number)
      remark(remarks, number)
      remarkOnPayload(number)
      draw(remarks, number)
    case .held(let why, let until):
      let when = until == .distantFuture ? "" : " for at most \(until.clock(since: now))"
      say(
        .liveactivitiesd, event: "held", sentence: "\(reason(why)), so it is deferred\(when)", evidence: evidence,
        cause: why.rawValue)
    case .dropped(let cause, let detail):
      let process: LogProcess = record.address?.slot.isLiveActivity ?? false ? .liveactivitiesd : .springboard
      say(
        process, event: "dropped", sentence: cause.sentence + (detail.map { " (\($0.text))" } ?? ""),
        evidence: evidence, cause: cause.rawValue, activity: activity)
    case .notified(let shown):
      describe(shown, evidence)
      remarkOnPayload()
    case .background(let outcome):
      describe(outcome, evidence)
      remarkOnPayload()
    case .call(let outcome): say(.springboard, event: outcome.name, sentence: outcome.sentence, evidence: evidence)
    case .service(let reaction):
      say(
        .apsd, event: reaction.rawValue, sentence: reaction.sentence, evidence: evidence,
        cause: reaction.isForBody ? reaction.rawValue : nil)
    }
  }

  private mutating func describe(_ shown: Presentation, _ evidence: Evidence?) {
    if let passage = shown.passage {
      say(
        .springboard, event: "extension", sentence: passage.sentence, evidence: passage.evidence,
        cause: passage.rawValue)
    }
    say(
      .springboard, event: shown.shape.rawValue, sentence: shown.cause.sentence, evidence: evidence,
      cause: shown.cause.rawValue)
    if shown.cleared > 0 {
      say(
        .springboard, event: "cleared",
        sentence:
          "badge 0 removed \(shown.cleared) older \(shown.cleared == 1 ? "notification" : "notifications") of the app"
          + " from the list",
        evidence: Self.badge)
    }
  }

  private mutating func describe(_ outcome: BackgroundWakes.Outcome, _ evidence: Evidence?) {
    switch outcome {
    case .woken:
      say(.app, event: "woken", sentence: "the app was woken and has some seconds of runtime", evidence: evidence)
    case .deliveredToRunning:
      say(.app, event: "handled", sentence: "the app was running and received it at once", evidence: evidence)
    case .held(let cause, _):
      say(.springboard, event: "held", sentence: cause.sentence, evidence: evidence, cause: cause.rawValue)
    case .discarded(let cause):
      say(.springboard, event: "dropped", sentence: cause.sentence, evidence: evidence, cause: cause.rawValue)
    case .notWoken:
      let cause = WakeCause.notWoken
      say(.springboard, event: "dropped", sentence: cause.sentence, evidence: evidence, cause: cause.rawValue)
    }
  }

  private mutating func remark(_ remarks: Remarks, _ number: UInt32) {
    guard !remarks.isEmpty else { return }
    for known in Remarks.all where remarks.contains(known.remark) {
      guard !Self.drawn.contains(known.remark) else { continue }
      say(
        .liveactivitiesd, event: Self.remarkEvent, sentence: known.sentence, evidence: known.evidence,
        cause: known.name, activity: number)
    }
  }

  private mutating func remarkOnPayload(_ activity: UInt32? = nil) {
    for remark in record.payloadRemarks(readingBooleans: policy.booleanFlags) {
      say(
        activity == nil ? .springboard : .liveactivitiesd, event: Self.remarkEvent, sentence: remark.sentence,
        evidence: remark.evidence,
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
      say(
        .chronod, event: "notRendered", sentence: known.sentence, evidence: known.evidence, cause: known.name,
        activity: number)
      return
    }
    say(
      .chronod, event: "rendered", sentence: "the widget extension draws the new content",
      evidence: .documented("Apple, Displaying live data with Live Activities"), activity: number)
  }

  /// `apns-priority` as it was sent.
  private var priority: String { record.push.priorityRange.map(record.push.text) ?? "10" }
  private var activity: UInt32? { if case .update(let number)? = record.address?.slot { number } else { nil } }

  private mutating func say(
    _ process: LogProcess?, event: String, sentence: String, evidence: Evidence?,
    cause: String? = nil, activity: UInt32? = nil
  ) {
    var line = LogLine(at: now, process: process, event: event, sentence: sentence)
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

import APNs
import Devices
import Timeline

/// Measures the delays of one expectation: a reader of events.
///
/// Every event that matches `from` on a device waits for the next event that matches `to`.
struct DelayTally: Sendable {
  struct Pair: Sendable {
    let device: DeviceID
    let from: Instant
    let to: Instant
    var delay: Duration { from.duration(to: to) }
  }

  /// Maximum number of waiting beginnings per device; beyond it, only the oldest and the newest count.
  private static let mostWaiting = 256

  let question: DelayQuestion
  private(set) var pairs = 0
  private(set) var met = 0
  private(set) var slowest: Pair?
  private(set) var fastest: Pair?
  private var waiting: [DeviceID: [Instant]] = [:]

  private let from: Matcher
  private let to: Matcher

  /// - Parameters:
  ///   - apps: bundle ids of the fleet.
  ///   - steps: names of the steps.
  init(_ question: DelayQuestion, apps: [String], steps: [String?]) {
    self.question = question
    from = Matcher(question.from.filter, apps: apps, steps: steps)
    to = Matcher(question.to.filter, apps: apps, steps: steps)
  }

  /// The beginning that has waited longest.
  var oldest: (device: DeviceID, at: Instant)? {
    waiting.compactMap { device, list in list.first.map { (device, $0) } }
      .min { ($0.1, $0.0.number) < ($1.1, $1.0.number) }
  }

  /// - Parameter change: of the push that the event is about; nil if the push was answered before the first one read.
  mutating func read(_ event: WorldEvent, change: PushChange?, of step: Int?) {
    switch event {
    case .push(let record):
      guard let device = record.address?.device else { return }
      var push = ObservedPush(record.facts, fate: nil, answer: record.sent, step: step)
      mark(device, record.at.world, isEnd: isEnd(&push), isBeginning: isBeginning(&push))
    case .pushSettled(_, let device, let fate, let at):
      guard looksAtFate, let change, !change.before.fate.isFinal, change.record.address != nil else { return }
      // Only the first answer counts here.
      let record = change.record
      var push = ObservedPush(
        record.facts, fate: change.before.fate, answer: record.sent, step: change.before.notes.step)
      // Its earlier state was counted already.
      let before = (isBeginning(&push), isEnd(&push))
      push.current = fate
      let now = (isBeginning(&push), isEnd(&push))
      mark(device, at, isEnd: now.1 && !before.1, isBeginning: now.0 && !before.0)
    case .callEnded(let end):
      var report = CallSubject(end)
      mark(end.device, end.at, isEnd: isEnd(&report), isBeginning: isBeginning(&report))
    case .phone(let device, let app, let deviceEvent, let at):
      var event = DeviceEventSubject(deviceEvent.name, on: device, app: app)
      mark(device, at, isEnd: isEnd(&event), isBeginning: isBeginning(&event))
    default: break
    }
  }

  /// True if the later fate of a push decides whether the push matches.
  var looksAtFate: Bool { from.looksAtFate || to.looksAtFate }

  private func isBeginning(_ subject: inout some DescribedSubject) -> Bool {
    question.from.kind == subject.kind && from.matches(&subject)
  }

  private func isEnd(_ subject: inout some DescribedSubject) -> Bool {
    question.to.kind == subject.kind && to.matches(&subject)
  }

  /// An event that matches `from` and `to` gives a delay of 0; for a gap it ends one and begins the next.
  private mutating func mark(_ device: DeviceID, _ at: Instant, isEnd: Bool, isBeginning: Bool) {
    if isEnd, question.isGap { end(device, at) }
    if isBeginning {
      var list = waiting.removeValue(forKey: device) ?? []
      if list.count >= Self.mostWaiting { list.remove(at: 1) }
      list.append(at)
      waiting[device] = list
    }
    if isEnd, !question.isGap { end(device, at) }
  }

  private mutating func end(_ device: DeviceID, _ at: Instant) {
    for from in waiting.removeValue(forKey: device) ?? [] { add(Pair(device: device, from: from, to: at)) }
  }

  private mutating func add(_ pair: Pair) {
    pairs += 1
    if question.range.contains(pair.delay) { met += 1 }
    if slowest.map({ pair.delay > $0.delay }) ?? true { slowest = pair }
    if fastest.map({ pair.delay < $0.delay }) ?? true { fastest = pair }
  }
}

/// The time from one event to the next other one on the same device.
package struct DelayQuestion: Sendable {
  /// The event that begins or ends a delay.
  package enum Mark: Hashable, Sendable {
    case pushes(Filter)
    case reports(Filter)
    case events(Filter)

    package var filter: Filter {
      switch self {
      case .pushes(let filter), .reports(let filter), .events(let filter): filter
      }
    }

    var kind: Filter.Kind {
      switch self {
      case .pushes: .push
      case .reports: .report
      case .events: .event
      }
    }
  }

  package let from: Mark
  package let to: Mark
  package let range: ClosedRange<Duration>
  /// True if one delay in the range is enough.
  package let isSometimes: Bool
  /// The number of delays that must be in the range; nil if the claim alone decides.
  package let count: ClosedRange<Int>?

  /// True if the question measures the gaps between events of one kind.
  var isGap: Bool { from == to }

  package init(from: Mark, to: Mark, range: ClosedRange<Duration>, isSometimes: Bool, count: ClosedRange<Int>? = nil) {
    self.from = from
    self.to = to
    self.range = range
    self.isSometimes = isSometimes
    self.count = count
  }
}

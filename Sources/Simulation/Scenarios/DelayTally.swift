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
  /// Pushes whose fate decides whether they match.
  private var settling: [UInt64: ObservedPush] = [:]

  init(_ question: DelayQuestion) { self.question = question }

  /// The beginning that has waited longest.
  var oldest: (device: DeviceID, at: Instant)? {
    waiting.compactMap { device, list in list.first.map { (device, $0) } }
      .min { ($0.1, $0.0.number) < ($1.1, $1.0.number) }
  }

  mutating func read(_ event: WorldEvent, step: String?) {
    switch event {
    case .push(let record):
      guard let device = record.address?.device else { return }
      var push = ObservedPush(record, record.firstFate, step: step)
      look(&push, device, record.at.world)
      if looksAtFate, !push.fate.isFinal { settling[record.sequence] = push }
    case .pushSettled(let number, let device, let fate, let at):
      guard var push = settling.removeValue(forKey: number) else { return }
      // Its earlier state was counted already.
      let before = (Self.matches(question.from, &push), Self.matches(question.to, &push))
      push.fate = fate
      let now = (Self.matches(question.from, &push), Self.matches(question.to, &push))
      mark(device, at, isEnd: now.1 && !before.1, isBeginning: now.0 && !before.0)
      if !fate.isFinal { settling[number] = push }
    case .callEnded(let end):
      var report = ObservedReport(end)
      mark(
        end.device, end.at, isEnd: Self.matches(question.to, &report), isBeginning: Self.matches(question.from, &report)
      )
    case .phone(let device, let app, let deviceEvent, let at):
      func matches(_ mark: DelayQuestion.Mark) -> Bool {
        if case .events(let filter) = mark { filter.matches(deviceEvent, device, app) } else { false }
      }
      mark(device, at, isEnd: matches(question.to), isBeginning: matches(question.from))
    default: break
    }
  }

  private var looksAtFate: Bool {
    [question.from, question.to].contains { mark in
      if case .pushes(let filter) = mark { filter.looksAtFate } else { false }
    }
  }

  private mutating func look(_ push: inout ObservedPush, _ device: DeviceID, _ at: Instant) {
    mark(
      device, at, isEnd: Self.matches(question.to, &push), isBeginning: Self.matches(question.from, &push))
  }

  private static func matches(_ mark: DelayQuestion.Mark, _ push: inout ObservedPush) -> Bool {
    if case .pushes(let filter) = mark { filter.matches(&push) } else { false }
  }

  private static func matches(_ mark: DelayQuestion.Mark, _ report: inout ObservedReport) -> Bool {
    if case .reports(let filter) = mark { filter.matches(&report) } else { false }
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
  /// What a delay begins or ends with.
  package enum Mark: Hashable, Sendable {
    case pushes(PushFilter)
    case reports(ReportFilter)
    case events(Scenario.EventFilter)
  }

  package let from: Mark
  package let to: Mark
  package let range: ClosedRange<Duration>
  /// Whether one delay in the range is enough.
  package let isSometimes: Bool
  /// How many in the range are wanted; nil where the claim alone decides.
  package let count: ClosedRange<Int>?

  /// Whether it measures the gaps between events of one kind.
  var isGap: Bool { from == to }

  package init(from: Mark, to: Mark, range: ClosedRange<Duration>, isSometimes: Bool, count: ClosedRange<Int>? = nil) {
    self.from = from
    self.to = to
    self.range = range
    self.isSometimes = isSometimes
    self.count = count
  }
}

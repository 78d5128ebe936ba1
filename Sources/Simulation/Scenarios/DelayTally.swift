import APNs
import Devices
import Timeline

/// Measures the delays of one expectation: a reader of events.
///
/// Everything on a device that a delay begins with waits for the next thing that it may end with.
struct DelayTally: Sendable {
  struct Pair: Sendable {
    let device: DeviceID
    let from: Instant
    let to: Instant
    var delay: Duration { from.duration(to: to) }
  }

  /// Beginnings that wait on one device; beyond them the oldest and the newest count.
  private static let mostWaiting = 256

  let question: DelayQuestion
  private(set) var pairs = 0
  private(set) var met = 0
  private(set) var slowest: Pair?
  private(set) var fastest: Pair?
  private var waiting: [DeviceID: [Instant]] = [:]
  /// Pushes whose fate decides whether they are meant.
  private var settling: [UInt64: SeenPush] = [:]

  init(_ question: DelayQuestion) { self.question = question }

  /// The beginning that has waited longest.
  var oldest: (device: DeviceID, at: Instant)? {
    waiting.compactMap { device, list in list.first.map { (device, $0) } }
      .min { ($0.1, $0.0.number) < ($1.1, $1.0.number) }
  }

  mutating func read(_ event: Event, step: String?) {
    switch event {
    case .push(let record):
      guard let device = record.address?.device else { return }
      var push = SeenPush(record, record.firstFate, step: step)
      look(&push, device, record.at.world)
      if looksAtFate, !push.fate.isFinal { settling[record.sequence] = push }
    case .pushSettled(let number, let device, let fate, let at):
      guard var push = settling.removeValue(forKey: number) else { return }
      // What it was before has been counted already.
      let before = (Self.covers(question.from, &push), Self.covers(question.to, &push))
      push.fate = fate
      let now = (Self.covers(question.from, &push), Self.covers(question.to, &push))
      note(device, at, isEnd: now.1 && !before.1, isBeginning: now.0 && !before.0)
      if !fate.isFinal { settling[number] = push }
    case .callEnded(let end):
      var report = SeenReport(end)
      note(
        end.device, end.at, isEnd: Self.covers(question.to, &report), isBeginning: Self.covers(question.from, &report))
    case .phone(let device, let app, let happening, let at):
      func covers(_ mark: DelayQuestion.Mark) -> Bool {
        if case .events(let filter) = mark { filter.covers(happening, device, app) } else { false }
      }
      note(device, at, isEnd: covers(question.to), isBeginning: covers(question.from))
    default: break
    }
  }

  private var looksAtFate: Bool {
    [question.from, question.to].contains { mark in
      if case .pushes(let filter) = mark { filter.looksAtFate } else { false }
    }
  }

  private mutating func look(_ push: inout SeenPush, _ device: DeviceID, _ at: Instant) {
    note(
      device, at, isEnd: Self.covers(question.to, &push), isBeginning: Self.covers(question.from, &push))
  }

  private static func covers(_ mark: DelayQuestion.Mark, _ push: inout SeenPush) -> Bool {
    if case .pushes(let filter) = mark { filter.covers(&push) } else { false }
  }

  private static func covers(_ mark: DelayQuestion.Mark, _ report: inout SeenReport) -> Bool {
    if case .reports(let filter) = mark { filter.covers(&report) } else { false }
  }

  /// What is both takes no time; in a gap it ends one and begins the next.
  private mutating func note(_ device: DeviceID, _ at: Instant, isEnd: Bool, isBeginning: Bool) {
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

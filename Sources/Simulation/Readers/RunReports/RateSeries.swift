import Timeline

/// Pushes per second by answer, over a run of any length.
///
/// The run is divided into at most 600 slots. They are one second wide at first, and become twice as wide whenever the
/// run no longer fits.
package struct RateSeries: Sendable {
  /// The answer to a push, as far as a curve shows it.
  package enum Answer: Int, CaseIterable, Sendable {
    case accepted
    /// 429.
    case throttled
    /// Any other 4xx.
    case refused
    /// 5xx.
    case failed
    /// The stream was reset, or nothing was sent.
    case unanswered
  }

  package struct Slot: Sendable {
    fileprivate(set) var counts = InlineArray<5, UInt64>(repeating: 0)
    /// Nanoseconds of this machine's clock in which processor times were taken.
    package fileprivate(set) var sampled: UInt64 = 0
    /// Processor time of Pushpit in them.
    package fileprivate(set) var processor: UInt64 = 0
    /// Processor time that the whole machine was busy in them; nil if unknown.
    package fileprivate(set) var machine: UInt64?

    package func count(_ answer: Answer) -> UInt64 { counts[answer.rawValue] }
    package var pushes: UInt64 { Answer.allCases.reduce(0) { $0 + count($1) } }

    fileprivate mutating func add(_ other: Slot) {
      for place in 0..<5 { counts[place] += other.counts[place] }
      sampled += other.sampled
      processor += other.processor
      machine = machine.map { $0 + (other.machine ?? 0) } ?? other.machine
    }
  }

  /// Processor times since the previous sample.
  package struct Sample: Sendable {
    let at: Instant
    let length: UInt64
    let processor: UInt64
    let machine: UInt64?

    /// - Parameters:
    ///   - at: when the previous sample was taken.
    ///   - length: nanoseconds since the previous sample.
    ///   - processor: nanoseconds of processor time of this process.
    ///   - machine: the same for everything on this machine, idle time excluded; nil if unknown.
    package init(at: Instant, length: UInt64, processor: UInt64, machine: UInt64?) {
      self.at = at
      self.length = length
      self.processor = processor
      self.machine = machine
    }
  }

  package static let most = 600
  /// Nanoseconds.
  private static let second: Int64 = 1_000_000_000
  /// Maximum number of faults with separate counts; all further faults share one name.
  private static let mostFaults = 12
  package static let otherFaults = "other faults"

  /// Seconds of a slot.
  package private(set) var width: Int64 = 1
  /// Seconds since 1970 at which the first slot begins; nil before the first push.
  package private(set) var began: Int64?
  package private(set) var slots: [Slot] = []
  /// By name of a fault: how many pushes it struck in each slot.
  package private(set) var strikes: [(fault: String, counts: [UInt64])] = []
  /// Pushes of the busiest second.
  package private(set) var peak: UInt64 = 0
  private var second: (number: Int64, count: UInt64) = (.min, 0)

  package init() {}

  package mutating func add(_ answer: Answer, fault: String?, at now: Instant) {
    let number = now.seconds
    if second.number != number { second = (number, 0) }
    second.count += 1
    peak = max(peak, second.count)
    let place = place(of: number)
    slots[place].counts[answer.rawValue] += 1
    if let fault { strike(fault, at: place) }
  }

  /// Adds processor times to the slots that the sample covers, to each in proportion: a sample seldom begins with a
  /// second, and on a busy machine it is longer than one. What was before the first push does not count.
  package mutating func add(_ sample: Sample) {
    let start = sample.at.nanoseconds
    let end = sample.at.advanced(by: .nanoseconds(Int64(clamping: sample.length))).nanoseconds
    guard let began, end > start, (end - 1) / Self.second >= began else { return }
    let last = place(of: (end - 1) / Self.second)
    let length = Double(end - start)
    for place in self.place(of: start / Self.second)...last {
      let slot = (began + Int64(place) * width) * Self.second
      let from = min(max(slot, start), end) - start
      let to = min(slot + width * Self.second, end) - start
      guard to > from else { continue }
      func part(_ whole: UInt64) -> UInt64 {
        // The difference of sums, so that the parts add up to the whole.
        UInt64(Double(whole) * Double(to) / length) - UInt64(Double(whole) * Double(from) / length)
      }
      slots[place].sampled += part(sample.length)
      slots[place].processor += part(sample.processor)
      if let machine = sample.machine { slots[place].machine = (slots[place].machine ?? 0) + part(machine) }
    }
  }

  /// The slot of a second. A second before the first push, after a clock was set back, counts as the first.
  private mutating func place(of second: Int64) -> Int {
    let began = self.began ?? second
    self.began = began
    let passed = max(0, second - began)
    while passed / width >= Int64(Self.most) { widen() }
    let place = Int(passed / width)
    while slots.count <= place { slots.append(Slot()) }
    return place
  }

  private mutating func widen() {
    width *= 2
    for place in slots.indices where place % 2 == 1 { slots[place - 1].add(slots[place]) }
    slots = slots.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    for index in strikes.indices {
      let counts = strikes[index].counts
      strikes[index].counts = stride(from: 0, to: counts.count, by: 2).map {
        counts[$0] + ($0 + 1 < counts.count ? counts[$0 + 1] : 0)
      }
    }
  }

  private mutating func strike(_ fault: String, at place: Int) {
    var index = strikes.firstIndex { $0.fault == fault }
    if index == nil {
      let name = strikes.count < Self.mostFaults ? fault : Self.otherFaults
      index = strikes.firstIndex { $0.fault == name }
      if index == nil {
        strikes.append((name, []))
        index = strikes.count - 1
      }
    }
    guard let index else { return }
    let missing = place + 1 - strikes[index].counts.count
    if missing > 0 { strikes[index].counts += Array(repeating: 0, count: missing) }
    strikes[index].counts[place] += 1
  }
}

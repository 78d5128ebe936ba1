import APNs
import Devices
import Timeline

/// Counts broadcasts, requests about channels and arrivals for the expectations about them.
///
/// The arrivals of a broadcast are counted when their fates are final, so a run of any length needs memory only for
/// those that wait, and for the broadcasts themselves.
struct BroadcastObserver: Sendable {
  private struct Asked: Sendable {
    let question: BroadcastQuestion
    let window: ClosedRange<Duration>?
    let means: Matcher
    let meets: Matcher
    var tally = BroadcastTally()
    var isClosed = false

    init(_ question: BroadcastQuestion, within window: ClosedRange<Duration>?, names: Names) {
      self.question = question
      self.window = window
      means = Matcher(question.filter, apps: names.apps, steps: names.steps)
      meets = Matcher(question.claim.condition, apps: names.apps, steps: names.steps)
    }

    /// Notes if it satisfies the claim now: once is enough, whatever its later fate.
    mutating func see(_ seen: ObservedBroadcast) {
      var seen = seen
      if means.matches(&seen), meets.matches(&seen) { tally.isSeen = true }
    }

    mutating func count(_ seen: ObservedBroadcast) {
      var subject = seen
      tally.count(
        seen, question.claim, outside: question.filter.differences(&subject, means),
        inside: question.claim.condition.differences(&subject, meets))
    }
  }

  /// The names of a scenario's steps, of the channels that they create, and of the fleet's apps.
  struct Names: Sendable {
    let steps: [String?]
    let channels: [String?]
    let apps: [String]

    init(steps: [String?], channels: [String?], apps: [String]) {
      self.steps = steps
      self.channels = channels
      self.apps = apps
    }
  }

  private struct Arrival: Hashable, Sendable {
    let broadcast: UInt64
    let device: DeviceID
  }

  private var asked: [Int: Asked] = [:]
  private var began: Instant
  private let names: Names
  private var channels: [ChannelID: String] = [:]
  private var published: [UInt64: ObservedBroadcast] = [:]
  /// Arrivals without a final fate.
  private var waiting: [Arrival: [ObservedBroadcast]] = [:]

  /// Nil if no expectation is about broadcasts.
  init?(_ expectations: [Expectation], names: Names, began: Instant) {
    self.names = names
    self.began = began
    for (index, expectation) in expectations.enumerated() {
      guard case .broadcasts(let question) = expectation.question else { continue }
      asked[index] = Asked(question, within: expectation.window, names: names)
    }
    if asked.isEmpty { return nil }
  }

  mutating func begin(at now: Instant) { began = now }

  mutating func read(_ event: WorldEvent, of step: Int?) {
    switch event {
    case .channels(let record): read(record, of: step)
    case .broadcastReached(let number, let device, let fate, _):
      arrive(number, on: device, fate: fate, isSettled: false)
    case .pushSettled(let number, let device, let fate, _) where number & BroadcastNumber.mark != 0:
      arrive(number, on: device, fate: fate, isSettled: true)
    default: break
    }
  }

  private mutating func read(_ record: ChannelRecord, of step: Int?) {
    if let step, names.channels.indices.contains(step), let name = names.channels[step],
      let id = record.answer.channelID
    {
      channels[id] = name
    }
    let seen = ObservedBroadcast(record, name: record.channelID.flatMap { channels[$0] }, step: step, names)
    if record.operation == .publish, record.answer.status == 200 { published[record.number] = seen }
    count(seen, isArrival: false)
  }

  private mutating func arrive(_ number: UInt64, on device: DeviceID, fate: Fate, isSettled: Bool) {
    let number = number & ~BroadcastNumber.mark
    guard let seen = published[number]?.arrived(on: device, fate) else { return }
    let key = Arrival(broadcast: number, device: device)
    // All activities of a phone are offline together, so an arrival that is not stored now is one that was stored
    // before and was delivered later.
    let isLater = isSettled || fate != .stored(.offline)
    let place = waiting[key]?.firstIndex { $0.fate?.isReplaced(isSettled: isSettled) ?? isSettled }
    if isLater, let place { waiting[key]?.remove(at: place) }
    guard fate.isFinal else {
      waiting[key, default: []].append(seen)
      for index in asked.keys where isOpen(index, seen, isArrival: true) { asked[index]?.see(seen) }
      return
    }
    count(seen, isArrival: true)
  }

  private mutating func count(_ seen: ObservedBroadcast, isArrival: Bool) {
    for index in asked.keys where isOpen(index, seen, isArrival: isArrival) { asked[index]?.count(seen) }
  }

  private func isOpen(_ index: Int, _ seen: ObservedBroadcast, isArrival: Bool) -> Bool {
    guard let asked = asked[index], !asked.isClosed, asked.question.isAboutArrivals == isArrival else { return false }
    return asked.window.map { $0.contains(began.duration(to: seen.at)) } ?? true
  }

  /// The counts of an expectation, those that wait included.
  func counts(_ index: Int) -> BroadcastTally {
    guard var last = asked[index] else { return BroadcastTally() }
    let left = waiting.sorted { ($0.key.broadcast, $0.key.device.number) < ($1.key.broadcast, $1.key.device.number) }
    for seen in left.flatMap(\.value) where isOpen(index, seen, isArrival: true) { last.count(seen) }
    return last.tally
  }

  /// Later events no longer count for an expectation.
  mutating func close(_ index: Int) { asked[index]?.isClosed = true }
}

/// The state of an expectation about broadcasts.
struct BroadcastTally: Sendable {
  private(set) var figures = Figures()
  /// True if any broadcast ever satisfied the condition.
  var isSeen = false
  /// The broadcasts that the report of a failure shows.
  private(set) var blamed = FailureSample<ObservedBroadcast>()
  /// The nearest match, and what differs.
  private(set) var nearest: (seen: ObservedBroadcast, differences: [String])?
  private var distance = Int.max

  mutating func count(_ seen: ObservedBroadcast, _ claim: Claim, outside: [String], inside: [String]) {
    if outside.isEmpty {
      figures.meant += 1
      if inside.isEmpty {
        figures.met += 1
        isSeen = true
      }
      // Every cell carries out the scenario's requests, but each phone is in one cell only.
      if seen.device == nil, let step = seen.step { figures.addAlike(UInt64(step), isMet: inside.isEmpty) }
      switch claim {
      case .count: blamed.add(seen)
      case .all where !inside.isEmpty: blamed.add(seen)
      case .none where inside.isEmpty: blamed.add(seen)
      case .all, .none, .sometimes: break
      }
    }
    let differences = outside + inside
    guard !differences.isEmpty else { return }
    // One that the filter selects is nearer than any other.
    let distance = 100 * outside.count + inside.count
    if distance < self.distance { (nearest, self.distance) = ((seen, differences), distance) }
  }
}

extension Fate {
  /// True if a later fate of a broadcast on one phone may replace it.
  ///
  /// - Parameter isSettled: true if the later one is that of a push which the phone has deferred.
  fileprivate func isReplaced(isSettled: Bool) -> Bool {
    switch self {
    case .stored(.offline), .onTheWay: !isSettled
    default: isSettled
    }
  }
}

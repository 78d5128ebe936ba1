import Timeline

/// The Live Activities of an app on a phone: those that run, and the latest of those that have ended.
package struct ActivityList: Hashable, Sendable {
  /// Activities remembered: about five may run, the rest are history.
  static let most = 32

  /// Sorted by number, usually without gaps.
  package private(set) var all: [LiveActivity] = []
  private var next: UInt32 = 0

  /// True if an activity of that number has run, remembered or not.
  func hasRun(_ number: UInt32) -> Bool { number < next }

  /// True if no more activities can be started: all that are remembered run.
  var isFull: Bool { all.count >= Self.most && all.allSatisfy { !$0.hasEnded } }

  func index(of number: UInt32) -> Int? { Self.index(of: number, among: all) }

  static func index(of number: UInt32, among activities: [LiveActivity]) -> Int? {
    guard let first = activities.first?.number, number >= first else { return nil }
    let guess = Int(number - first)
    if guess < activities.count, activities[guess].number == number { return guess }
    return activities.firstIndex { $0.number == number }
  }

  /// Number of activities that count towards the limits.
  func counted(_ policy: DevicePolicy, at now: Instant) -> Int {
    all.count {
      if !$0.isOver(at: now) || $0.isLeaked { return true }
      return policy.endedCounts && $0.state(policy, at: now) == .ended
    }
  }

  /// The running activity of the least relevance; among equals, the one started last.
  func leastRelevant(at now: Instant) -> Int? {
    var least: Int?
    for index in all.indices where !all[index].isOver(at: now) {
      if let best = least, all[best].relevance < all[index].relevance { continue }
      least = index
    }
    return least
  }

  /// The activity whose content is the oldest of those that are over.
  ///
  /// - Parameter isGone: true for activities without a card, false for all.
  func oldestContent(isGone: Bool, _ policy: DevicePolicy, at now: Instant) -> Int? {
    var oldest: Int?
    for index in all.indices {
      guard all[index].memory > 0, all[index].isOver(at: now),
        !isGone || all[index].state(policy, at: now) == .dismissed
      else { continue }
      if let best = oldest, all[best].appliedAt <= all[index].appliedAt { continue }
      oldest = index
    }
    return oldest
  }

  /// Appends a new activity.
  mutating func start(type: Int, origin: LiveActivity.Origin, _ policy: DevicePolicy, at now: Instant) {
    let activity = LiveActivity(number: next, type: type, startedAt: now, origin: origin, life: policy.activityLife)
    next += 1
    // Exact capacity: an array that doubles would have room for eight where five run.
    all.reserveCapacity(all.count + 1)
    all.append(activity)
  }

  /// Forgets an activity if there is no room for another: the first that has ended.
  ///
  /// - Returns: the memory that it used, in bytes.
  mutating func forgetEnded() -> UInt32 {
    guard all.count >= Self.most else { return 0 }
    return all.remove(at: all.firstIndex { $0.hasEnded } ?? 0).memory
  }

  /// Changes an activity in place.
  @inline(__always)
  mutating func change<Result>(_ index: Int, _ change: (inout LiveActivity) -> Result) -> Result {
    change(&all[index])
  }

  mutating func changeAll(_ change: (inout LiveActivity) -> Void) {
    for index in all.indices { change(&all[index]) }
  }
}

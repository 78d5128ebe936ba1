import APNs
import Devices
import Timeline

/// The faults that strike pushes, broadcasts and requests about channels, in the order of the list of faults.
struct PushFaultIndex: Sendable {
  /// The parts of a fault that are checked for each push. Most pushes fail the numeric comparison, so nothing else of
  /// the fault is read.
  private struct Entry: Sendable {
    /// Index of the fault in the list.
    let place: Int
    let from: Instant
    let until: Instant
    let numeric: Matcher.Numeric
    /// The other checks of the condition.
    let rest: Matcher.SlowCriteria?
    let hasScope: Bool

    init(_ active: ActiveFault, at place: Int) {
      self.place = place
      from = active.fault.from ?? .distantPast
      until = active.fault.until ?? .distantFuture
      numeric = active.matcher.numeric
      rest = active.matcher.rest
      hasScope = active.scope != nil
    }

    func isScheduled(at now: Instant) -> Bool { from <= now && (now < until || until == .distantFuture) }
  }

  private var entries: [Entry] = []
  /// True if any of these faults has a condition on the version of iOS.
  private(set) var needsOS = false

  init() {}

  init(_ faults: [ActiveFault]) {
    entries = faults.indices.filter { faults[$0].fault.strikesPushes }.map { Entry(faults[$0], at: $0) }
    needsOS = entries.contains { faults[$0.place].matcher.parts.contains(.os) }
  }

  var isEmpty: Bool { entries.isEmpty }
  /// Indices of the faults in the list.
  var places: [Int] { entries.map(\.place) }

  /// - Parameter faults: the list of faults, where the strike is counted.
  /// - Returns: the index of the first fault that strikes a push, if any.
  func strike(
    _ push: inout AcceptedPushSubject, at address: Address, in faults: inout [ActiveFault], at now: Instant
  ) -> Int? {
    var next = 0
    while let found = candidate(from: next, push.numbers, at: now) {
      next = found + 1
      let place = entries[found].place
      if let rest = entries[found].rest, !rest.matches(&push) { continue }
      if entries[found].hasScope, let scope = faults[place].scope, !scope.matches(&push) { continue }
      if faults[place].drawsStrike(for: UInt64(address.device.number) << 24 ^ address.slotNumber) { return place }
    }
    return nil
  }

  /// The first fault from that index on whose numeric criteria match.
  private func candidate(from start: Int, _ numbers: MatchNumbers, at now: Instant) -> Int? {
    for index in start..<entries.count
    where entries[index].numeric.passes(numbers) && entries[index].isScheduled(at: now) {
      return index
    }
    return nil
  }

  /// - Returns: the index of the first fault that strikes a broadcast or a request about channels, if any.
  func strike(_ request: inout ChannelRequestSubject, in faults: inout [ActiveFault], at now: Instant) -> Int? {
    for entry in entries where entry.numeric.passes(request.numbers) && entry.isScheduled(at: now) {
      let condition = faults[entry.place].fault.condition
      // A broadcast is a push to a channel; requests about channels are struck if the fault names their operation.
      guard request.operation == .publish || condition.filter.operation != nil else { continue }
      if let rest = entry.rest, !rest.matches(&request) { continue }
      if let scope = condition.scope, !scope.hears(key: request.key, app: request.home.bundleID) { continue }
      if faults[entry.place].drawsStrike(for: request.drawn) { return entry.place }
    }
    return nil
  }
}

extension Fault {
  /// True if it strikes pushes, or connections because of a push.
  fileprivate var strikesPushes: Bool { consequence.strikesPushes && !condition.isOfConnections }
}

extension Address {
  /// Distinguishes the slots of a device that tokens are for.
  package var slotNumber: UInt64 {
    let (kind, number): (UInt64, UInt64) =
      switch slot {
      case .app: (0, 0)
      case .service(let suffix): (1, UInt64(suffix.rawValue))
      case .pushToStart(let type): (2, UInt64(type))
      case .update(let activity): (3, UInt64(activity))
      }
    return UInt64(app) << 56 ^ kind << 20 ^ number
  }
}

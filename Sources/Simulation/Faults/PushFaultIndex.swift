import APNs
import Devices
import Timeline

/// The faults that strike pushes, broadcasts and requests about channels, in the order of the list of faults.
struct PushFaultIndex: Sendable {
  /// The parts of a fault that are checked for each push. They hold no references, so that checking them retains
  /// nothing. Most pushes fail the numeric comparison, so nothing else of the fault is read.
  private struct Check: Sendable {
    /// Index of the fault in the list.
    let place: Int
    let from: Instant
    let until: Instant
    let numeric: Matcher.Numeric
    let hasRest: Bool
    let hasScope: Bool
    let isOfArrival: Bool

    init(_ active: ActiveFault, at place: Int) {
      self.place = place
      from = active.fault.from ?? .distantPast
      until = active.fault.until ?? .distantFuture
      numeric = active.matcher.numeric
      hasRest = active.matcher.rest != nil
      hasScope = active.scope != nil
      isOfArrival = active.fault.arrival != nil
    }

    func isScheduled(at now: Instant) -> Bool { from <= now && (now < until || until == .distantFuture) }
  }

  private var checks: [Check] = []
  /// True if any of these faults has a condition on the version of iOS.
  private(set) var needsOS = false
  /// True if any of these faults changes how pushes arrive at phones.
  private(set) var strikesArrivals = false

  init() {}

  init(_ faults: [ActiveFault]) {
    checks = faults.indices.filter { faults[$0].fault.strikesPushes }.map { Check(faults[$0], at: $0) }
    needsOS = checks.contains { faults[$0.place].matcher.parts.contains(.os) }
    strikesArrivals = checks.contains(where: \.isOfArrival)
  }

  var isEmpty: Bool { checks.isEmpty }
  /// Indices of the faults in the list.
  var places: [Int] { checks.map(\.place) }

  /// - Parameters:
  ///   - isUnderway: true if the push is for a phone that is online, so that it is on its way now.
  ///   - faults: the list of faults, where the strike is counted.
  /// - Returns: the index of the first fault that strikes a push, if any.
  func strike(
    _ push: inout AcceptedPushSubject, at address: Address, isUnderway: Bool, in faults: inout [ActiveFault],
    at now: Instant
  ) -> Int? {
    let numbers = push.numbers
    for check in checks where check.numeric.passes(numbers) && check.isScheduled(at: now) {
      if check.isOfArrival, !isUnderway { continue }
      let place = check.place
      if check.hasRest, faults[place].matcher.rest?.matches(&push) == false { continue }
      if check.hasScope, let scope = faults[place].scope, !scope.matches(&push) { continue }
      if faults[place].drawsStrike(for: UInt64(address.device.number) << 24 ^ address.slotNumber) { return place }
    }
    return nil
  }

  /// - Returns: the index of the first fault that strikes a broadcast or a request about channels, if any.
  func strike(_ request: inout ChannelRequestSubject, in faults: inout [ActiveFault], at now: Instant) -> Int? {
    for check in checks
    where !check.isOfArrival && check.numeric.passes(request.numbers) && check.isScheduled(at: now) {
      let place = check.place
      let condition = faults[place].fault.condition
      // A broadcast is a push to a channel; requests about channels are struck if the fault names their operation.
      guard request.operation == .publish || condition.filter.operation != nil else { continue }
      if check.hasRest, faults[place].matcher.rest?.matches(&request) == false { continue }
      if let scope = condition.scope, !scope.hears(key: request.key, app: request.home.bundleID) { continue }
      if faults[place].drawsStrike(for: request.drawn) { return place }
    }
    return nil
  }

  /// - Returns: the index of the first fault that strikes the copy of a broadcast for one phone, if any.
  func strike(_ copy: inout BroadcastCopySubject, in faults: inout [ActiveFault], at now: Instant) -> Int? {
    for check in checks where check.isOfArrival && check.isScheduled(at: now) {
      let active = faults[check.place]
      guard active.matcher.matches(&copy), active.fault.condition.scope.map({ copy.isHeard(by: $0) }) ?? true else {
        continue
      }
      if faults[check.place].drawsStrike(for: copy.drawn) { return check.place }
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

import APNs
import Devices
import Timeline

/// A fault that is set, and how often it has struck.
///
/// `odds` and `share` do not depend on the order of arrival: a draw depends on the seed, the fault's name, the token's
/// address and how many of that token's pushes the fault has checked. With these alone, the same pushes are struck in
/// any interleaving and on any number of connections. `skip`, `every` and `limit` count matching pushes of all tokens
/// as they arrive, so they do depend on the order.
package struct ActiveFault: Sendable {
  package let fault: Fault
  /// Distinguishes the fault from earlier and later ones of the same name.
  let serial: UInt64
  let matcher: Matcher
  /// The pushes of its session.
  let scope: Matcher?
  private let chance: Chance
  /// Number of pushes, connections or calls that matched its condition.
  package private(set) var seen: UInt64 = 0
  package private(set) var struck: UInt64 = 0
  /// True while a fault that stands by itself is in effect.
  package private(set) var isApplied = false
  /// The devices on which its action was done.
  package private(set) var done: [DeviceID] = []
  /// Number of checks per token, connection or app; kept only if the odds are neither 0 nor 1.
  private(set) var checks = MatchCounts()

  init(_ fault: Fault, serial: UInt64, apps: [String], _ chance: Chance) {
    self.fault = fault
    self.serial = serial
    self.chance = chance.stream(for: "odds " + fault.label)
    matcher = Matcher(fault.condition.filter, apps: apps, share: chance.stream(for: "share " + fault.label))
    scope = fault.condition.scope.map { Matcher($0, apps: apps) }
  }

  /// True if it has struck or taken effect.
  package var isUsed: Bool { struck > 0 }

  func isScheduled(at now: Instant) -> Bool {
    fault.from.map { $0 <= now } ?? true && fault.until.map { now < $0 } ?? true
  }

  func matches(_ connection: ProviderConnectionID, _ environment: Environment) -> Bool {
    var subject = ConnectionSubject(connection, to: environment)
    return matcher.matches(&subject)
  }

  func matches(_ device: DeviceID, in fleet: Fleet) -> Bool {
    var subject = DeviceSubject(device, fleet, for: matcher)
    return matcher.matches(&subject)
  }

  /// Counts something that matches the fault, and draws.
  ///
  /// - Parameter subject: the value from which the odds are drawn.
  /// - Returns: true if the fault strikes.
  mutating func drawsStrike(for subject: UInt64) -> Bool {
    seen += 1
    let odds = fault.odds
    let isCertain = odds.numerator == 0 || odds.numerator == odds.denominator
    let check = isCertain ? 0 : checks.next(subject)
    let (skip, every) = (fault.condition.skip, fault.condition.every)
    guard seen > skip, (seen - skip - 1) % every == 0, fault.limit.map({ struck < $0 }) ?? true,
      chance.strikes(odds, subject: subject, count: check)
    else { return false }
    struck += 1
    return true
  }

  /// A fault that stands by itself takes effect, or its effect is reverted.
  mutating func setApplied(_ isApplied: Bool) {
    self.isApplied = isApplied
    done = []
    if isApplied { struck += 1 }
  }

  /// The action of the fault was done on a device.
  mutating func countDone(_ device: DeviceID) { done.append(device) }

  /// A connection was closed; its number does not come again.
  mutating func forget(_ connection: ProviderConnectionID) { checks.forget(connection.number) }
}

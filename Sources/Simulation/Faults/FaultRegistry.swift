import APNs
import Devices
import Timeline

/// The faults that are set, and how often each has struck.
///
/// `odds` and `share` do not depend on the order of arrival: a draw depends on the seed, the fault's name, the token's
/// address and how many of that token's pushes the fault has checked. With these alone, the same pushes are struck in
/// any interleaving and on any number of connections. `skip`, `every` and `limit` count matching pushes of all tokens
/// as they arrive, so they do depend on the order.
package struct FaultRegistry: Sendable {
  package struct Armed: Sendable {
    package let fault: Fault
    /// Distinguishes it from earlier and later faults of the same name.
    let serial: UInt64
    /// Number of pushes that matched its condition.
    package fileprivate(set) var seen: UInt64 = 0
    package fileprivate(set) var struck: UInt64 = 0
    /// Whether a timed fault is in effect.
    package var isInForce = false
    /// The devices on which its action was done.
    package internal(set) var done: [DeviceID] = []
    let odds: Chance
    let matcher: Matcher
    /// The scope of its session.
    let scope: Matcher?
    /// Number of checks per token, connection or app; kept only if the odds are neither 0 nor 1.
    fileprivate(set) var looks = MatchCounts()

    /// Whether it has struck or taken effect.
    var isUsed: Bool { struck > 0 }
  }

  /// Maximum number of faults set at once.
  package static let most = 1000

  package internal(set) var armed: [Armed] = []
  /// Phone models of the faults about questions, in the order of the faults.
  private(set) var prompts: [(name: String, model: PhoneModel)] = []
  /// Random stream for delays of answers and calls.
  let delays: Chance
  /// The faults that strike pushes. Every push checks first whether this list is empty.
  private(set) var watching: [Watch] = []
  /// Whether any of these has a condition on the version of iOS.
  private(set) var asksForOS = false
  /// Indices of the faults that strike opening connections, idle connections and reports.
  private(set) var opening: [Int] = []
  private(set) var waiting: [Int] = []
  private(set) var reporting: [Int] = []
  private let chance: Chance
  private let apps: [String]
  /// Number of faults set so far.
  private var serials: UInt64 = 0
  /// Number of idle times checked: a measure of the work done for them.
  private(set) var idleChecks = 0

  /// The parts of a fault that are checked for each push. Most pushes meet most faults no further than the numbers,
  /// which are read in place.
  struct Watch: Sendable {
    /// Index of the fault in the list.
    let place: Int
    let from: Instant
    let until: Instant
    let numeric: Matcher.Numeric
    /// The other checks of the condition and of the scope.
    let rest: Matcher.Rest?
    let hasScope: Bool

    @inline(__always)
    func isOn(at now: Instant) -> Bool { from <= now && (now < until || until == .distantFuture) }
  }

  init(seed: UInt64, apps: [String]) {
    chance = Chance(seed: seed).stream(for: "faults")
    delays = Chance(seed: seed).stream(for: "answer delay")
    self.apps = apps
  }

  var strikesPushes: Bool { !watching.isEmpty }

  /// - Returns: the fault's serial number.
  mutating func set(_ fault: Fault) -> UInt64 {
    serials += 1
    let armed = Armed(
      fault: fault, serial: serials, odds: chance.stream(for: "odds " + fault.label),
      matcher: Matcher(fault.condition.filter, apps: apps, share: chance.stream(for: "share " + fault.label)),
      scope: fault.condition.scope.map { Matcher($0, apps: apps) })
    if let place = self.armed.firstIndex(where: { $0.fault.name == fault.name }) {
      self.armed[place] = armed
    } else {
      self.armed.append(armed)
    }
    rebuildIndex()
    return serials
  }

  mutating func remove(_ name: String) -> Armed? {
    guard let place = armed.firstIndex(where: { $0.fault.name == name }) else { return nil }
    defer { rebuildIndex() }
    return armed.remove(at: place)
  }

  package subscript(name: String) -> Armed? { armed.first { $0.fault.name == name } }

  /// The name of the fault with that serial number, if it is still set.
  func name(_ serial: UInt64) -> String? { armed.first { $0.serial == serial }?.fault.name }

  /// The effects on listeners of the faults in force, in order.
  var listeners: [(fault: ListenerFault, environment: Environment?)] {
    armed.compactMap { armed in
      guard armed.isInForce, case .listener(let fault) = armed.fault.consequence else { return nil }
      return (fault, armed.fault.condition.filter.environment)
    }
  }

  /// Sets the phone model of a fault about questions while it is in force; nil removes it.
  mutating func setModel(_ model: PhoneModel?, of name: String) {
    if let model {
      prompts.append((name, model))
    } else {
      prompts.removeAll { $0.name == name }
    }
  }

  mutating func force(_ name: String, _ isInForce: Bool) {
    guard let place = armed.firstIndex(where: { $0.fault.name == name }) else { return }
    armed[place].isInForce = isInForce
    armed[place].done = []
    if isInForce { armed[place].struck += 1 }
  }

  private mutating func rebuildIndex() {
    opening = armed.indices.filter { armed[$0].fault.condition.isOpening }
    waiting = armed.indices.filter { armed[$0].fault.condition.idle != nil }
    reporting = armed.indices.filter { if case .reports = armed[$0].fault.consequence { true } else { false } }
    watching = armed.indices.filter {
      armed[$0].fault.consequence.strikesPushes && !armed[$0].fault.condition.isOfConnections
    }
    .map {
      Watch(
        place: $0, from: armed[$0].fault.from ?? .distantPast, until: armed[$0].fault.until ?? .distantFuture,
        numeric: armed[$0].matcher.numeric, rest: armed[$0].matcher.rest, hasScope: armed[$0].scope != nil)
    }
    asksForOS = watching.contains { armed[$0.place].matcher.parts.contains(.os) }
  }

  /// - Returns: the index of the first fault that strikes a push, if any.
  mutating func strike(_ push: inout AcceptedPushSubject, at address: Address, at now: Instant) -> Int? {
    var next = 0
    while let found = candidate(from: next, push.numbers, at: now) {
      next = found + 1
      let place = watching[found].place
      if let rest = watching[found].rest, !rest.matches(&push) { continue }
      if watching[found].hasScope, let scope = armed[place].scope, !scope.matches(&push) { continue }
      if counts(place, of: UInt64(address.device.number) << 24 ^ address.slotNumber) { return place }
    }
    return nil
  }

  /// The first fault from that index on whose numeric criteria match.
  private func candidate(from start: Int, _ numbers: MatchNumbers, at now: Instant) -> Int? {
    for index in start..<watching.count where watching[index].numeric.passes(numbers) && watching[index].isOn(at: now) {
      return index
    }
    return nil
  }

  /// Something matched the fault: whether it strikes this time.
  ///
  /// - Parameter subject: the subject of its draws.
  mutating func counts(_ place: Int, of subject: UInt64) -> Bool { armed[place].counts(subject) }

  // MARK: - Connections

  /// A connection was closed; its number does not come again.
  mutating func forget(_ connection: ProviderConnectionID) {
    for place in opening + waiting { armed[place].looks.forget(connection.number) }
  }

  /// The first fault that strikes a connection when it opens, if any.
  mutating func strike(opening connection: ProviderConnectionID, to environment: Environment, at now: Instant) -> Fault?
  {
    for place in opening
    where armed[place].isOn(at: now) && armed[place].isFor(connection, environment) {
      if counts(place, of: connection.number) { return armed[place].fault }
    }
    return nil
  }

  /// The time at which a fault strikes an idle connection, now at the earliest; nil for never, or if it has struck in
  /// this idle time.
  func due(_ place: Int, _ idle: ConnectionFaultState.IdleTime, at now: Instant) -> Instant? {
    let fault = armed[place].fault
    guard let length = fault.condition.idle, !idle.struck.contains(armed[place].serial) else { return nil }
    let due = max(idle.since.advanced(by: length), fault.from ?? .distantPast, now)
    if let until = fault.until, due >= until { return nil }
    return due
  }

  /// Time of the next check of a connection's idle time for some faults; nil if none waits for it.
  func nextIdleCheck(
    of connection: ProviderConnectionID, in environment: Environment, _ idle: ConnectionFaultState.IdleTime,
    by waiting: [Int], at now: Instant
  ) -> Instant? {
    var next: Instant?
    for place in waiting {
      guard let due = due(place, idle, at: now), next.map({ due < $0 }) ?? true,
        armed[place].isFor(connection, environment)
      else { continue }
      next = due
    }
    return next
  }

  /// A connection has been idle long enough for a fault.
  ///
  /// - Returns: true if the fault strikes.
  mutating func countIdleTime(_ place: Int, of connection: ProviderConnectionID) -> Bool {
    idleChecks += 1
    return counts(place, of: connection.number)
  }

  // MARK: - Phones

  /// The behavior of a phone and its person: as the fleet's, unless a fault about questions overrides it.
  func model(of device: DeviceID, in fleet: Fleet) -> PhoneModel {
    for (name, model) in prompts {
      guard let armed = self[name] else { continue }
      var subject = DeviceSubject(device, fleet, for: armed.matcher)
      if armed.matcher.matches(&subject) { return model }
    }
    return fleet.model
  }
}

extension FaultRegistry.Armed {
  func isFor(_ connection: ProviderConnectionID, _ environment: Environment) -> Bool {
    var subject = ConnectionSubject(connection, to: environment)
    return matcher.matches(&subject)
  }

  func isOn(at now: Instant) -> Bool { fault.from.map { $0 <= now } ?? true && fault.until.map { now < $0 } ?? true }

  fileprivate mutating func counts(_ subject: UInt64) -> Bool {
    seen += 1
    let odds = fault.odds
    let isCertain = odds.numerator == 0 || odds.numerator == odds.denominator
    let look = isCertain ? 0 : looks.next(subject)
    let (skip, every) = (fault.condition.skip, fault.condition.every)
    guard seen > skip, (seen - skip - 1) % every == 0, fault.limit.map({ struck < $0 }) ?? true,
      self.odds.strikes(odds, subject, look)
    else { return false }
    struck += 1
    return true
  }
}

extension Address {
  /// Distinguishes the slots of a device that tokens are for.
  var slotNumber: UInt64 {
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

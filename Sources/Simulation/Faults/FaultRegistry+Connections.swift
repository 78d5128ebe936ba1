import APNs
import Devices
import Timeline

/// Effects of faults on connections instead of single pushes.
extension FaultRegistry {
  /// Every push on the connection is rejected, or every push of one session.
  struct Sticky: Sendable {
    let reason: RejectionReason
    let fault: String
    let label: String
    let scope: Matcher?
  }

  /// A lasting effect on a connection, and the fault that caused it: one for each fault, however often it strikes.
  struct Mark: Hashable, Sendable {
    enum Effect: Hashable, Sendable {
      /// The wire does it by this command.
      case wire(WireCommand)
      /// Pushes are rejected.
      case sick
      case skewed(Duration)

      /// Two effects of one kind exclude each other: the later one counts.
      func isLike(_ other: Effect) -> Bool {
        switch (self, other) {
        case (.wire(let one), .wire(let two)): one.name == two.name
        case (.skewed, .skewed), (.sick, .sick): true
        default: false
        }
      }
    }

    let fault: String
    let effect: Effect
    /// True if a delayed command ends it before the fault is removed.
    var isTimed = false
  }

  /// Marks a connection as affected until the fault is removed.
  ///
  /// - Returns: whether the fault had not marked it so before, and whether the effect was not in force before.
  @discardableResult
  mutating func mark(_ connection: ProviderConnectionID, _ mark: Mark) -> (isNew: Bool, changes: Bool) {
    var list = marks.removeValue(forKey: connection.number) ?? []
    let inForce = list.last { $0.effect.isLike(mark.effect) }?.effect
    // After its `back`, a fault has another effect there.
    let isNew = !list.contains(mark)
    list.removeAll { $0.fault == mark.fault }
    list.append(mark)
    marks[connection.number] = list
    return (isNew, inForce != mark.effect)
  }

  /// Ends an effect on a connection before its fault is removed, by a command to the wire. If no other fault has such
  /// an effect, the command is the effect of the fault from now on, and ends with it.
  ///
  /// - Returns: the command, or that of the other fault; nil if that is in force.
  mutating func lift(_ mark: Mark, from connection: ProviderConnectionID, by back: WireCommand) -> WireCommand? {
    let list = marks[connection.number] ?? []
    guard let place = list.firstIndex(of: mark) else { return nil }
    var left = list
    left.remove(at: place)
    let other = left.last { $0.effect.isLike(mark.effect) }
    let next = other ?? Mark(fault: mark.fault, effect: .wire(back))
    if other == nil { left.append(next) }
    marks[connection.number] = left
    let inForce = list.last { $0.effect.isLike(mark.effect) }?.effect
    guard inForce == mark.effect, inForce != next.effect, case .wire(let order) = next.effect else { return nil }
    return order
  }

  /// The connection was closed.
  mutating func forget(_ connection: ProviderConnectionID) {
    let number = connection.number
    if !sticky.isEmpty { sticky[number] = nil }
    if !skews.isEmpty { skews[number] = nil }
    if !leaving.isEmpty { leaving[number] = nil }
    if !marks.isEmpty { marks[number] = nil }
    if !lastHeard.isEmpty { lastHeard[number] = nil }
    for place in opening { armed[place].forget(number) }
    for place in waiting {
      armed[place].forget(number)
      armed[place].silences[number] = nil
      // Closed connections are skipped when they are due; the list never exceeds twice the open ones.
      if armed[place].quiet.count > 2 * lastHeard.count + 64 {
        armed[place].quiet.keep { connection, _ in lastHeard[connection.number] != nil }
      }
    }
  }

  /// The time used to check the provider tokens of a connection.
  func skewed(_ now: Now, on connection: ProviderConnectionID) -> Now {
    guard let skew = skews[connection.number] else { return now }
    return Now(world: now.world, wall: now.wall.advanced(by: skew))
  }

  /// Whether the stream is above the last stream of a GOAWAY.
  func leavesOut(_ stream: StreamID) -> Bool { leaving[stream.connection.number].map { $0 < stream.number } ?? false }

  /// The first fault that strikes a connection when it opens, if any.
  mutating func strike(opening connection: ProviderConnectionID, to environment: Environment, at now: Instant) -> Fault?
  {
    for place in opening
    where armed[place].isOn(at: now) && armed[place].isFor(connection, environment) {
      if counts(place, of: connection.number) { return armed[place].fault }
    }
    return nil
  }
}

extension FaultRegistry.Armed {
  func isFor(_ connection: ProviderConnectionID, _ environment: Environment) -> Bool {
    var subject = ConnectionSubject(connection, to: environment)
    return matcher.matches(&subject)
  }

  func isOn(at now: Instant) -> Bool { fault.from.map { $0 <= now } ?? true && fault.until.map { now < $0 } ?? true }
}

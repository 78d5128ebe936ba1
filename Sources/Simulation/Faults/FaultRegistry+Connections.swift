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

  /// A lasting effect on a connection, and the fault that caused it.
  struct Mark: Sendable {
    enum Kind: Sendable {
      case frozen
      case slow
      case narrowed
      case squeezed
      case sick
      case skewed
    }

    let fault: String
    let kind: Kind
  }

  mutating func mark(_ connection: ProviderConnectionID, _ kind: Mark.Kind, by fault: String) {
    marks[connection.number, default: []].append(Mark(fault: fault, kind: kind))
  }

  /// Takes the connections affected by this fault and no other, in order.
  mutating func takeMarks(of fault: String) -> [(connection: ProviderConnectionID, kind: Mark.Kind)] {
    var taken: [(connection: ProviderConnectionID, kind: Mark.Kind)] = []
    for (number, list) in marks.sorted(by: { $0.key < $1.key }) where list.contains(where: { $0.fault == fault }) {
      let left = list.filter { $0.fault != fault }
      for mark in list where mark.fault == fault && (mark.kind == .sick || !left.contains { $0.kind == mark.kind }) {
        taken.append((ProviderConnectionID(number), mark.kind))
      }
      marks[number] = left.isEmpty ? nil : left
    }
    return taken
  }

  /// The connection was closed.
  mutating func forget(_ connection: ProviderConnectionID) {
    let number = connection.number
    if !sticky.isEmpty { sticky[number] = nil }
    if !skews.isEmpty { skews[number] = nil }
    if !leaving.isEmpty { leaving[number] = nil }
    if !marks.isEmpty { marks[number] = nil }
    if !lastHeard.isEmpty { lastHeard[number] = nil }
    for place in waiting {
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

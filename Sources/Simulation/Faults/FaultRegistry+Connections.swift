import APNs
import Devices
import Timeline

/// What faults do to connections rather than to single pushes.
extension FaultRegistry {
  /// Every push on the connection is refused, or every push of a session on it.
  struct Sticky: Sendable {
    let reason: RejectionReason
    let fault: String
    let label: String
    let scope: Matcher?
  }

  /// Something that stays wrong with a connection, and whose it is.
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

  /// What a fault has done to connections and no other fault has done as well, in their order; it is forgotten here.
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

  /// The connection has gone.
  mutating func forget(_ connection: ProviderConnectionID) {
    let number = connection.number
    if !sticky.isEmpty { sticky[number] = nil }
    if !skews.isEmpty { skews[number] = nil }
    if !leaving.isEmpty { leaving[number] = nil }
    if !marks.isEmpty { marks[number] = nil }
    if !lastHeard.isEmpty { lastHeard[number] = nil }
    for place in waiting {
      armed[place].silences[number] = nil
      // What has gone is passed over when it comes up; there is never more of it than twice what is open.
      if armed[place].quiet.count > 2 * lastHeard.count + 64 {
        armed[place].quiet.keep { connection, _ in lastHeard[connection.number] != nil }
      }
    }
  }

  /// What time it is for the provider tokens of a connection.
  func skewed(_ now: Now, on connection: ProviderConnectionID) -> Now {
    guard let skew = skews[connection.number] else { return now }
    return Now(world: now.world, wall: now.wall.advanced(by: skew))
  }

  /// Whether a GOAWAY has named an earlier stream as the last.
  func leavesOut(_ stream: StreamID) -> Bool { leaving[stream.connection.number].map { $0 < stream.number } ?? false }

  /// The first fault that strikes a connection as it opens; nil for none.
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

import APNs

/// What every push on a connection is answered from then on, or every push of a session on it.
struct StickyAnswer: Sendable {
  let reason: RejectionReason
  let session: String?
  let scope: SessionScope?
}

extension FaultDesk {
  /// Remembers which connections a session's end has to let go.
  mutating func grip(_ connection: ConnectionID, by fault: Fault) {
    if let session = fault.session { gripped[connection.number, default: []].insert(session) }
  }

  /// Nothing more is to be done on a connection that is closed.
  mutating func forget(_ connection: ConnectionID) {
    if !sticky.isEmpty { sticky[connection.number] = nil }
    if !gripped.isEmpty { gripped[connection.number] = nil }
  }

  /// Lets go what only this session's faults hold.
  mutating func release(_ session: String) -> [UInt64] {
    for (connection, answers) in sticky {
      let left = answers.filter { $0.session != session }
      sticky[connection] = left.isEmpty ? nil : left
    }
    var released: [UInt64] = []
    for connection in gripped.keys.sorted() {
      guard gripped[connection]?.remove(session) != nil, gripped[connection]?.isEmpty ?? true else { continue }
      gripped[connection] = nil
      released.append(connection)
    }
    return released
  }
}

import APNs
import Timeline

/// A closed session whose end is not complete: its expectations are not evaluated yet, or its faults are still set.
/// Until then it keeps its phones and its pushes: no other session has them.
struct EndingSession: Sendable {
  let name: String
  /// Of its opening.
  let number: UInt64
  /// Index of the session, which is not reused before its end.
  let place: Int
  let scope: Filter
  let reached: [DeviceID]

  init(_ session: TestSession, at place: Int) {
    name = session.name
    number = session.number
    self.place = place
    scope = session.scope
    reached = session.reached
  }
}

/// The most recently closed sessions, and the names of those that were dropped.
struct ClosedSessions: Sendable {
  /// Number of names of dropped sessions remembered.
  private static let mostForgotten = 10_000

  /// In the order of closing.
  private(set) var all: [TestSession] = []
  private var kept = 0
  private var forgotten: [String] = []
  private var forgottenNames: Set<String> = []
  /// In the order of closing.
  private(set) var ending: [EndingSession] = []

  subscript(name: String) -> TestSession? { all.first { $0.name == name } }

  /// True if a session of that name was dropped.
  func isForgotten(_ name: String) -> Bool { forgottenNames.contains(name) }

  mutating func add(_ session: TestSession, at place: Int) {
    ending.append(EndingSession(session, at: place))
    kept += session.pushLog.count
    all.append(session)
    while all.count > SessionRegistry.mostClosed || kept > SessionRegistry.mostKeptClosed && all.count > 1 {
      let oldest = all.removeFirst()
      kept -= oldest.pushLog.count
      forget(oldest.name)
    }
  }

  /// - Returns: whether there was one, and what it has kept until now.
  mutating func remove(_ name: String) -> (wasThere: Bool, ending: EndingSession?) {
    guard let place = all.firstIndex(where: { $0.name == name }) else { return (false, nil) }
    let session = all.remove(at: place)
    kept -= session.pushLog.count
    return (true, ending.firstIndex { $0.number == session.number }.map { ending.remove(at: $0) })
  }

  /// A session of that name is open again.
  mutating func reopened(_ name: String) {
    if forgottenNames.remove(name) != nil { forgotten.removeAll { $0 == name } }
  }

  /// Continues to evaluate the expectations of the session that ends first.
  ///
  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: the session, once all are evaluated.
  mutating func end(_ world: World, _ work: inout Int) -> EndingSession? {
    guard let number = ending.first?.number else { return nil }
    // Closed only a moment ago, so it is at the end.
    if let place = all.lastIndex(where: { $0.number == number }) {
      guard all[place].evaluate(world, &work) else { return nil }
      all[place].note(world.faults)
    }
    return ending.removeFirst()
  }

  private mutating func forget(_ name: String) {
    forgotten.append(name)
    forgottenNames.insert(name)
    if forgotten.count > Self.mostForgotten { forgottenNames.remove(forgotten.removeFirst()) }
  }
}

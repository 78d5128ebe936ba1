import Timeline

/// The most recently closed sessions, and the names of those that were dropped.
struct ClosedSessions: Sendable {
  /// Number of names of dropped sessions remembered.
  private static let mostForgotten = 10_000

  /// In the order of closing.
  private(set) var all: [TestSession] = []
  private var kept = 0
  private var forgotten: [String] = []
  private var forgottenNames: Set<String> = []
  /// The sessions whose end is not complete, in the order of closing: their expectations are not evaluated yet, or
  /// their faults are still set.
  private(set) var ending: [String] = []

  subscript(name: String) -> TestSession? { all.first { $0.name == name } }

  /// True if a session of that name was dropped.
  func isForgotten(_ name: String) -> Bool { forgottenNames.contains(name) }

  mutating func add(_ session: TestSession) {
    ending.append(session.name)
    kept += session.pushLog.count
    all.append(session)
    while all.count > SessionRegistry.mostClosed || kept > SessionRegistry.mostKeptClosed && all.count > 1 {
      let oldest = all.removeFirst()
      kept -= oldest.pushLog.count
      forget(oldest.name)
    }
  }

  mutating func remove(_ name: String) -> Bool {
    guard let place = all.firstIndex(where: { $0.name == name }) else { return false }
    kept -= all.remove(at: place).pushLog.count
    ending.removeAll { $0 == name }
    return true
  }

  /// A session of that name is open again.
  mutating func reopened(_ name: String) {
    if forgottenNames.remove(name) != nil { forgotten.removeAll { $0 == name } }
    ending.removeAll { $0 == name }
  }

  /// Continues to evaluate the expectations of the session that ends first.
  ///
  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: its name, once all are evaluated. Its faults are to be removed next.
  mutating func end(_ world: World, _ work: inout Int) -> String? {
    guard let name = ending.first else { return nil }
    // Closed only a moment ago, so it is at the end.
    if let place = all.lastIndex(where: { $0.name == name }), !all[place].evaluate(world, &work) { return nil }
    return ending.removeFirst()
  }

  private mutating func forget(_ name: String) {
    forgotten.append(name)
    forgottenNames.insert(name)
    if forgotten.count > Self.mostForgotten { forgottenNames.remove(forgotten.removeFirst()) }
  }
}

import APNs
import Devices
import Timeline

/// Lasting effects of faults on one connection, the commands that they still send there, and its idle time.
///
/// The faults with a lasting effect are listed; the list determines the conditions of the connection. Whatever changes
/// the list answers with the commands that lead from the old conditions to the new ones, so that nothing is sent twice
/// and nothing is forgotten.
struct ConnectionFaultState: Sendable {
  /// A lasting effect, and its fault: one for each fault, however often it strikes.
  struct Lasting: Sendable {
    let fault: Fault
    let effect: any LastingConnectionFault
    /// Number of the delayed end of the effect, if it ends before the fault is deleted.
    var ending: UInt64?

    func isLike(_ other: Lasting) -> Bool { type(of: effect) == type(of: other.effect) }
  }

  /// Time without a push; kept only while a fault waits for idle connections.
  struct IdleTime: Sendable {
    /// The last push, or the opening of the connection, or the setting of the first such fault.
    var since: Instant
    /// Serial numbers of the faults that have struck in this idle time.
    var struck: Set<UInt64> = []
    /// Time of the next check.
    var nextCheck: Instant?
  }

  /// In the order in which they struck: of two effects of one kind, the later one counts.
  private(set) var lasting: [Lasting] = []
  private(set) var conditions = ConnectionConditions()
  var delayed = DelayedCommands()
  var idle: IdleTime?

  /// A fault has struck.
  ///
  /// - Returns: the commands for the wire, and true if the effect has begun and was not in force by this fault before.
  mutating func begin(
    _ effect: any LastingConnectionFault, of fault: Fault
  ) -> (commands: [WireCommand], isNew: Bool) {
    let known = lasting.firstIndex { $0.fault.name == fault.name }
    let before = known.map { lasting[$0] }
    let isNew = before.map { ConnectionFault($0.effect) != ConnectionFault(effect) } ?? true
    if !isNew, known == lasting.count - 1 { return ([], false) }
    if let known { lasting.remove(at: known) }
    lasting.append(Lasting(fault: fault, effect: effect, ending: isNew ? nil : before?.ending))
    return (settle(), isNew)
  }

  /// The end of a fault's new effect is scheduled.
  mutating func schedule(ending number: UInt64, of fault: Fault) {
    guard let place = lasting.firstIndex(where: { $0.fault.name == fault.name }) else { return }
    lasting[place].ending = number
  }

  /// The scheduled end of an effect has come. What the effect becomes then lasts, unless another fault has one of its
  /// kind.
  mutating func end(_ number: UInt64) -> [WireCommand] {
    guard let place = lasting.firstIndex(where: { $0.ending == number }) else { return [] }
    let ended = lasting.remove(at: place)
    if !lasting.contains(where: { $0.isLike(ended) }), let next = ended.effect.sequel?.effect {
      lasting.append(Lasting(fault: ended.fault, effect: next))
    }
    return settle()
  }

  /// A fault is deleted or over.
  ///
  /// - Returns: the commands for the wire, and the number of delayed commands that were dropped.
  mutating func revert(_ fault: String) -> (commands: [WireCommand], dropped: Int) {
    guard let place = lasting.firstIndex(where: { $0.fault.name == fault }) else { return ([], 0) }
    let ended = lasting.remove(at: place)
    let dropped = ended.ending.flatMap { delayed.take($0) } == nil ? 0 : 1
    return (settle(), dropped)
  }

  /// All faults are deleted.
  mutating func revertAll() -> (commands: [WireCommand], dropped: Int) {
    let endings = lasting.compactMap(\.ending)
    lasting = []
    return (settle(), endings.count { delayed.take($0) != nil })
  }

  /// Computes the conditions anew.
  ///
  /// - Returns: the commands that lead to them.
  private mutating func settle() -> [WireCommand] {
    let before = conditions
    conditions = ConnectionConditions()
    for lasting in lasting { lasting.effect.apply(to: &conditions, by: lasting.fault) }
    return conditions.commands(since: before)
  }
}

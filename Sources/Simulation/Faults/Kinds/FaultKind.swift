import Grammar
import Timeline
import WireFormats

/// A kind of fault. One file has everything about it: its word in `then`, its further members, how it is read and
/// written, what it does, and what is reverted when the fault is deleted.
package protocol FaultKind: Hashable, Sendable {
  /// The word of the kind in `then`.
  static var word: String { get }
  /// The valid values of the word.
  static var type: ValueType { get }
  /// Further members of `then`. A member of several kinds has the same type in all of them.
  static var details: [FaultMember] { get }

  init(_ fields: Fields) throws(InputProblem)
  /// Writes the form that `init` reads.
  func put(into object: inout ObjectWriter)
  var consequence: Fault.Consequence { get }
}

extension FaultKind {
  static var type: ValueType { .isTrue }
  package static var details: [FaultMember] { [] }
  package var word: String { Self.word }
}

/// A kind of fault that strikes a push which APNs would have accepted, a broadcast, or a request about channels.
package protocol PushFaultKind: FaultKind {
  /// True if the effect depends on the push alone: neither on its stream nor on other pushes.
  var isOfOnePush: Bool { get }
  /// The reason why the kind cannot strike requests about channels other than broadcasts; nil if it can.
  var publishingOnlyReason: String? { get }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect
}

extension PushFaultKind {
  var isOfOnePush: Bool { false }
  var publishingOnlyReason: String? { nil }
  var consequence: Fault.Consequence { .push(PushFault(self)) }
}

/// A kind of fault that strikes the connection on which a push arrives, or one that was just opened or is idle.
protocol ConnectionFaultKind: FaultKind {
  /// - Parameter stream: number of the current push's stream; 0 if the strike was not triggered by a push.
  func strike(stream: Int32) -> ConnectionStrike
}

extension ConnectionFaultKind {
  var consequence: Fault.Consequence { .connection(ConnectionFault(self)) }
}

/// A kind of fault of connections whose effect lasts until the fault is deleted or is over.
protocol LastingConnectionFault: ConnectionFaultKind {
  /// The effect that follows after a while, unless another fault has one of its kind by then; nil if the effect lasts.
  var sequel: (after: Duration, effect: Self)? { get }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault)
}

extension LastingConnectionFault {
  var sequel: (after: Duration, effect: Self)? { nil }

  func strike(stream: Int32) -> ConnectionStrike { ConnectionStrike(lasting: self) }
}

/// A fault of one push.
package struct PushFault: Hashable, Sendable {
  package let kind: any PushFaultKind

  init(_ kind: any PushFaultKind) { self.kind = kind }

  package static func == (one: PushFault, two: PushFault) -> Bool { AnyHashable(one.kind) == AnyHashable(two.kind) }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(kind)) }
}

/// A fault of a connection.
package struct ConnectionFault: Hashable, Sendable {
  let kind: any ConnectionFaultKind

  init(_ kind: any ConnectionFaultKind) { self.kind = kind }

  package static func == (one: ConnectionFault, two: ConnectionFault) -> Bool {
    AnyHashable(one.kind) == AnyHashable(two.kind)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(kind)) }
}

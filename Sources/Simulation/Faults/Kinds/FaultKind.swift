import Grammar
import Timeline
import WireFormats

/// A kind of fault. One file has everything about it: the members of `then` with their sentences for documents, how
/// they are read and written, what it does, and what is reverted when the fault is deleted.
package protocol FaultKind: Hashable, Sendable {
  /// The members of `then`: first the word of the kind, then details. A detail of several kinds has one type.
  static var shape: Shape<Self> { get }

  /// A value before it is read.
  init()
  var consequence: Fault.Consequence { get }
}

extension FaultKind {
  package static var word: String { shape.keys[0] }
  package var word: String { Self.word }
  package static var keys: [String] { shape.keys }
  /// The types of the members.
  package static var types: [(name: String, type: ValueType)] { shape.type.members }
  package static var schema: Schema { shape.schema.with(["title": .string(word)]) }

  package static func read(_ fields: Fields) throws(InputProblem) -> Fault.Consequence {
    var kind = Self()
    try shape.read(fields, into: &kind)
    return kind.consequence
  }

  /// The form that `read` reads.
  var json: JSONValue { Self.shape.json(self) }
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

/// A lasting effect that may give way to another one of its kind after a while.
protocol TemporaryConnectionFault: LastingConnectionFault {
  /// The value after a while, and how long after.
  var back: Int? { get set }
  var after: Duration { get set }
}

extension Shape.Member where Row: TemporaryConnectionFault {
  static var back: Self {
    .key("back", as: .whole(WindowFault.sizes), "The value to which it changes back after a while.") {
      (fields, fault) throws(InputProblem) in
      guard let back = try fields.back() else { return }
      (fault.back, fault.after) = back
    } write: {
      $0.back.map { JSONValue($0) }
    }
  }

  static var after: Self {
    .key("after", as: .duration, "How long after. Default: 1s.") {
      $0.back == nil ? Optional.none : FieldForm<Duration>.duration.write($0.after)
    }
  }
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

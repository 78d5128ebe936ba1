import APNs
import Devices
import Timeline

/// The effects of faults on connections.
extension FaultRegistry {
  /// What happens to the push that triggered the connection fault.
  enum PushThere {
    /// Delivered and answered.
    case served
    /// Neither delivered nor answered.
    case lost(SentAnswer.Cause)
    case refused(RejectionReason)
  }

  /// The effect of a fault on a connection.
  struct ConnectionStrike {
    var push = PushThere.served
    /// Sent to the wire at once, in this order.
    var orders: [WireCommand] = []
    /// Sent to the wire after a delay, and the effect that it ends.
    var later: (order: WireCommand, after: Duration, ends: Mark?)?
  }

  /// Carries out a fault on a connection, except for what the wire does.
  ///
  /// - Parameter stream: number of the current push's stream; 0 if the strike was not triggered by a push.
  mutating func strike(
    _ connection: ProviderConnectionID, with consequence: ConnectionFault, of fault: Fault, stream: Int32
  ) -> ConnectionStrike {
    switch consequence {
    case .goAway(let goAway): return send(goAway, of: fault, to: connection, stream: stream)
    case .streams(let count, let open, let excessStreams, let back, let after):
      return put(
        .streams(count, open: open, excessStreams: excessStreams), on: connection, by: fault,
        back: back.map { (.streams($0, open: .finish, excessStreams: nil), after) })
    case .window(let bytes, let withheld, let back, let after):
      return put(
        .window(bytes, withheld: withheld), on: connection, by: fault,
        back: back.map { (.window($0, withheld: false), after) })
    case .freeze(let answersPings):
      var strike = put(.freeze(answersPings: answersPings), on: connection, by: fault)
      strike.push = .lost(.connectionFrozen)
      return strike
    case .close: return ConnectionStrike(orders: [.close])
    case .halfClose(let saysGoodbye): return ConnectionStrike(orders: [.halfClose(saysGoodbye: saysGoodbye)])
    case .abort: return ConnectionStrike(push: .lost(.connectionAborted), orders: [.abort])
    case .sticks(let reason):
      if mark(connection, Mark(fault: fault.name, effect: .sick)).isNew {
        sticky[connection.number, default: []].append(
          Sticky(
            reason: reason, fault: fault.name, label: fault.label, scope: fault.condition.scope.map { Matcher($0) }))
      }
      return ConnectionStrike(push: .refused(reason))
    case .readsSlowly(let rate): return put(.readSlowly(bytesPerSecond: rate), on: connection, by: fault)
    case .skew(let skew):
      skews[connection.number] = skew
      mark(connection, Mark(fault: fault.name, effect: .skewed(skew)))
      return ConnectionStrike()
    }
  }

  /// Puts a lasting effect on a connection. Nothing is sent if it is in force already.
  private mutating func put(
    _ order: WireCommand, on connection: ProviderConnectionID, by fault: Fault,
    back: (order: WireCommand, after: Duration)? = nil
  ) -> ConnectionStrike {
    let lasting = Mark(fault: fault.name, effect: .wire(order), isTimed: back != nil)
    let (isNew, changes) = mark(connection, lasting)
    return ConnectionStrike(
      orders: changes ? [order] : [], later: isNew ? back.map { ($0.order, $0.after, lasting) } : nil)
  }

  private mutating func send(
    _ goAway: FaultGoAway, of fault: Fault, to connection: ProviderConnectionID, stream: Int32
  ) -> ConnectionStrike {
    let last = goAway.lastStream(before: stream)
    func order(closes: Bool) -> WireCommand {
      .goAway(lastStream: last, code: goAway.code, debug: goAway.debug, closes: closes)
    }
    var strike = ConnectionStrike(orders: [order(closes: goAway.closes && !goAway.isTwice && !goAway.isLast)])
    leaving[connection.number] = last
    if goAway.isTwice { strike.later = (order(closes: goAway.closes), .seconds(1), nil) }
    if goAway.isLast {
      strike.orders += put(.freeze(answersPings: goAway.answersPings), on: connection, by: fault).orders
      strike.push = .lost(.connectionFrozen)
    }
    // Streams above the last stream are not processed.
    if last < stream { strike.push = .lost(.goAway) }
    return strike
  }

  /// Drops the effects of a fault on connections, and the delayed commands that would have ended them.
  ///
  /// - Returns: the wire commands that revert them, in the order of the connections, and how many delayed commands were
  ///   dropped.
  mutating func cure(_ name: String) -> (orders: [(connection: ProviderConnectionID, order: WireCommand)], dropped: Int)
  {
    var orders: [(connection: ProviderConnectionID, order: WireCommand)] = []
    var dropped = 0
    for (number, list) in marks.sorted(by: { $0.key < $1.key }) {
      guard let mark = list.first(where: { $0.fault == name }) else { continue }
      let connection = ProviderConnectionID(number)
      let left = list.filter { $0.fault != name }
      marks[number] = left.isEmpty ? nil : left
      if mark.isTimed, held.drop(ending: mark, on: connection) { dropped += 1 }
      let other = left.last { $0.effect.isLike(mark.effect) }?.effect
      switch (mark.effect, other) {
      case (.sick, _):
        let left = sticky[number]?.filter { $0.fault != name } ?? []
        sticky[number] = left.isEmpty ? nil : left
      case (.skewed, .skewed(let skew)?): skews[number] = skew
      case (.skewed, _): skews[number] = nil
      case (.wire(let order), _):
        let last = list.last { $0.effect.isLike(mark.effect) }?.effect
        let next: WireCommand? = if case .wire(let order)? = other { order } else { order.reverted }
        if let next, last != .wire(next) { orders.append((connection, next)) }
      }
    }
    return (orders, dropped)
  }
}

extension WireCommand {
  /// The command that ends its lasting effect; nil if it has none.
  fileprivate var reverted: WireCommand? {
    switch self {
    case .freeze: .thaw
    case .readSlowly: .readSlowly(bytesPerSecond: nil)
    case .streams: .streamsAsBefore
    // The initial value of HTTP/2 (RFC 9113 section 6.9.2), which this server uses.
    case .window: .window(65_535, withheld: false)
    case .respond, .respondInPieces, .reset, .goAway, .streamsAsBefore, .thaw, .close, .halfClose, .abort: nil
    }
  }
}

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
    /// Sent to the wire after a delay.
    var later: (order: WireCommand, after: Duration)?
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
      let order = WireCommand.streams(count, open: open, excessStreams: excessStreams)
      guard let back else { return mark(connection, .narrowed, by: fault, order) }
      return ConnectionStrike(orders: [order], later: (.streams(back, open: .finish, excessStreams: nil), after))
    case .window(let bytes, let withheld, let back, let after):
      let order = WireCommand.window(bytes, withheld: withheld)
      guard let back else { return mark(connection, .squeezed, by: fault, order) }
      return ConnectionStrike(orders: [order], later: (.window(back, withheld: false), after))
    case .freeze(let answersPings):
      var strike = mark(connection, .frozen, by: fault, .freeze(answersPings: answersPings))
      strike.push = .lost(.connectionFrozen)
      return strike
    case .close: return ConnectionStrike(orders: [.close])
    case .halfClose(let saysGoodbye): return ConnectionStrike(orders: [.halfClose(saysGoodbye: saysGoodbye)])
    case .abort: return ConnectionStrike(push: .lost(.connectionAborted), orders: [.abort])
    case .sticks(let reason):
      sticky[connection.number, default: []].append(
        Sticky(reason: reason, fault: fault.name, label: fault.label, scope: fault.condition.scope.map { Matcher($0) }))
      mark(connection, .sick, by: fault.name)
      return ConnectionStrike(push: .refused(reason))
    case .readsSlowly(let rate):
      return mark(connection, .slow, by: fault, .readSlowly(bytesPerSecond: rate))
    case .skew(let skew):
      skews[connection.number] = skew
      mark(connection, .skewed, by: fault.name)
      return ConnectionStrike()
    }
  }

  /// Marks a connection as affected until the fault is removed.
  private mutating func mark(
    _ connection: ProviderConnectionID, _ kind: Mark.Kind, by fault: Fault, _ order: WireCommand
  ) -> ConnectionStrike {
    mark(connection, kind, by: fault.name)
    return ConnectionStrike(orders: [order])
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
    if goAway.isTwice { strike.later = (order(closes: goAway.closes), .seconds(1)) }
    if goAway.isLast {
      strike.orders.append(.freeze(answersPings: goAway.answersPings))
      mark(connection, .frozen, by: fault.name)
      strike.push = .lost(.connectionFrozen)
    }
    // Streams above the last stream are not processed.
    if last < stream { strike.push = .lost(.goAway) }
    return strike
  }

  /// Drops the effects of a fault on connections.
  ///
  /// - Returns: the wire commands that revert them, in the order of the connections.
  mutating func cure(_ name: String) -> [(connection: ProviderConnectionID, order: WireCommand)] {
    var orders: [(connection: ProviderConnectionID, order: WireCommand)] = []
    for (connection, kind) in takeMarks(of: name) {
      switch kind {
      case .frozen: orders.append((connection, .thaw))
      case .slow: orders.append((connection, .readSlowly(bytesPerSecond: nil)))
      case .narrowed: orders.append((connection, .streamsAsBefore))
      // The initial value of HTTP/2 (RFC 9113 section 6.9.2), which this server uses.
      case .squeezed: orders.append((connection, .window(65_535, withheld: false)))
      case .sick:
        let left = sticky[connection.number]?.filter { $0.fault != name } ?? []
        sticky[connection.number] = left.isEmpty ? nil : left
      case .skewed: skews[connection.number] = nil
      }
    }
    return orders
  }
}

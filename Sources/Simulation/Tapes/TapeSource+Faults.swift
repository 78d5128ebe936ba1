import APNs
import Devices
import Timeline

/// Reads what `TapeBytes` writes of faults.
extension TapeSource {
  mutating func fault() throws(TapeFlaw) -> Fault {
    let name = try text()
    guard !name.isEmpty else { throw .senseless("a fault without a name") }
    let session = try optionalText()
    let condition = try condition()
    let odds = try odds()
    let limit = try optional { source throws(TapeFlaw) in UInt64(try source.integer("a limit", in: 0...Int.max)) }
    let (from, until) = (try optionalInstant(), try optionalInstant())
    let order = try optional { source throws(TapeFlaw) in try source.json() }
    var fault = Fault(name, try consequence())
    fault.session = session
    fault.condition = condition
    fault.odds = odds
    fault.limit = limit
    fault.from = from
    fault.until = until
    fault.order = order
    return fault
  }

  private mutating func scope() throws(TapeFlaw) -> SessionScope {
    var scope = SessionScope()
    scope.keys = try optional { source throws(TapeFlaw) in
      var keys: [SessionScope.Key] = []
      for _ in 0..<(try source.count()) {
        keys.append(.init(id: try source.text(), number: try source.integer()))
      }
      return keys
    }
    scope.topics = try optional { source throws(TapeFlaw) in
      var topics: [SessionTopic] = []
      for _ in 0..<(try source.count()) {
        let text = try source.text()
        guard let topic = SessionTopic(text) else { throw .senseless("a topic \"\(text)\"") }
        topics.append(topic)
      }
      return topics
    }
    let devices = try optional { source throws(TapeFlaw) in try source.devices() }
    scope.devices = devices.map { Set($0) }
    return scope
  }

  private mutating func consequence() throws(TapeFlaw) -> Fault.Consequence {
    switch try byte() {
    case 0: return .push(try pushFault())
    case 1: return .connection(try connectionFault())
    case 2: return .devices(try action(), heal: try optional { source throws(TapeFlaw) in try source.action() })
    case 3: return .listener(try listenerFault())
    case 4:
      return .prompts(
        PromptFault(
          answer: try optional { source throws(TapeFlaw) in try source.word() },
          after: try optional { source throws(TapeFlaw) in try source.duration() }))
    case 5: return .reports(try reportFault())
    case let kind: throw .senseless("a fault of kind \(kind)")
    }
  }

  private mutating func delay() throws(TapeFlaw) -> AnswerDelay {
    switch try byte() {
    case 0: return try evenDelay()
    case 1: return .lognormal(median: try duration(), p99: try duration())
    case let kind: throw .senseless("a delay of kind \(kind)")
    }
  }

  private mutating func evenDelay() throws(TapeFlaw) -> AnswerDelay {
    let (low, high) = (try duration(), try duration())
    guard low <= high else { throw .senseless("a delay that ends before it begins") }
    return .between(low...high)
  }

  private mutating func pieces() throws(TapeFlaw) -> FaultPieces {
    var sizes: [Int] = []
    for _ in 0..<(try count()) { sizes.append(try integer("a piece", in: FaultPieces.lengths)) }
    guard FaultPieces.counts.contains(sizes.count) else { throw .senseless("a body in \(sizes.count) pieces") }
    return FaultPieces(
      sizes: sizes, end: try word(), pause: try optional { source throws(TapeFlaw) in try source.duration() })
  }

  private mutating func reportFault() throws(TapeFlaw) -> ReportFault {
    switch try byte() {
    case 0: return .lose
    case 1: return .loseAnswer
    case 2: return .double
    case 3: return .overtake
    case 4: return .fail
    case 5: return .delay(try delay())
    case 6: return .clock(try shift())
    case let kind: throw .senseless("a fault of reports of kind \(kind)")
    }
  }

  private mutating func condition() throws(TapeFlaw) -> FaultCondition {
    var condition = FaultCondition()
    condition.environment = try optional { source throws(TapeFlaw) in try source.word() }
    condition.app = try optionalText()
    condition.pushType = try optional { source throws(TapeFlaw) in try source.word() }
    let priority: Int? = try optional { source throws(TapeFlaw) in try source.integer() }
    if let priority {
      guard let known = Priority(rawValue: priority) else { throw .senseless("a priority of \(priority)") }
      condition.priority = known
    }
    condition.tokenKind = try optional { source throws(TapeFlaw) in try source.tokenKind() }
    condition.event = try optionalText()
    let devices = try optional { source throws(TapeFlaw) in try source.devices() }
    condition.devices = devices.map { Set($0) }
    condition.os = try optional { source throws(TapeFlaw) in try source.integer("a version of iOS", in: 0...Int.max) }
    condition.share = try odds()
    condition.connection = try optional { source throws(TapeFlaw) in try source.number() }
    condition.scope = try optional { source throws(TapeFlaw) in try source.scope() }
    condition.skip = UInt64(try integer("a skip", in: 0...Int.max))
    condition.every = UInt64(try integer("an every", in: 1...Int.max))
    condition.isOpening = try truth()
    condition.idle = try optional { source throws(TapeFlaw) in try source.duration() }
    return condition
  }

  private mutating func pushFault() throws(TapeFlaw) -> PushFault {
    switch try byte() {
    case 0:
      return .refuse(
        try word(),
        retryAfter: try optional { source throws(TapeFlaw) in try source.integer("a retryAfter", in: 0...Int.max) },
        age: try optional { source throws(TapeFlaw) in try source.duration() },
        pieces: try optional { source throws(TapeFlaw) in try source.pieces() })
    case 1: return .delay(try evenDelay())
    case 2: return .delay(.lognormal(median: try duration(), p99: try duration()))
    case 3: return .silence
    case 4: return .lose
    case 5: return .loseAnswer(code: try optional { source throws(TapeFlaw) in try source.integer() })
    case 6: return .reset(code: try integer())
    case 7:
      return .malformed(
        status: try integer("a status", in: PushFault.statuses), body: Array(try list()),
        pieces: try optional { source throws(TapeFlaw) in try source.pieces() })
    case 8: return .withoutID
    case let kind: throw .senseless("a fault of pushes of kind \(kind)")
    }
  }

  private mutating func streams(open: ConnectionFault.OpenStreams) throws(TapeFlaw) -> ConnectionFault {
    let count = try integer("a number of streams", in: ConnectionFault.streamCounts)
    let surplus = try optional { source throws(TapeFlaw) in
      SurplusGoAway(code: try source.integer(), debug: Array(try source.list()))
    }
    return .streams(count, open: open, surplus: surplus, back: try back(), after: try duration())
  }

  private mutating func connectionFault() throws(TapeFlaw) -> ConnectionFault {
    switch try byte() {
    case 0:
      var order = FaultGoAway()
      order.before = try integer("a last stream", in: FaultGoAway.reach)
      order.code = try integer()
      order.debug = Array(try list())
      order.closes = try truth()
      order.isTwice = try truth()
      order.isLast = try truth()
      order.answersPings = try truth()
      return .goAway(order)
    case 1: return try streams(open: .refuse)
    case 2: return .freeze(answersPings: try truth())
    case 3: return .close
    case 4: return .abort
    case 5: return .sticks(try word())
    case 6: return .readsSlowly(bytesPerSecond: try integer("a rate", in: ConnectionFault.rates))
    case 7:
      return .window(
        try integer("a window", in: ConnectionFault.windows), withheld: try truth(), back: try back(),
        after: try duration())
    case 8: return .halfClose(saysGoodbye: try truth())
    case 9: return .skew(try shift())
    case 10: return try streams(open: .finish)
    case let kind: throw .senseless("a fault of connections of kind \(kind)")
    }
  }

  /// What a number goes back to.
  private mutating func back() throws(TapeFlaw) -> Int? {
    try optional { source throws(TapeFlaw) in
      try source.integer("a number to go back to", in: ConnectionFault.windows)
    }
  }

  private mutating func listenerFault() throws(TapeFlaw) -> ListenerFault {
    switch try byte() {
    case 0: return .refuse
    case 1: return .failHandshake
    case 2: return .slowHandshake(try duration())
    case 3: return .hang
    case 4: return .certificate(try word())
    case let kind: throw .senseless("a fault of listeners of kind \(kind)")
    }
  }
}

import APNs
import Devices
import Timeline

/// How a tape says what was to go wrong.
extension TapeBytes {
  mutating func put(_ fault: Fault) {
    put(fault.name)
    put(fault.session)
    put(fault.condition)
    put(fault.odds)
    put(fault.limit) { $0.put($1) }
    put(fault.from)
    put(fault.until)
    put(fault.order) { $0.put($1) }
    switch fault.consequence {
    case .push(let push):
      put(byte: 0)
      put(push)
    case .connection(let connection):
      put(byte: 1)
      put(connection)
    case .devices(let action, let heal):
      put(byte: 2)
      put(action)
      put(heal) { $0.put($1) }
    case .listener(let listener):
      put(byte: 3)
      put(listener)
    case .prompts(let prompts):
      put(byte: 4)
      put(prompts.answer?.rawValue)
      put(prompts.after) { $0.put($1) }
    case .reports(let reports):
      put(byte: 5)
      put(reports)
    }
  }

  private mutating func put(_ condition: FaultCondition) {
    put(condition.environment?.rawValue)
    put(condition.app)
    put(condition.pushType?.rawValue)
    put(condition.priority?.rawValue) { $0.put($1) }
    put(condition.tokenKind?.name)
    put(condition.event)
    // Sorted, for a set has no order of its own.
    put(condition.devices?.sorted()) { $0.put($1) }
    put(condition.os) { $0.put($1) }
    put(condition.share)
    put(condition.connection) { $0.put($1) }
    put(condition.scope) { $0.put($1) }
    put(condition.skip)
    put(condition.every)
    put(condition.isOpening)
    put(condition.idle) { $0.put($1) }
  }

  private mutating func put(_ delay: AnswerDelay) {
    switch delay {
    case .between(let range):
      put(byte: 0)
      put(range.lowerBound)
      put(range.upperBound)
    case .lognormal(let median, let p99):
      put(byte: 1)
      put(median)
      put(p99)
    }
  }

  private mutating func put(_ pieces: FaultPieces) {
    put(UInt64(pieces.sizes.count))
    for size in pieces.sizes { put(size) }
    put(pieces.end.rawValue)
    put(pieces.pause) { $0.put($1) }
  }

  private mutating func put(_ fault: ReportFault) {
    switch fault {
    case .lose: put(byte: 0)
    case .loseAnswer: put(byte: 1)
    case .double: put(byte: 2)
    case .overtake: put(byte: 3)
    case .fail: put(byte: 4)
    case .delay(let delay):
      put(byte: 5)
      put(delay)
    case .clock(let ahead):
      put(byte: 6)
      put(ahead)
    }
  }

  private mutating func put(_ scope: SessionScope) {
    put(scope.keys) { bytes, keys in
      bytes.put(UInt64(keys.count))
      for key in keys {
        bytes.put(key.id)
        bytes.put(key.number)
      }
    }
    put(scope.topics) { bytes, topics in
      bytes.put(UInt64(topics.count))
      for topic in topics { bytes.put(topic.text) }
    }
    put(scope.devices?.sorted()) { $0.put($1) }
  }

  private mutating func put(_ fault: PushFault) {
    switch fault {
    case .refuse(let reason, let retryAfter, let age, let pieces):
      put(byte: 0)
      put(reason.rawValue)
      put(retryAfter) { $0.put($1) }
      put(age) { $0.put($1) }
      put(pieces) { $0.put($1) }
    case .delay(.between(let range)):
      put(byte: 1)
      put(range.lowerBound)
      put(range.upperBound)
    case .delay(.lognormal(let median, let p99)):
      put(byte: 2)
      put(median)
      put(p99)
    case .silence: put(byte: 3)
    case .lose: put(byte: 4)
    case .loseAnswer(let code):
      put(byte: 5)
      put(code) { $0.put(UInt64($1)) }
    case .reset(let code):
      put(byte: 6)
      put(UInt64(code))
    case .malformed(let status, let body, let pieces):
      put(byte: 7)
      put(status)
      put(body)
      put(pieces) { $0.put($1) }
    case .withoutID: put(byte: 8)
    }
  }

  private mutating func put(_ fault: ConnectionFault) {
    switch fault {
    case .goAway(let order):
      put(byte: 0)
      put(order.before)
      put(UInt64(order.code))
      put(order.debug)
      put(order.closes)
      put(order.isTwice)
      put(order.isLast)
      put(order.answersPings)
    case .streams(let count, let open, let surplus, let back, let after):
      switch open {
      case .refuse: put(byte: 1)
      case .finish: put(byte: 10)
      }
      put(count)
      put(surplus) {
        $0.put(UInt64($1.code))
        $0.put($1.debug)
      }
      put(back) { $0.put($1) }
      put(after)
    case .freeze(let answersPings):
      put(byte: 2)
      put(answersPings)
    case .close: put(byte: 3)
    case .abort: put(byte: 4)
    case .sticks(let reason):
      put(byte: 5)
      put(reason.rawValue)
    case .readsSlowly(let rate):
      put(byte: 6)
      put(rate)
    case .window(let bytes, let withheld, let back, let after):
      put(byte: 7)
      put(bytes)
      put(withheld)
      put(back) { $0.put($1) }
      put(after)
    case .halfClose(let saysGoodbye):
      put(byte: 8)
      put(saysGoodbye)
    case .skew(let skew):
      put(byte: 9)
      put(skew)
    }
  }

  private mutating func put(_ fault: ListenerFault) {
    switch fault {
    case .refuse: put(byte: 0)
    case .failHandshake: put(byte: 1)
    case .slowHandshake(let wait):
      put(byte: 2)
      put(wait)
    case .hang: put(byte: 3)
    case .certificate(let kind):
      put(byte: 4)
      put(kind.rawValue)
    }
  }
}

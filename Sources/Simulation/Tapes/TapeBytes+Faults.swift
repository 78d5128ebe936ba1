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
    case .refuse(let reason, let retryAfter, let age):
      put(byte: 0)
      put(reason.rawValue)
      put(retryAfter) { $0.put($1) }
      put(age) { $0.put($1) }
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
    case .malformed(let status, let body):
      put(byte: 7)
      put(status)
      put(body)
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
    case .streams(let count, let back, let after):
      put(byte: 1)
      put(count)
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

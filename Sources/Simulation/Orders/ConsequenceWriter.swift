import APNs
import Devices
import Timeline
import WireFormats

/// Writes what goes wrong, in the form of `then` that `ConsequenceReader` reads.
package enum ConsequenceWriter {
  package static func json(_ consequence: Fault.Consequence) -> JSONValue {
    var object = ObjectWriter()
    switch consequence {
    case .push(let fault): put(fault, into: &object)
    case .connection(let fault): put(fault, into: &object)
    case .devices(let action, let heal):
      object.put("devices", ActionWriter.json(action))
      object.put("heal", heal.map(ActionWriter.json))
    case .prompts(let fault):
      var prompts = ObjectWriter()
      prompts.put("answer", fault.answer?.rawValue)
      prompts.put("after", fault.after)
      object.put("prompts", prompts.json)
    case .reports(let fault): object.put("reports", json(fault))
    case .listener(let fault): put(fault, into: &object)
    }
    return object.json
  }

  // MARK: - Pushes

  private static func put(_ fault: PushFault, into object: inout ObjectWriter) {
    switch fault {
    case .refuse(let reason, let retryAfter, let age, let pieces):
      object.put("answer", reason.rawValue)
      object.put("retryAfter", retryAfter)
      object.put("age", age)
      put(pieces, into: &object)
    case .delay(let delay): object.put("delay", json(delay))
    case .silence: object.put("silence", if: true)
    case .lose: object.put("lose", if: true)
    case .loseAnswer(let code): object.put("loseAnswer", code.map(name) ?? JSONValue.bool(true))
    case .reset(let code): object.put("reset", name(code))
    case .malformed(let status, let body, let pieces):
      object.put("malformed", String(decoding: body, as: UTF8.self))
      object.put("status", status)
      put(pieces, into: &object)
    case .withoutID: object.put("withoutId", if: true)
    }
  }

  private static func put(_ pieces: FaultBodySplit?, into object: inout ObjectWriter) {
    guard let pieces else { return }
    object.put("split", .array(pieces.sizes.map { .integer(Int64($0)) }))
    object.put("pause", pieces.pause)
    if pieces.end != .last { object.put("ends", pieces.end.rawValue) }
  }

  private static func json(_ delay: AnswerDelay) -> JSONValue {
    var object = ObjectWriter()
    switch delay {
    case .between(let range):
      if range.lowerBound == range.upperBound { return .string(ObjectWriter.text(range.lowerBound)) }
      object.put("from", range.lowerBound)
      object.put("to", range.upperBound)
    case .lognormal(let median, let p99):
      object.put("median", median)
      object.put("p99", p99)
    }
    return object.json
  }

  /// By name (RFC 9113, section 7).
  private static func name(_ code: UInt32) -> JSONValue {
    HTTP2ErrorName.all.indices.contains(Int(code)) ? .string(HTTP2ErrorName.all[Int(code)]) : .integer(Int64(code))
  }

  // MARK: - Connections

  private static func put(_ fault: ConnectionFault, into object: inout ObjectWriter) {
    switch fault {
    case .goAway(let order): put(order, into: &object)
    case .streams(let count, let open, let excessStreams, let back, let after):
      object.put("streams", count)
      if open == .finish { object.put("open", "finish") }
      if let excessStreams {
        object.put("surplus", name(excessStreams.code))
        put(debug: excessStreams.debug, into: &object)
      }
      put(back, after, into: &object)
    case .window(let bytes, let withheld, let back, let after):
      object.put("window", bytes)
      object.put("withheld", if: withheld)
      put(back, after, into: &object)
    case .freeze(let answersPings):
      object.put("freeze", if: true)
      object.put("pings", if: answersPings)
    case .close: object.put("close", if: true)
    case .halfClose(let saysGoodbye):
      object.put("halfClose", if: true)
      if !saysGoodbye { object.put("goodbye", JSONValue.bool(false)) }
    case .abort: object.put("abort", if: true)
    case .sticks(let reason): object.put("answerAll", reason.rawValue)
    case .readsSlowly(let rate): object.put("readSlowly", rate)
    case .skew(let offset): object.put("skew", offset)
    }
  }

  private static func put(_ order: FaultGoAway, into object: inout ObjectWriter) {
    object.put("goAway", name(order.code))
    put(debug: order.debug, into: &object)
    if order.closes == order.isLast { object.put("closes", JSONValue.bool(order.closes)) }
    if order.before != 0 { object.put("before", order.before) }
    object.put("twice", if: order.isTwice)
    object.put("last", if: order.isLast)
    object.put("pings", if: order.answersPings)
  }

  private static func put(debug: [UInt8], into object: inout ObjectWriter) {
    if !debug.isEmpty { object.put("debug", String(decoding: debug, as: UTF8.self)) }
  }

  private static func put(_ back: Int?, _ after: Duration, into object: inout ObjectWriter) {
    guard let back else { return }
    object.put("back", back)
    object.put("after", after)
  }

  // MARK: - Apps and listeners

  private static func json(_ fault: ReportFault) -> JSONValue {
    var object = ObjectWriter()
    switch fault {
    case .delay(let delay): object.put("delay", json(delay))
    case .clock(let ahead): object.put("clock", ahead)
    case .lose, .loseAnswer, .double, .overtake, .fail:
      return .string(ReportFault.simple.first { $0.value == fault }?.name ?? "")
    }
    return object.json
  }

  private static func put(_ fault: ListenerFault, into object: inout ObjectWriter) {
    switch fault {
    case .refuse: object.put("listener", "refuse")
    case .failHandshake: object.put("listener", "failHandshake")
    case .hang: object.put("listener", "hang")
    case .slowHandshake(let wait):
      object.put("listener", "slowHandshake")
      object.put("after", wait)
    case .certificate(let kind): object.put("listener", kind.rawValue)
    }
  }
}

import APNs
import Devices
import Timeline
import WireFormats

/// Writes what goes wrong, in the form of `then` that `ConsequenceReader` reads.
package enum ConsequenceWriter {
  package static func json(_ consequence: Fault.Consequence) -> JSONValue {
    var object = ObjectWriter()
    switch consequence {
    case .push(let fault): fault.put(into: &object)
    case .connection(let fault): fault.put(into: &object)
    case .devices(let action, let heal):
      object.put("devices", ActionWriter.json(action))
      object.put("heal", heal.map(ActionWriter.json))
    case .prompts(let fault):
      var prompts = ObjectWriter()
      prompts.put("answer", fault.answer?.rawValue)
      prompts.put("after", fault.after)
      object.put("prompts", prompts.json)
    case .reports(let fault): object.put("calls", json(fault))
    case .listener(let fault): put(fault, into: &object)
    }
    return object.json
  }

  static func json(_ delay: AnswerDelay) -> JSONValue {
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

  /// An error code of HTTP/2, by its name if it has one (RFC 9113, section 7).
  static func name(_ code: UInt32) -> JSONValue {
    HTTP2ErrorName.all.indices.contains(Int(code)) ? .string(HTTP2ErrorName.all[Int(code)]) : .integer(Int64(code))
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

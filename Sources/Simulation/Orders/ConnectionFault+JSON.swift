import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// The words of faults of connections, with their further keys; their types; reading and writing.
extension ConnectionFault {
  static let words: [(name: String, details: [String])] = [
    ("goAway", ["debug", "closes", "before", "twice", "last", "pings"]),
    ("streams", ["open", "surplus", "debug", "back", "after"]), ("window", ["withheld", "back", "after"]),
    ("freeze", ["pings"]), ("close", []), ("halfClose", ["goodbye"]), ("abort", []), ("answerAll", []),
    ("readSlowly", []), ("skew", []),
  ]

  static let types: [String: ValueType] = [
    "goAway": ConsequenceReader.codes, "streams": .whole(streamCounts), "window": .whole(windows), "freeze": .isTrue,
    "close": .isTrue, "halfClose": .isTrue, "abort": .isTrue, "answerAll": ConsequenceReader.reasons,
    "readSlowly": .whole(rates), "skew": .offset, "debug": .text(), "closes": .truth,
    "before": .whole(FaultGoAway.reach), "twice": .truth, "last": .truth, "pings": .truth,
    "open": .words(["refuse", "finish"]), "surplus": ConsequenceReader.codes, "back": .whole(windows),
    "after": .duration, "withheld": .truth, "goodbye": .truth,
  ]

  init(_ name: String, _ fields: Fields) throws(InputProblem) {
    switch name {
    case "goAway": self = .goAway(try Self.goAway(fields))
    case "streams":
      let back = try Self.back(fields)
      let open = try fields.choice("open", [("refuse", ConnectionFault.OpenStreams.refuse), ("finish", .finish)])
      self = .streams(
        try Self.number(fields, name, ConnectionFault.streamCounts), open: open ?? .refuse,
        excessStreams: try Self.excessStreams(fields),
        back: back,
        after: try Self.after(fields, back))
    case "window":
      let back = try Self.back(fields)
      self = .window(
        try Self.number(fields, name, ConnectionFault.windows), withheld: try fields.truth("withheld") ?? false,
        back: back,
        after: try Self.after(fields, back))
    case "freeze": self = .freeze(answersPings: try fields.truth("pings") ?? false)
    case "close": self = .close
    case "halfClose": self = .halfClose(saysGoodbye: try fields.truth("goodbye") ?? true)
    case "abort": self = .abort
    case "answerAll": self = .sticks(try fields.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) }))
    case "readSlowly": self = .readsSlowly(bytesPerSecond: try Self.number(fields, name, ConnectionFault.rates))
    default: self = .skew(try ConsequenceReader.offset(fields, "skew", of: "APNs"))
    }
  }

  private static func number(_ fields: Fields, _ name: String, _ range: ClosedRange<Int>) throws(InputProblem) -> Int {
    guard let number = fields.json(name)?.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw fields.problem(name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static func back(_ fields: Fields) throws(InputProblem) -> Int? {
    !fields.has("back") ? nil : try number(fields, "back", ConnectionFault.windows)
  }

  private static func after(_ fields: Fields, _ back: Int?) throws(InputProblem) -> Duration {
    guard let after = try fields.duration("after") else { return .seconds(1) }
    guard back != nil else {
      throw fields.problem("after", "after is the delay until the value changes back; it needs back, such as 1000.")
    }
    return after
  }

  private static func excessStreams(_ fields: Fields) throws(InputProblem) -> ExcessStreamGoAway? {
    guard fields.has("surplus") else {
      guard !fields.has("debug") else {
        throw fields.problem(
          "debug", "debug is the text of the GOAWAY for surplus streams; it needs surplus, such as REFUSED_STREAM.")
      }
      return nil
    }
    return ExcessStreamGoAway(
      code: try ConsequenceReader.code(fields, "surplus"), debug: Array((try fields.text("debug") ?? "").utf8))
  }

  private static func goAway(_ fields: Fields) throws(InputProblem) -> FaultGoAway {
    var goAway = FaultGoAway()
    goAway.code = try ConsequenceReader.code(fields, "goAway")
    goAway.debug = Array((try fields.text("debug") ?? "").utf8)
    goAway.isTwice = try fields.truth("twice") ?? false
    goAway.isLast = try fields.truth("last") ?? false
    goAway.closes = try fields.truth("closes") ?? !goAway.isLast
    goAway.answersPings = try fields.truth("pings") ?? false
    if goAway.isLast, goAway.closes || goAway.isTwice {
      throw fields.problem(
        "last", "last means that nothing follows this GOAWAY; it excludes a second one and the end of the connection.")
    }
    if fields.has("pings"), !goAway.isLast {
      throw fields.problem("pings", "pings is about the time after the last GOAWAY; it needs last.")
    }
    if let value = fields.json("before") {
      guard let number = value.integer.flatMap({ Int(exactly: $0) }), FaultGoAway.reach.contains(number) else {
        throw fields.problem(
          "before", "before must be 0 or more, the distance from this stream to the last one served; -1 serves none.")
      }
      goAway.before = number
    }
    return goAway
  }

  // MARK: - Writing

  /// Writes the form that `init` reads.
  func put(into object: inout ObjectWriter) {
    switch self {
    case .goAway(let order): Self.put(order, into: &object)
    case .streams(let count, let open, let excessStreams, let back, let after):
      object.put("streams", count)
      if open == .finish { object.put("open", "finish") }
      if let excessStreams {
        object.put("surplus", ConsequenceWriter.name(excessStreams.code))
        Self.put(debug: excessStreams.debug, into: &object)
      }
      Self.put(back, after, into: &object)
    case .window(let bytes, let withheld, let back, let after):
      object.put("window", bytes)
      object.put("withheld", if: withheld)
      Self.put(back, after, into: &object)
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
    object.put("goAway", ConsequenceWriter.name(order.code))
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
}

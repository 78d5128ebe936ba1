import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Reads the effects on a connection.
extension ConsequenceReader {
  static func connection(_ name: String, _ fields: Fields) throws(InputProblem) -> ConnectionFault {
    switch name {
    case "goAway": return .goAway(try goAway(fields))
    case "streams":
      let back = try back(fields)
      let open = try fields.choice("open", [("refuse", ConnectionFault.OpenStreams.refuse), ("finish", .finish)])
      return .streams(
        try number(fields, name, ConnectionFault.streamCounts), open: open ?? .refuse,
        excessStreams: try excessStreams(fields),
        back: back,
        after: try after(fields, back))
    case "window":
      let back = try back(fields)
      return .window(
        try number(fields, name, ConnectionFault.windows), withheld: try fields.truth("withheld") ?? false, back: back,
        after: try after(fields, back))
    case "freeze":
      try isSaid(fields, name)
      return .freeze(answersPings: try fields.truth("pings") ?? false)
    case "close":
      try isSaid(fields, name)
      return .close
    case "halfClose":
      try isSaid(fields, name)
      return .halfClose(saysGoodbye: try fields.truth("goodbye") ?? true)
    case "abort":
      try isSaid(fields, name)
      return .abort
    case "answerAll": return .sticks(try fields.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) }))
    case "readSlowly": return .readsSlowly(bytesPerSecond: try number(fields, name, ConnectionFault.rates))
    default: return .skew(try offset(fields, "skew", of: "APNs"))
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
    return ExcessStreamGoAway(code: try code(fields, "surplus"), debug: Array((try fields.text("debug") ?? "").utf8))
  }

  private static func goAway(_ fields: Fields) throws(InputProblem) -> FaultGoAway {
    var goAway = FaultGoAway()
    goAway.code = try code(fields, "goAway")
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

  /// A duration that may be negative: `-90m`.
  static func offset(_ fields: Fields, _ name: String, of what: String) throws(InputProblem) -> Duration {
    if let text = fields[name]?.spelling, let first = text.first, first == "-" || first == "+",
      let length = DurationText.parse(String(text.dropFirst()))
    {
      return first == "-" ? .zero - length : length
    }
    guard let offset = fields[name].flatMap(Fields.duration) else {
      throw fields.problem(name, "\(name) must be how far the clock of \(what) is ahead (90m) or behind (-90m).")
    }
    return offset
  }
}

import APNs
import Grammar
import Timeline
import WireFormats

struct GoAwayFault: ConnectionFaultKind {
  static let shape = Shape<Self>(members: [
    .needed("goAway", at: \.goAway.code, as: .errorCode, "Send GOAWAY with this error code."),
    .usual("debug", at: \.goAway.debug, as: .bytes, is: [], "Its text."),
    .key("closes", as: .truth, "End the connection when all open streams are answered. Default: true, unless `last`.") {
      (fields, fault) throws(InputProblem) in
      fault.goAway.sequel = try sequel(fields)
    } write: {
      switch $0.goAway.sequel {
      case .staying, .second(closes: false): false
      case .closing, .second(closes: true), .freezing: Optional.none
      }
    },
    .key(
      "before", as: .whole(FaultGoAway.reach),
      "How many streams before that of the push the last stream is that is served; -1 serves none. Default: 0."
    ) { (fields, fault) throws(InputProblem) in
      guard let value = fields.json("before") else { return }
      guard let number = value.integer.flatMap({ Int(exactly: $0) }), FaultGoAway.reach.contains(number) else {
        throw fields.problem(
          "before",
          "before must be 0 to \(FaultGoAway.reach.upperBound), the distance from this stream to the last one served;"
            + " -1 serves none.")
      }
      fault.goAway.before = number
    } write: {
      $0.goAway.before == 0 ? Optional.none : JSONValue($0.goAway.before)
    },
    .key("twice", as: .truth, "Send a second GOAWAY a second later.") {
      if case .second = $0.goAway.sequel { true } else { Optional.none }
    },
    .key("last", as: .truth, "Send nothing more: the connection freezes.") {
      if case .freezing = $0.goAway.sequel { true } else { Optional.none }
    },
    .key("pings", as: .truth, "Answer PINGs after the last GOAWAY.") {
      if case .freezing(answersPings: true) = $0.goAway.sequel { true } else { Optional.none }
    },
  ])

  var goAway = FaultGoAway()

  func strike(stream: Int32) -> ConnectionStrike {
    let last = goAway.lastStream(before: stream)
    func command(closes: Bool) -> WireCommand {
      .goAway(lastStream: last, code: goAway.code, debug: goAway.debug, closes: closes)
    }
    var strike = ConnectionStrike(commands: [command(closes: goAway.sequel == .closing)], lastStream: last)
    switch goAway.sequel {
    case .closing, .staying: break
    case .second(let closes): strike.later = (command(closes: closes), .seconds(1))
    case .freezing(let answersPings):
      strike.lasting = FreezeFault(answersPings: answersPings)
      strike.push = .lost(.connectionFrozen)
    }
    // Streams above the last stream are not processed.
    if last < stream { strike.push = .lost(.goAway) }
    return strike
  }

  private static func sequel(_ fields: Fields) throws(InputProblem) -> FaultGoAway.Sequel {
    let isTwice = try fields.truth("twice") ?? false
    let isLast = try fields.truth("last") ?? false
    let closes = try fields.truth("closes") ?? !isLast
    let answersPings = try fields.truth("pings") ?? false
    if isLast, closes || isTwice {
      throw fields.problem(
        "last", "last means that nothing follows this GOAWAY; it excludes a second one and the end of the connection.")
    }
    if fields.has("pings"), !isLast {
      throw fields.problem("pings", "pings is about the time after the last GOAWAY; it needs last.")
    }
    if isLast { return .freezing(answersPings: answersPings) }
    return isTwice ? .second(closes: closes) : closes ? .closing : .staying
  }
}

/// A GOAWAY ordered by a fault.
package struct FaultGoAway: Hashable, Sendable {
  /// Distance from the stream of the current push to the last one served, in client streams; -1 serves none.
  package var before = 0
  package var code: UInt32 = 0
  package var debug: [UInt8] = []
  package var sequel = Sequel.closing

  /// The life of the connection after the GOAWAY.
  package enum Sequel: Hashable, Sendable {
    /// The connection ends when all open streams are answered.
    case closing
    /// The connection goes on.
    case staying
    /// A second GOAWAY is sent a second later. `closes`: the connection ends after that one.
    case second(closes: Bool)
    /// The connection freezes. `answersPings`: PINGs are still answered.
    case freezing(answersPings: Bool)
  }

  /// Valid values of `before`.
  package static let reach = -1...1000

  package init() {}

  /// The last stream served if the GOAWAY is sent for a push on `stream`; 0 for none.
  func lastStream(before stream: Int32) -> Int32 {
    guard before >= 0 else { return 0 }
    // Clients use odd stream numbers. Clamped, so that the arithmetic cannot overflow.
    return Int32(clamping: max(0, Int64(stream) - 2 * Int64(Int32(clamping: before))))
  }
}

extension ConnectionFault {
  package static func goAway(_ goAway: FaultGoAway) -> ConnectionFault { ConnectionFault(GoAwayFault(goAway: goAway)) }
}

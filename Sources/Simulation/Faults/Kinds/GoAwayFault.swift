import APNs
import Grammar
import Timeline
import WireFormats

/// Sends GOAWAY.
struct GoAwayFault: ConnectionFaultKind {
  static let word = "goAway"
  static let type = ValueType.errorCodes
  static let details = [
    FaultMember.debug, FaultMember("closes", .truth), FaultMember("before", .whole(FaultGoAway.reach)),
    FaultMember("twice", .truth), FaultMember("last", .truth), .pings,
  ]

  var goAway: FaultGoAway

  func strike(stream: Int32) -> ConnectionStrike {
    let last = goAway.lastStream(before: stream)
    func command(closes: Bool) -> WireCommand {
      .goAway(lastStream: last, code: goAway.code, debug: goAway.debug, closes: closes)
    }
    var strike = ConnectionStrike(
      commands: [command(closes: goAway.closes && !goAway.isTwice && !goAway.isLast)], lastStream: last)
    if goAway.isTwice { strike.later = (command(closes: goAway.closes), .seconds(1)) }
    if goAway.isLast {
      strike.lasting = FreezeFault(answersPings: goAway.answersPings)
      strike.push = .lost(.connectionFrozen)
    }
    // Streams above the last stream are not processed.
    if last < stream { strike.push = .lost(.goAway) }
    return strike
  }
}

extension GoAwayFault {
  init(_ fields: Fields) throws(InputProblem) {
    goAway = FaultGoAway()
    goAway.code = try fields.errorCode(Self.word)
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
  }

  func put(into object: inout ObjectWriter) {
    object.put(errorCode: goAway.code, as: Self.word)
    object.put(debug: goAway.debug)
    if goAway.closes == goAway.isLast { object.put("closes", JSONValue.bool(goAway.closes)) }
    if goAway.before != 0 { object.put("before", goAway.before) }
    object.put("twice", if: goAway.isTwice)
    object.put("last", if: goAway.isLast)
    object.put("pings", if: goAway.answersPings)
  }
}

/// A GOAWAY ordered by a fault.
package struct FaultGoAway: Hashable, Sendable {
  /// Distance from the stream of the current push to the last one served, in client streams; -1 serves none.
  package var before = 0
  package var code: UInt32 = 0
  package var debug: [UInt8] = []
  package var closes = true
  /// A second GOAWAY is sent a second later.
  package var isTwice = false
  /// The connection freezes after it; `answersPings` says whether PINGs are still answered.
  package var isLast = false
  package var answersPings = false

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

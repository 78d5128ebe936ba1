import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads the records of a tape.
package struct TapeDecoder: Sendable {
  /// A parsed record.
  package enum Record: Sendable {
    case header(TapeHeader)
    case calls([TapeCall])
    /// The end of a complete tape, with the number of calls.
    case end(calls: UInt64)
  }

  private(set) var memory = TapeCompressionState()

  package init() {}

  package mutating func read(_ payload: [UInt8]) throws(TapeCorruption) -> Record {
    var source = TapeValueReader(payload[...])
    switch try source.byte() {
    case TapeEncoder.Kind.header:
      let header = try TapeHeader(Array(payload.dropFirst()))
      memory.reached = header.began
      return .header(header)
    case TapeEncoder.Kind.calls:
      var calls: [TapeCall] = []
      while !source.isAtEnd { calls.append(try call(&source)) }
      return .calls(calls)
    case TapeEncoder.Kind.end: return .end(calls: try source.number())
    case let kind: throw .invalid("a record of kind \(kind)")
    }
  }

  private mutating func call(_ source: inout TapeValueReader) throws(TapeCorruption) -> TapeCall {
    typealias Mark = TapeEncoder.Mark
    let mark = try source.byte()
    if mark & Mark.sameTime == 0 {
      let wall = try source.signed()
      let world = try source.signed()
      memory.now = Now(
        world: Instant(nanoseconds: memory.now.world.nanoseconds &+ world &+ wall),
        wall: Instant(nanoseconds: memory.now.wall.nanoseconds &+ wall))
      guard memory.now.world <= WorldClock.end else { throw .invalid("a time after the end of the world's clock") }
    }
    let call: WorldCall
    switch mark & Mark.form {
    case TapeEncoder.Form.request: call = try request(&source, sameConnection: mark & Mark.sameConnection != 0)
    case TapeEncoder.Form.json: call = try written(&source)
    case TapeEncoder.Form.closed:
      let id = ProviderConnectionID(try source.number())
      memory.forget(id.number)
      call = .closed(id)
    case TapeEncoder.Form.stepped:
      guard let entries = Int32(exactly: try source.number()) else { throw .invalid("a step that is too long") }
      call = .stepped(Int(entries))
    case TapeEncoder.Form.waved: call = .waved
    case let form: throw .invalid("a call of an unknown form \(form)")
    }
    try checkTime(of: call)
    let outcome = try outcome(&source, sameAsLast: mark & Mark.sameOutcome != 0)
    return TapeCall(call: call, now: memory.now, outcome: outcome, isSettled: mark & Mark.settled != 0)
  }

  /// Time never goes back, except where a new world begins, which may be at any time.
  private mutating func checkTime(of call: WorldCall) throws(TapeCorruption) {
    var beginsAnew = false
    if case .performed(.beginAnew) = call { beginsAnew = true }
    guard beginsAnew || memory.now.world >= memory.reached else {
      throw .invalid("a time before that of an earlier call")
    }
    memory.reached = memory.now.world
  }

  private func written(_ source: inout TapeValueReader) throws(TapeCorruption) -> WorldCall {
    let bytes = Array(try source.list())
    let json: JSONValue
    do throws(JSONProblem) {
      json = try JSONValue.parse(bytes)
    } catch {
      throw .invalid("a call that is not JSON (\(error.description))")
    }
    do throws(InputProblem) {
      return try CallText.read(json)
    } catch {
      throw .invalid("an invalid call (\(error.sentence))")
    }
  }

  private mutating func request(_ source: inout TapeValueReader, sameConnection: Bool) throws(TapeCorruption)
    -> WorldCall
  {
    let connection = sameConnection ? memory.connection : try source.number()
    let before = memory.talk(on: connection)
    let (step, overflow) = try source.signed().addingReportingOverflow(Int64(before.stream) + 2)
    guard !overflow, let stream = Int32(exactly: step) else { throw .invalid("a stream out of range") }
    let request = try RequestDecoder.request(from: &source, after: before.request, &memory)
    memory.remember(request, on: connection, stream: stream)
    return .received(request, StreamID(ProviderConnectionID(connection), stream))
  }

  private mutating func outcome(_ source: inout TapeValueReader, sameAsLast: Bool) throws(TapeCorruption) -> TapeOutcome
  {
    if sameAsLast {
      guard let word = memory.lastWord else { throw .invalid("the outcome of a call before the first") }
      return TapeOutcome(count: 1, words: [word], digest: try source.word())
    }
    let count = try source.number()
    var words: [String] = []
    for _ in 0..<min(count, UInt64(TapeEncoder.mostWords)) { words.append(try word(&source)) }
    if count == 1 { memory.lastWord = words.first }
    return TapeOutcome(count: count, words: words, digest: count == 0 ? nil : try source.word())
  }

  private mutating func word(_ source: inout TapeValueReader) throws(TapeCorruption) -> String {
    let place = try source.number()
    if place == 0 {
      let word = try source.text()
      memory.learn(word)
      return word
    }
    guard place <= UInt64(memory.words.count) else { throw .invalid("a reference to an undefined name") }
    return memory.words[Int(place - 1)]
  }
}

/// A call on a tape, and its outcome.
package struct TapeCall: Hashable, Sendable {
  package let call: WorldCall
  package let now: Now
  package let outcome: TapeOutcome
  /// True if the events up to this call were passed to the readers together.
  package let isSettled: Bool

  package init(call: WorldCall, now: Now, outcome: TapeOutcome, isSettled: Bool) {
    self.call = call
    self.now = now
    self.outcome = outcome
    self.isSettled = isSettled
  }
}

/// The outcome of a call: the number of events, the labels of the first ones, and a checksum of all.
package struct TapeOutcome: Hashable, Sendable {
  package let count: UInt64
  package let words: [String]
  package let digest: UInt32?

  package init(count: UInt64, words: [String], digest: UInt32?) {
    self.count = count
    self.words = words
    self.digest = digest
  }

  /// The outcome of a call that caused these events.
  package init(_ events: ArraySlice<WorldEvent>) {
    var digest = EventDigest()
    var word = EventLabel()
    for event in events { digest.combine(event) }
    self.init(
      count: UInt64(events.count), words: events.prefix(TapeEncoder.mostWords).map { word.of($0) },
      digest: events.isEmpty ? nil : digest.value)
  }

  package var sentence: String {
    guard count > 0 else { return "nothing" }
    let more = count > UInt64(words.count) ? ", and \(count - UInt64(words.count)) more" : ""
    return words.joined(separator: "; ") + more
  }
}

import Simulation
import Timeline
import WireFormats

/// Writes the calls and events of a simulator as a tape.
package struct TapeEncoder: Sendable {
  /// The kinds of record.
  enum Kind {
    static let header: UInt8 = 1
    static let calls: UInt8 = 2
    static let end: UInt8 = 3
  }

  /// The forms of a call: a number in its first byte.
  enum Form {
    static let request: UInt8 = 0
    static let json: UInt8 = 1
    static let closed: UInt8 = 2
    static let stepped: UInt8 = 3
    static let waved: UInt8 = 4
  }

  /// Bits of a call's first byte.
  enum Mark {
    static let form: UInt8 = 0x07
    static let sameTime: UInt8 = 0x08
    static let sameOutcome: UInt8 = 0x10
    static let sameConnection: UInt8 = 0x20
    /// The events of the calls up to this one were passed to the readers together.
    static let settled: UInt8 = 0x40
  }

  /// Maximum number of event labels written per call.
  static let mostWords = 16
  /// Size in bytes after which a record is ended.
  private static let usual = 1 << 20

  private var memory = TapeCompressionState()
  private var requests = RequestEncoder()
  private var wordPlaces: [String: Int] = [:]
  private var pushWord = EventLabel()
  private var record = TapeValueWriter()
  private var callsInRecord: UInt64 = 0
  private var body = TapeValueWriter()
  package private(set) var calls: UInt64 = 0
  package private(set) var records: UInt64 = 0

  package init() {}

  /// Continues a tape after the records that a decoder has read.
  package init(after decoder: TapeDecoder, calls: UInt64) {
    memory = decoder.memory
    for (place, word) in memory.words.enumerated() where wordPlaces[word] == nil { wordPlaces[word] = place }
    self.calls = calls
  }

  /// The first line and the header.
  package mutating func begin(_ header: TapeHeader) throws(TapeProblem) -> [UInt8] {
    var bytes = Array(TapeFrames.opening.utf8)
    record.removeAll()
    record.put(byte: Kind.header)
    record.put(raw: Array(header.json.text.utf8))
    try close(into: &bytes)
    return bytes
  }

  /// Appends a batch to the bytes of a tape.
  package mutating func add(_ batch: TapeBatch, to bytes: inout [UInt8]) throws(TapeProblem) {
    startRecord()
    for index in batch.calls.indices {
      if record.count > Self.usual {
        try close(into: &bytes)
        startRecord()
      }
      add(batch, index)
      calls += 1
    }
    try close(into: &bytes)
  }

  /// Appends the record that marks a complete tape.
  package mutating func end(into bytes: inout [UInt8]) throws(TapeProblem) {
    record.removeAll()
    record.put(byte: Kind.end)
    record.put(calls)
    try close(into: &bytes)
  }

  private mutating func startRecord() {
    record.removeAll()
    record.put(byte: Kind.calls)
  }

  private mutating func close(into bytes: inout [UInt8]) throws(TapeProblem) {
    guard record.count <= TapeFrames.longest else { throw .tooLong(record.count) }
    TapeFrames.append(record.bytes, to: &bytes)
    records += 1
  }

  // MARK: - Calls

  private mutating func add(_ batch: TapeBatch, _ index: Int) {
    let call = batch.calls[index]
    var mark: UInt8 = index == batch.calls.count - 1 ? Mark.settled : 0
    body.removeAll()
    if call.now == memory.now {
      mark |= Mark.sameTime
    } else {
      put(call.now)
    }
    switch call.call {
    case .received(let request, let stream):
      let connection = stream.connection.number
      if connection == memory.connection {
        mark |= Mark.sameConnection
      } else {
        body.put(connection)
      }
      let before = memory.talk(on: connection)
      // A client uses every second stream number.
      body.put(signed: Int64(stream.number) - Int64(before.stream) - 2)
      requests.put(request, after: before.request, into: &body, &memory)
      memory.remember(request, on: connection, stream: stream.number)
    case .closed(let id):
      mark |= Form.closed
      body.put(id.number)
      memory.forget(id.number)
    case .stepped(let entries):
      mark |= Form.stepped
      body.put(entries)
    case .waved: mark |= Form.waved
    case .opened, .answerWent, .performed:
      mark |= Form.json
      body.put(CallText.json(call.call)?.text ?? "")
    }
    if putOutcome(batch.events, batch.events(of: index)) { mark |= Mark.sameOutcome }
    record.put(byte: mark)
    record.put(raw: body.bytes)
  }

  /// The machine's time since the last call, and how far the world's time has moved against it.
  private mutating func put(_ now: Now) {
    let wall = now.wall.nanoseconds &- memory.now.wall.nanoseconds
    body.put(signed: wall)
    body.put(signed: now.world.nanoseconds &- memory.now.world.nanoseconds &- wall)
    memory.now = now
  }

  /// The outcome of a call: number of events, their labels and checksum.
  ///
  /// - Returns: true for one event with the same label as the last such event, which is then omitted.
  private mutating func putOutcome(_ events: [WorldEvent], _ range: Range<Int>) -> Bool {
    var digest = EventDigest()
    for index in range { digest.combine(events[index]) }
    defer { if !range.isEmpty { body.put(word: digest.value) } }
    if range.count == 1, let index = range.first {
      let word = pushWord.of(events[index])
      if word == memory.lastWord { return true }
      memory.lastWord = word
    }
    body.put(range.count)
    for index in range.prefix(Self.mostWords) { put(pushWord.of(events[index])) }
    return false
  }

  private mutating func put(_ word: String) {
    if let place = wordPlaces[word] {
      body.put(place + 1)
    } else {
      body.put(0)
      body.put(word)
      let place = memory.words.count
      memory.learn(word)
      if memory.words.count > place { wordPlaces[word] = place }
    }
  }
}

/// The reason why writing a tape stopped.
package enum TapeProblem: Error, Hashable, Sendable {
  /// A single call has this many bytes.
  case tooLong(Int)
}

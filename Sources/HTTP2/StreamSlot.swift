/// The state of one open stream: the arriving request first, the outgoing answer later.
///
///     arriving ──end of stream──▶ awaiting ──respond──▶ answered ──▶ (slot returns to its pool)
///         └───────────── reset ──────┴──────────────────────┘
///
/// A stream that was reset here accepts nothing more, but stays open until its RST_STREAM is sent. Plain data in
/// separate memory: nghttp2 keeps its address as the stream's user data, and nothing here is reference-counted.
struct StreamSlot {
  typealias Pointer = UnsafeMutablePointer<StreamSlot>

  enum Phase: UInt8 {
    case arriving
    case awaiting
    case answered
    case reset
  }

  /// Result of a field.
  enum FieldResult {
    case taken
    case malformed(StaticString)
    /// The header list is larger than allowed; the field is not kept.
    case tooLarge(isFirst: Bool)
  }

  /// State of an answer that `AnswerReports` counts; only it writes this.
  struct Answer {
    enum Wait: UInt8 {
      case none
      case window
      case frozen
    }

    /// DATA ends the answer, and may have to wait for the client.
    var hasBody = false
    /// The client gets the fields of the answer, and perhaps a part of its body, whatever happens to the rest.
    var hasBegun = false
    /// The stream of the answer is intentionally left open.
    var neverEnds = false
    /// The answer is intentionally sent in pieces, or its stream is left open.
    var isPaced = false
    /// The reason for which the answer was not sent, once that has been reported.
    var wait = Wait.none
  }

  /// Enough for an ordinary push: its fields and a body of a few hundred bytes.
  static let usualCapacity = 2048

  let stream: Int32
  private(set) var phase = Phase.arriving
  var answer = Answer()

  /// Neighbours among the session's open streams; `next` also links a pool's free slots.
  var previous: Pointer?
  var next: Pointer?

  /// Packed fields as in `HTTPFields`, then the body; after the answer, the body of the answer. Nil if neither is held.
  private var bytes: UnsafeMutableRawPointer?
  private(set) var capacity: Int
  private var count = 0
  /// Bytes of the answer's body passed to nghttp2.
  private(set) var sent = 0

  /// HEAD requests are answered without a body.
  private(set) var isHead = false
  private var rules = RequestRules()
  /// Size of the header list as RFC 9113 counts it.
  private var headerList = 0
  private(set) var headersTooLarge = false
  /// Offset of the request's body; 0 until the fields are complete.
  private(set) var bodyStart = 0

  /// - Parameter buffer: memory of the usual capacity.
  init(for stream: Int32, _ buffer: UnsafeMutableRawPointer) {
    self.stream = stream
    bytes = buffer
    capacity = Self.usualCapacity
  }

  // MARK: The request

  /// - Parameter limit: bytes of the header list, as RFC 9113 counts it.
  @inline(__always)
  mutating func fieldArrived(
    name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>, valueCount: Int, limit: Int
  ) -> FieldResult {
    if let why = rules.check(name, nameCount: nameCount, value: value, valueCount: valueCount) {
      return .malformed(why)
    }
    headerList += nameCount + valueCount + 32
    guard headerList <= limit else {
      defer { headersTooLarge = true }
      return .tooLarge(isFirst: !headersTooLarge)
    }
    append(name: name, nameCount: nameCount, value: value, valueCount: valueCount)
    // Only `:method` among the pseudo-headers has this length and letter, and only HEAD among the methods.
    if nameCount == 7, valueCount == 4, name[0] == UInt8(ascii: ":"), name[1] == UInt8(ascii: "m"),
      value[0] == UInt8(ascii: "H")
    {
      isHead = true
    }
    return .taken
  }

  /// Trailers are checked but not kept.
  ///
  /// - Returns: what is wrong with the field.
  mutating func trailerArrived(
    name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>, valueCount: Int
  ) -> StaticString? {
    rules.check(name, nameCount: nameCount, value: value, valueCount: valueCount)
  }

  /// - Returns: what is wrong with the fields together.
  mutating func headersEnded() -> StaticString? {
    bodyStart = count
    return rules.judgeWhole()
  }

  /// Bytes of the body beyond `limit` are dropped.
  ///
  /// - Returns: what is wrong with the body.
  mutating func bodyArrived(_ data: UnsafeRawPointer, _ dataCount: Int, limit: Int) -> StaticString? {
    if let why = rules.judgeBody(dataCount) { return why }
    let kept = min(dataCount, limit - (count - bodyStart))
    guard kept > 0 else { return nil }
    (reserve(kept) + count).copyMemory(from: data, byteCount: kept)
    count += kept
    return nil
  }

  /// The mistake in the length of the body, when the request has ended.
  var endProblem: StaticString? { rules.judgeEnd() }

  /// The packed fields and the body.
  var request: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

  // MARK: The phases

  mutating func requestEnded() { phase = .awaiting }

  mutating func answerBegan() { phase = .answered }

  mutating func resetBegan() { phase = .reset }

  // MARK: The answer

  /// Bytes of the answer's body that nghttp2 has not taken yet.
  var unsent: Int { count - sent }

  /// Replaces the request with the answer's body.
  mutating func hold(answer: UnsafeRawBufferPointer) {
    count = 0
    sent = 0
    guard let base = answer.baseAddress else { return }
    reserve(answer.count).copyMemory(from: base, byteCount: answer.count)
    count = answer.count
  }

  /// Passes the next bytes of the answer's body to nghttp2.
  mutating func send(_ part: Int, into memory: UnsafeMutableRawPointer) {
    if let bytes { memory.copyMemory(from: bytes + sent, byteCount: part) }
    sent += part
  }

  // MARK: Memory

  /// Takes the memory out of the slot.
  mutating func takeBytes() -> (memory: UnsafeMutableRawPointer, capacity: Int)? {
    guard let taken = bytes else { return nil }
    defer {
      bytes = nil
      capacity = 0
      count = 0
    }
    return (taken, capacity)
  }

  @inline(__always)
  private mutating func append(
    name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>, valueCount: Int
  ) {
    let size = 4 &+ nameCount &+ valueCount
    let field = reserve(size) + count
    field.storeBytes(of: UInt16(truncatingIfNeeded: nameCount).littleEndian, as: UInt16.self)
    field.storeBytes(of: UInt16(truncatingIfNeeded: valueCount).littleEndian, toByteOffset: 2, as: UInt16.self)
    (field + 4).copyMemory(from: name, byteCount: nameCount)
    (field + (4 &+ nameCount)).copyMemory(from: value, byteCount: valueCount)
    count &+= size
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if let bytes, count &+ more <= capacity { return bytes }
    return widen(by: more)
  }

  @inline(never)
  private mutating func widen(by more: Int) -> UnsafeMutableRawPointer {
    let wider = max(capacity * 2, count + more)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 8)
    if let bytes {
      moved.copyMemory(from: bytes, byteCount: count)
      bytes.deallocate()
    }
    bytes = moved
    capacity = wider
    return moved
  }
}

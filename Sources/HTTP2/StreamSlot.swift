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

  enum Wait: UInt8 {
    case none
    case window
    case frozen
  }

  /// Packed fields as in `HTTPFields`, then the body; after the answer, the body of the answer. Nil if neither is held.
  private(set) var bytes: UnsafeMutableRawPointer?
  private(set) var capacity = 0
  private(set) var count = 0

  var stream: Int32 = 0
  var phase = Phase.arriving
  /// DATA ends the answer, and may have to wait for the client.
  var hasBody = false
  /// The client gets the fields of the answer, and perhaps a part of its body, whatever happens to the rest.
  var hasBegun = false
  /// The stream of the answer is intentionally left open.
  var neverEnds = false
  /// Why the answer was not sent, once that has been reported.
  var wait = Wait.none
  /// HEAD requests are answered without a body.
  var isHead = false
  /// The answer is intentionally sent in pieces, or its stream is left open.
  var isPaced = false
  var rules = RequestRules()
  /// Size of the header list as RFC 9113 counts it.
  var headerList = 0
  var headersTooLarge = false
  var bodyStart = 0
  /// Bytes of the answer's body passed to nghttp2.
  var sent = 0

  /// Neighbours among the session's open streams; `next` also links a pool's free slots.
  var previous: Pointer?
  var next: Pointer?

  /// Enough for an ordinary push: its fields and a body of a few hundred bytes.
  static let usualCapacity = 2048

  /// - Parameter buffer: memory of the usual capacity.
  mutating func reset(for stream: Int32, _ buffer: UnsafeMutableRawPointer) {
    self.stream = stream
    bytes = buffer
    capacity = Self.usualCapacity
    phase = .arriving
    isHead = false
    hasBody = false
    hasBegun = false
    neverEnds = false
    wait = .none
    isPaced = false
    rules = RequestRules()
    headersTooLarge = false
    count = 0
    headerList = 0
    bodyStart = 0
    sent = 0
    previous = nil
    next = nil
  }

  @inline(__always)
  mutating func appendField(
    _ name: UnsafePointer<UInt8>, _ nameCount: Int, _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) {
    let size = 4 &+ nameCount &+ valueCount
    let field = reserve(size) + count
    field.storeBytes(of: UInt16(truncatingIfNeeded: nameCount).littleEndian, as: UInt16.self)
    field.storeBytes(of: UInt16(truncatingIfNeeded: valueCount).littleEndian, toByteOffset: 2, as: UInt16.self)
    (field + 4).copyMemory(from: name, byteCount: nameCount)
    (field + (4 &+ nameCount)).copyMemory(from: value, byteCount: valueCount)
    count &+= size
  }

  /// Appends body bytes up to a total of `limit`; further bytes are dropped.
  mutating func appendBody(_ data: UnsafeRawPointer, _ dataCount: Int, limit: Int) {
    let kept = min(dataCount, limit - (count - bodyStart))
    guard kept > 0 else { return }
    (reserve(kept) + count).copyMemory(from: data, byteCount: kept)
    count += kept
  }

  /// Replaces the request with the answer's body.
  mutating func hold(answer: UnsafeRawBufferPointer) {
    count = 0
    sent = 0
    guard let base = answer.baseAddress else { return }
    reserve(answer.count).copyMemory(from: base, byteCount: answer.count)
    count = answer.count
  }

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

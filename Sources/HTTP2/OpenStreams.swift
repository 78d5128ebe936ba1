/// The open streams of a session, newest first. Each has a slot, which nghttp2 also knows.
final class OpenStreams: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate var following: StreamSlot.Pointer?

    /// The stream may be ended, and its slot given back, before the next one is asked for.
    mutating func next() -> StreamSlot.Pointer? {
      let slot = following
      following = slot?.pointee.next
      return slot
    }
  }

  /// Approximate number of bytes for an open stream, in addition to the memory of its slot.
  private static let streamCost = 1024

  private(set) var count = 0
  /// Number of streams whose request is complete and not yet answered.
  private(set) var awaitingCount = 0

  private let handle: ServerHandle
  private let pool: SlotPool
  private var newest: StreamSlot.Pointer?
  /// Memory of the slots, in bytes.
  private var slotBytes = 0

  init(_ handle: ServerHandle, _ pool: SlotPool) {
    self.handle = handle
    self.pool = pool
  }

  deinit { for slot in self { pool.giveBack(slot) } }

  /// Bytes held for requests that are arriving and answers not yet sent.
  var heldBytes: Int { slotBytes + count * Self.streamCost }

  func makeIterator() -> Iterator { Iterator(following: newest) }

  /// The newest stream saves nghttp2's look-up: nearly all fields and frames are of it.
  subscript(stream: Int32) -> StreamSlot.Pointer? {
    if let newest, newest.pointee.stream == stream { return newest }
    return handle.slot(of: stream)
  }

  func begin(_ stream: Int32) {
    let slot = pool.take(for: stream)
    handle.set(slot, of: stream)
    slotBytes += slot.pointee.capacity
    slot.pointee.next = newest
    newest?.pointee.previous = slot
    newest = slot
    count += 1
  }

  func requestEnded(_ slot: StreamSlot.Pointer) {
    slot.pointee.requestEnded()
    awaitingCount += 1
  }

  /// - Returns: the slot of a stream that was waiting for an answer; nil for any other.
  func beginAnswer(_ stream: Int32) -> StreamSlot.Pointer? {
    guard let slot = self[stream], slot.pointee.phase == .awaiting else { return nil }
    slot.pointee.answerBegan()
    awaitingCount -= 1
    return slot
  }

  /// - Returns: the phase that has ended; nil if the stream was reset before.
  func beginReset(_ slot: StreamSlot.Pointer) -> StreamSlot.Phase? {
    let phase = slot.pointee.phase
    guard phase != .reset else { return nil }
    if phase == .awaiting { awaitingCount -= 1 }
    slot.pointee.resetBegan()
    return phase
  }

  func end(_ slot: StreamSlot.Pointer) {
    if slot.pointee.phase == .awaiting { awaitingCount -= 1 }
    slotBytes -= slot.pointee.capacity
    slot.pointee.previous?.pointee.next = slot.pointee.next
    slot.pointee.next?.pointee.previous = slot.pointee.previous
    if newest == slot { newest = slot.pointee.next }
    count -= 1
    pool.giveBack(slot)
  }

  /// Changes a slot, and counts the memory that it takes.
  @inline(__always)
  func fill<Result>(_ slot: StreamSlot.Pointer, _ change: (inout StreamSlot) -> Result) -> Result {
    let before = slot.pointee.capacity
    let result = change(&slot.pointee)
    slotBytes += slot.pointee.capacity - before
    return result
  }

  /// Frees the bytes of a request after its last use.
  func empty(_ slot: StreamSlot.Pointer) {
    slotBytes -= slot.pointee.capacity
    pool.giveBackBytes(of: slot)
  }
}

import WireFormats

/// The memory that a session holds for its client, and answers waiting for the client.
extension HTTP2Session {
  /// Approximate number of bytes for an open stream, in addition to its contents.
  private static let streamCost = 1024

  /// Bytes held for requests not yet handed over and answers not yet sent.
  package var heldBytes: Int {
    var sum = slotBytes + openCount * Self.streamCost
    // Usually empty, except on a frozen connection.
    if !arrivals.isEmpty { sum += arrivals.reduce(0) { $0 + $1.request.storage.count } }
    return sum
  }

  /// While this is true, no stream is begun and no body is continued.
  var isFull: Bool { mustSave || slotBytes + openCount * Self.streamCost >= options.heldLimit }

  /// Updates the memory count when a slot is filled.
  @inline(__always)
  func filling(_ slot: StreamSlot.Pointer, _ fill: (inout StreamSlot) -> Void) {
    let before = slot.pointee.capacity
    fill(&slot.pointee)
    slotBytes += slot.pointee.capacity - before
  }

  /// Frees the memory of a request that is no longer needed.
  func empty(_ slot: StreamSlot.Pointer) {
    slotBytes -= slot.pointee.capacity
    pool.giveBackBytes(of: slot)
  }

  /// An answer was given and now waits only for the client.
  func answerBegan(_ slot: StreamSlot.Pointer, isPaced: Bool) {
    slot.pointee.isPaced = isPaced
    if !isPaced { unsent += 1 }
  }

  /// A stream with an answer has ended, or will be ended instead.
  func answerEnded(_ slot: StreamSlot.Pointer) {
    guard slot.pointee.phase == .answered, !slot.pointee.isPaced else { return }
    unsent -= 1
    progress &+= 1
  }
}

import WireFormats

/// What a session holds in memory for its client, and what of it waits for the client.
extension HTTP2Session {
  /// Bytes, about, that nghttp2 and we need for an open stream beside what it carries.
  private static let streamCost = 1024

  /// Bytes held for requests that have not been handed out and answers that have not left.
  package var heldBytes: Int {
    var sum = slotBytes + openCount * Self.streamCost
    // None are left over unless the connection is frozen.
    if !arrivals.isEmpty { sum += arrivals.reduce(0) { $0 + $1.request.storage.count } }
    return sum
  }

  /// No stream is begun and no body goes on for as long as this holds.
  var isFull: Bool { isCramped || slotBytes + openCount * Self.streamCost >= options.heldLimit }

  /// Keeps count of a slot's memory while something is put into it.
  @inline(__always)
  func filling(_ slot: StreamSlot.Pointer, _ fill: (inout StreamSlot) -> Void) {
    let before = slot.pointee.capacity
    fill(&slot.pointee)
    slotBytes += slot.pointee.capacity - before
  }

  /// Gives back the memory of a request that nobody will look at here any more.
  func empty(_ slot: StreamSlot.Pointer) {
    slotBytes -= slot.pointee.capacity
    pool.giveBackBytes(of: slot)
  }

  /// An answer was given and waits for nothing but the client.
  func answerBegan(_ slot: StreamSlot.Pointer, isPaced: Bool) {
    slot.pointee.isPaced = isPaced
    if !isPaced { unsentAnswers += 1 }
  }

  /// A stream with an answer has ended, or will in place of its answer.
  func answerEnded(_ slot: StreamSlot.Pointer) {
    guard slot.pointee.phase == .answered, !slot.pointee.isPaced else { return }
    unsentAnswers -= 1
    answerProgress &+= 1
  }
}

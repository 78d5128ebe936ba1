/// Slots that wait for the next stream, shared by the sessions of one thread.
package final class SlotPool {
  private var free: StreamSlot.Pointer?
  private var freeCount = 0

  /// Free slots kept for later: about 2 MiB.
  private static let most = 1024
  /// A slot that grew beyond this many bytes is not kept.
  private static let largest = 8192

  package init() {}

  deinit {
    while let slot = free {
      free = slot.pointee.next
      Self.destroy(slot)
    }
  }

  func take(for stream: Int32) -> StreamSlot.Pointer {
    let slot: StreamSlot.Pointer
    if let kept = free {
      slot = kept
      free = kept.pointee.next
      freeCount -= 1
    } else {
      slot = .allocate(capacity: 1)
      slot.initialize(to: StreamSlot())
    }
    slot.pointee.reset(for: stream)
    return slot
  }

  func giveBack(_ slot: StreamSlot.Pointer) {
    guard freeCount < Self.most, slot.pointee.capacity <= Self.largest else { return Self.destroy(slot) }
    slot.pointee.next = free
    free = slot
    freeCount += 1
  }

  private static func destroy(_ slot: StreamSlot.Pointer) {
    slot.pointee.free()
    slot.deinitialize(count: 1)
    slot.deallocate()
  }
}

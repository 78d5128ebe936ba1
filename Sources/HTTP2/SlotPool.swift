/// Slots and memory for new streams, shared by the sessions of one thread.
package final class SlotPool {
  let memory = SessionMemory()
  private var free: StreamSlot.Pointer?
  private var freeCount = 0
  /// Free memory blocks of a slot's usual capacity; each begins with the address of the next.
  private var buffers: UnsafeMutableRawPointer?
  private var bufferCount = 0

  /// Maximum number of free slots and buffers: about 2 MiB.
  private static let most = 1024

  package init() {}

  deinit {
    while let slot = free {
      free = slot.pointee.next
      Self.destroy(slot)
    }
    while let buffer = buffers {
      buffers = buffer.load(as: UnsafeMutableRawPointer?.self)
      buffer.deallocate()
    }
  }

  func take(for stream: Int32) -> StreamSlot.Pointer {
    let slot = takeSlot()
    slot.initialize(to: StreamSlot(for: stream, takeBuffer()))
    return slot
  }

  private func takeSlot() -> StreamSlot.Pointer {
    guard let kept = free else { return .allocate(capacity: 1) }
    free = kept.pointee.next
    freeCount -= 1
    return kept
  }

  private func takeBuffer() -> UnsafeMutableRawPointer {
    guard let kept = buffers else { return .allocate(byteCount: StreamSlot.usualCapacity, alignment: 8) }
    buffers = kept.load(as: UnsafeMutableRawPointer?.self)
    bufferCount -= 1
    return kept
  }

  /// Frees a slot's memory; the slot stays.
  func giveBackBytes(of slot: StreamSlot.Pointer) {
    guard let (memory, capacity) = slot.pointee.takeBytes() else { return }
    guard bufferCount < Self.most, capacity == StreamSlot.usualCapacity else { return memory.deallocate() }
    memory.storeBytes(of: buffers, as: UnsafeMutableRawPointer?.self)
    buffers = memory
    bufferCount += 1
  }

  func giveBack(_ slot: StreamSlot.Pointer) {
    giveBackBytes(of: slot)
    guard freeCount < Self.most else { return Self.destroy(slot) }
    slot.pointee.next = free
    free = slot
    freeCount += 1
  }

  private static func destroy(_ slot: StreamSlot.Pointer) {
    slot.deinitialize(count: 1)
    slot.deallocate()
  }
}

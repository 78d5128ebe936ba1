/// The part of nghttp2's last frame that did not fit in the caller's buffer.
struct UnreturnedFrame {
  private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

  var isEmpty: Bool { bytes.isEmpty }

  /// - Parameter frame: valid until nghttp2 is asked for the next one.
  mutating func set(_ frame: UnsafeRawBufferPointer) { bytes = frame }

  /// Moves as much as fits to `memory`.
  ///
  /// - Returns: the number of bytes.
  @inline(__always)
  mutating func move(to memory: UnsafeMutableRawPointer, room: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = min(bytes.count, room)
    memory.copyMemory(from: base, byteCount: count)
    bytes = UnsafeRawBufferPointer(start: count == bytes.count ? nil : base + count, count: bytes.count - count)
    return count
  }

  mutating func takeAll() -> [UInt8] {
    defer { bytes = UnsafeRawBufferPointer(start: nil, count: 0) }
    return Array(bytes)
  }
}

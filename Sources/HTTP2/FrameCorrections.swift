/// Frames that nghttp2 packs otherwise than the client gets them: SETTINGS with another number of streams, and frames
/// of a type that nghttp2 does not know.
struct FrameCorrections: ~Copyable {
  /// Numbers for the SETTINGS frames not yet sent, oldest first.
  private var streamCounts: [UInt32] = []
  /// Frames of ours that nghttp2 has not packed yet, oldest first.
  private var unpacked: [CustomFrame] = []
  /// The type of the one that nghttp2 has just packed.
  private var packedType: UInt8?
  /// A frame while it is corrected and written: nghttp2 owns the original.
  private var copy: UnsafeMutableRawBufferPointer = .allocate(byteCount: 64, alignment: 1)

  deinit { copy.deallocate() }

  /// A SETTINGS frame was submitted that is to announce this number of streams.
  mutating func submitted(streams count: Int) { streamCounts.append(UInt32(clamping: count)) }

  mutating func submitted(_ frame: CustomFrame) { unpacked.append(frame) }

  /// nghttp2 asks for the payload of our oldest frame.
  ///
  /// - Returns: the number of bytes; nil if there is no frame.
  mutating func pack(into memory: UnsafeMutableRawPointer, room: Int) -> Int? {
    guard !unpacked.isEmpty else { return nil }
    let frame = unpacked.removeFirst()
    packedType = frame.type
    let count = min(frame.payload.count, room)
    frame.payload.withUnsafeBytes {
      if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: count) }
    }
    return count
  }

  mutating func correct(settings frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard OutgoingFrame.isSettings(frame), OutgoingFrame.announcesStreams(frame), !streamCounts.isEmpty else {
      return frame
    }
    let corrected = copied(frame)
    OutgoingFrame.setMaxConcurrentStreams(streamCounts.removeFirst(), in: corrected)
    return UnsafeRawBufferPointer(corrected)
  }

  /// - Returns: nil for a frame that nghttp2 made.
  mutating func correct(placeholder frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let type = packedType else { return nil }
    packedType = nil
    let corrected = copied(frame)
    corrected[3] = type
    return UnsafeRawBufferPointer(corrected)
  }

  private mutating func copied(_ frame: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    if frame.count > copy.count {
      copy.deallocate()
      copy = .allocate(byteCount: frame.count, alignment: 1)
    }
    copy.copyMemory(from: frame)
    return UnsafeMutableRawBufferPointer(rebasing: copy[..<frame.count])
  }
}

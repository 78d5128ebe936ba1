import CNghttp2

extension HTTP2Session {
  /// Fills `buffer` with what is to be written next.
  ///
  /// - Returns: the number of bytes; fewer than fit means that there is nothing more for now.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var filled = 0
    while filled < buffer.count {
      if rest.isEmpty { rest = nextFrame() }
      guard let next = rest.baseAddress else { break }
      let count = min(rest.count, buffer.count - filled)
      (base + filled).copyMemory(from: next, byteCount: count)
      rest = UnsafeRawBufferPointer(start: count == rest.count ? nil : next + count, count: rest.count - count)
      filled += count
    }
    return filled
  }

  /// The next frame to write, whole; empty when there is none.
  private func nextFrame() -> UnsafeRawBufferPointer {
    while true {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(handle, &bytes)
      guard count >= 0 else {
        if failure == nil {
          failure = .broken(text: String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: count))))
        }
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      let frame = UnsafeRawBufferPointer(start: count == 0 ? nil : bytes, count: count)
      // DATA and HEADERS, which nearly all are, leave as they came.
      guard frame.count >= OutgoingFrame.headerCount, frame[3] > OutgoingFrame.headers else { return frame }
      if let frame = look(at: frame) { return frame }
    }
  }

  /// The frame as it is to leave; nil when it is not to.
  private func look(at frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    switch frame[3] {
    case OutgoingFrame.rstStream:
      return dropped.remove(OutgoingFrame.stream(frame)) == nil ? frame : nil
    case OutgoingFrame.settings:
      guard OutgoingFrame.isSettings(frame), OutgoingFrame.announcesStreams(frame) else { return frame }
      return corrected(frame) {
        if !unsentLimits.isEmpty { OutgoingFrame.setMaxConcurrentStreams(unsentLimits.removeFirst(), in: $0) }
      }
    case OutgoingFrame.goAway: if OutgoingFrame.isGoAway(frame) { note(goAway: frame) }
    case OutgoingFrame.windowUpdate: if withhold(windowUpdate: frame) { return nil }
    case CustomFrame.placeholder:
      guard let own = packedOwn else { return nil }
      packedOwn = nil
      return corrected(frame) { $0[3] = own.type }
    default: break
    }
    return frame
  }

  /// A copy of a frame, corrected: what nghttp2 hands out is its own.
  private func corrected(
    _ frame: UnsafeRawBufferPointer, _ correct: (UnsafeMutableRawBufferPointer) -> Void
  ) -> UnsafeRawBufferPointer {
    if frame.count > corrected.count {
      corrected.deallocate()
      corrected = .allocate(byteCount: frame.count, alignment: 1)
    }
    corrected.copyMemory(from: frame)
    let copy = UnsafeMutableRawBufferPointer(rebasing: corrected[..<frame.count])
    correct(copy)
    return UnsafeRawBufferPointer(copy)
  }

  /// All that is to be written next, when nothing but answers to PINGs may leave.
  ///
  /// - Returns: what may be written, which begins with the rest of a frame that has begun to leave; and what may not
  ///   yet, in its order.
  package func fillOnlyPings() -> (leaving: [UInt8], held: [UInt8]) {
    var leaving = Array(rest)
    var held: [UInt8] = []
    rest = UnsafeRawBufferPointer(start: nil, count: 0)
    isDiverting = true
    defer { isDiverting = false }
    while true {
      let frame = nextFrame()
      guard !frame.isEmpty else { return (leaving, held) }
      if OutgoingFrame.isPingAnswer(frame) { leaving += frame } else { held += frame }
    }
  }

  /// A GOAWAY that the caller has not asked for is how nghttp2 tells what the client did wrong.
  private func note(goAway frame: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    let (code, text) = OutgoingFrame.goAwayReason(frame)
    switch code {
    case .noError: break
    // nghttp2 ends a connection so when a client resets more streams than its rate limit allows.
    case .internalError: failure = .flooded(text: text.isEmpty ? "too many streams were opened and reset" : text)
    case .enhanceYourCalm: failure = .flooded(text: text)
    default: failure = .protocolError(code, text: text)
    }
  }
}

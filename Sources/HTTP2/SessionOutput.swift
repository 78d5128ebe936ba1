import CNghttp2

extension Session {
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
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(handle, &bytes)
    guard count >= 0 else {
      if failure == nil {
        failure = .broken(text: String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: count))))
      }
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let frame = UnsafeRawBufferPointer(start: count == 0 ? nil : bytes, count: count)
    if OutgoingFrame.isSettings(frame) { return correct(frame) }
    if OutgoingFrame.isGoAway(frame) { note(goAway: frame) }
    return frame
  }

  /// A SETTINGS frame of ours with the number that is really announced.
  private func correct(_ frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    precondition(frame.count <= corrected.count, "a SETTINGS frame of ours has at most four entries")
    corrected.copyMemory(from: frame)
    let copy = UnsafeMutableRawBufferPointer(rebasing: corrected[..<frame.count])
    if !unsentLimits.isEmpty { OutgoingFrame.setMaxConcurrentStreams(unsentLimits.removeFirst(), in: copy) }
    return UnsafeRawBufferPointer(copy)
  }

  /// A GOAWAY that the caller has not asked for is how nghttp2 tells what the client did wrong.
  private func note(goAway frame: UnsafeRawBufferPointer) {
    guard unsentGoAways == 0 else {
      unsentGoAways -= 1
      return
    }
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

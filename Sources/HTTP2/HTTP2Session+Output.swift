import CNghttp2

extension HTTP2Session {
  /// Fills `buffer` with the bytes to write next.
  ///
  /// - Returns: the number of bytes; fewer than fit if there is nothing more for now.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var filled = 0
    while filled < buffer.count {
      if rest.isEmpty { rest = nextFrame() }
      guard let next = rest.baseAddress else {
        if sayFarewell() { continue }
        break
      }
      let count = min(rest.count, buffer.count - filled)
      (base + filled).copyMemory(from: next, byteCount: count)
      rest = UnsafeRawBufferPointer(start: count == rest.count ? nil : next + count, count: rest.count - count)
      filled += count
    }
    return filled
  }

  /// The next complete frame to write; empty if no frame is ready.
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
      // Nearly all frames are DATA and HEADERS, which are sent unchanged.
      guard frame.count >= OutgoingFrame.headerCount, frame[3] > OutgoingFrame.headers else { return frame }
      if let frame = look(at: frame) { return frame }
    }
  }

  /// The frame to send; nil if it must not be sent.
  private func look(at frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    switch frame[3] {
    case OutgoingFrame.rstStream: if isSilent(reset: frame) { return nil }
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

  /// A corrected copy of a frame; nghttp2 owns the original.
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

  /// Everything to be written next if only answers to PINGs may be sent.
  ///
  /// - Returns: the bytes to send, which begin with the rest of a partly sent frame, and the bytes to keep, in order.
  package func fillOnlyPings() -> (leaving: [UInt8], held: [UInt8]) {
    var leaving = Array(rest)
    var held: [UInt8] = []
    rest = UnsafeRawBufferPointer(start: nil, count: 0)
    isDiverting = true
    defer { isDiverting = false }
    while true {
      let frame = nextFrame()
      guard !frame.isEmpty else {
        if sayFarewell() { continue }
        return (leaving, held)
      }
      if OutgoingFrame.isPingAnswer(frame) { leaving += frame } else { held += frame }
    }
  }

  /// Counts a reset that a client has caused; too many end the connection, as too many resets by the client do.
  ///
  /// - Returns: whether the frame must not be sent.
  private func isSilent(reset frame: UnsafeRawBufferPointer) -> Bool {
    let stream = OutgoingFrame.stream(frame)
    guard dropped.remove(stream) == nil else {
      decideDropped(stream)
      return true
    }
    // A refused stream is no mistake: a client may not know the limit yet.
    guard ordered.remove(stream) == nil,
      OutgoingFrame.number(frame, at: OutgoingFrame.headerCount) != ErrorCode.refusedStream.rawValue,
      !mistakes.allowsOne(at: now), failure == nil
    else { return false }
    failure = .flooded(text: "too many streams failed by the client's mistakes")
    nghttp2_session_terminate_session(handle, ErrorCode.enhanceYourCalm.rawValue)
    return false
  }

  /// nghttp2 reports a client's mistake by a GOAWAY that the caller did not request.
  private func note(goAway frame: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    let (code, text) = OutgoingFrame.goAwayReason(frame)
    switch code {
    case .noError: break
    // This is how nghttp2 ends a connection on which a client resets more streams than its rate limit allows.
    case .internalError: failure = .flooded(text: text.isEmpty ? "too many streams were opened and reset" : text)
    case .enhanceYourCalm: failure = .flooded(text: text)
    default: failure = .protocolError(code, text: text)
    }
  }
}

import CNghttp2

extension HTTP2Session {
  /// Tells the client that no stream after `lastStream` will be served; nil means the last stream begun. Streams up to
  /// it are finished; streams above it are dropped silently, as the client must expect (RFC 9113 section 6.8).
  ///
  /// The frame follows the answers that can be sent now, with their bodies: python-h2 refuses DATA after a GOAWAY, so
  /// its users would never read why a connection ends. nghttp2 alone would send it between HEADERS and DATA. An answer
  /// that waits for the client's window does not hold it back.
  ///
  /// It can be called again. The number is sent as given, but the last served stream never rises. nghttp2 is not told,
  /// because it would then serve no new stream at all, and answer no PING once the open streams are done.
  package func goAway(lastStream: Int32? = nil, _ code: ErrorCode, debug: [UInt8] = []) {
    let begun = min(nghttp2_session_get_last_proc_stream_id(handle), lastServed)
    let last = max(lastStream ?? begun, 0)
    farewells.append(CustomFrame(goAway: last, code, debug.prefix(options.maxFrame - 8)))
    isLeaving = true
    lastServed = min(lastServed, last)
    let waiting = waitingStreams
    for stream in openStreams where stream > lastServed {
      if waiting.contains(stream) { withdraw(stream, .aboveLastStream) }
      drop(stream, reports: !waiting.contains(stream))
    }
  }

  /// Submits the GOAWAYs, after everything else that can be sent now.
  ///
  /// - Returns: whether there were any.
  func sayFarewell() -> Bool {
    guard !farewells.isEmpty else { return false }
    for frame in farewells { _ = send(frame, stream: 0) }
    farewells = []
    return true
  }

  /// Open streams whose request was not handed over: it is still arriving, or waiting.
  var waitingStreams: Set<Int32> {
    var streams = Set(arrivals.map(\.stream))
    var next = open
    while let slot = next {
      if slot.pointee.phase == .arriving { streams.insert(slot.pointee.stream) }
      next = slot.pointee.next
    }
    return streams
  }

  /// Drops a request that was not handed over.
  func withdraw(_ stream: Int32, _ why: UnservedStream.Reason) {
    arrivals.removeAll { $0.stream == stream }
    unserved.append(UnservedStream(stream, why))
  }

  /// Records a stream above the last one that is served.
  func ignore(_ stream: Int32) -> Int32 {
    counts.ignoredStreams += 1
    ignored.append(stream)
    dropped.insert(stream)
    submitReset(stream, .refusedStream)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  /// Newest first.
  var openStreams: [Int32] {
    var streams: [Int32] = []
    var next = open
    while let slot = next {
      streams.append(slot.pointee.stream)
      next = slot.pointee.next
    }
    return streams
  }

  /// Lets nghttp2 send one of our frames, after everything submitted before it.
  func send(_ frame: CustomFrame, stream: Int32) -> Bool {
    let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    guard nghttp2_submit_extension(handle, CustomFrame.placeholder, flags, stream, nil) == 0 else { return false }
    unsentOwn.append(frame)
    return true
  }

  /// nghttp2 asks for the payload of our oldest frame.
  func packOwn(into memory: UnsafeMutableRawPointer, room: Int) -> Int {
    guard !unsentOwn.isEmpty else { return Int(NGHTTP2_ERR_CANCEL.rawValue) }
    let frame = unsentOwn.removeFirst()
    packedOwn = frame
    let count = min(frame.payload.count, room)
    frame.payload.withUnsafeBytes {
      if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: count) }
    }
    return count
  }
}

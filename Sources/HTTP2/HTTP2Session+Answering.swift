import CNghttp2
import WireFormats

extension HTTP2Session {
  /// Answers a request. An answer to a stream that is closed, reset or already answered is dropped: it crossed a reset
  /// (RFC 9113 section 5.1).
  ///
  /// - Returns: whether the answer was accepted.
  @discardableResult
  package func respond(_ stream: Int32, _ response: HTTPResponse) -> Bool {
    guard let slot = beginAnswer(stream) else { return false }
    answerBegan(slot, isPaced: false)
    let hasBody = !response.body.isEmpty && !slot.pointee.isHead
    if hasBody {
      bodyBegan(slot)
      response.body.withUnsafeBytes { body in filling(slot) { $0.hold(answer: body) } }
    }
    let result = block.with(response) { fields, count in
      guard hasBody else { return nghttp2_submit_response(handle, stream, fields, count, nil) }
      var body = SessionCallbacks.answerBody
      return nghttp2_submit_response(handle, stream, fields, count, &body)
    }
    if result != 0 { reset(stream, .internalError) }
    return result == 0
  }

  /// The slot of a request that is waiting for its answer; nil for any other stream.
  func beginAnswer(_ stream: Int32) -> StreamSlot.Pointer? {
    guard let slot = slot(of: stream), slot.pointee.phase == .awaiting else { return nil }
    slot.pointee.phase = .answered
    awaiting -= 1
    return slot
  }

  /// nghttp2 asks for at most `room` bytes of an answer's body.
  ///
  /// An answer is sent in one DATA frame, because Pushy and aioapns lose the reason of a split one. So if only the
  /// connection's window is too small, the answer waits until it grows. A client whose stream window is smaller than
  /// the answer gets it in pieces, as it requested.
  func bodyWanted(_ stream: Int32, into memory: UnsafeMutablePointer<UInt8>, room: Int, ends: inout Bool) -> Int {
    guard let user = nghttp2_session_get_stream_user_data(handle, stream) else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let slot = user.assumingMemoryBound(to: StreamSlot.self)
    let left = slot.pointee.count - slot.pointee.sent
    if room < left, left <= options.maxFrame,
      Int(nghttp2_session_get_stream_remote_window_size(handle, stream)) >= left
    {
      waitingForWindow.append(stream)
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let taken = min(left, room)
    if let bytes = slot.pointee.bytes {
      UnsafeMutableRawPointer(memory).copyMemory(from: bytes + slot.pointee.sent, byteCount: taken)
    }
    bodyMoved(slot, by: taken)
    ends = taken == left
    return taken
  }

  /// The client has enlarged the connection's window: waiting answers are tried again.
  func windowGrew() {
    guard !waitingForWindow.isEmpty else { return }
    let waiting = waitingForWindow
    waitingForWindow.removeAll(keepingCapacity: true)
    for stream in waiting { nghttp2_session_resume_data(handle, stream) }
  }
}

import CNghttp2
import WireFormats

extension HTTP2Session {
  /// Answers like `respond`, but sends the body in pieces. A piece larger than the client's windows is split further.
  ///
  /// - Returns: whether the answer was accepted.
  @discardableResult
  package func respond(_ stream: Int32, _ response: HTTPResponse, in split: BodySplit) -> Bool {
    guard let slot = beginAnswer(stream) else { return false }
    answerBegan(slot, isPaced: split.pause != nil || split.end == .never)
    slot.pointee.hold(answer: UnsafeRawBufferPointer(start: nil, count: 0))
    slot.pointee.neverEnds = split.end == .never
    if split.end != .never { bodyBegan(slot) }
    if !slot.pointee.isHead { response.body.withUnsafeBytes { body in filling(slot) { $0.hold(answer: body) } } }
    forgetDoneSplits()
    splits[stream] = SplitBody(split)
    let result = block.with(response) { fields, count in
      var body = SessionCallbacks.splitBody
      return nghttp2_submit_response(handle, stream, fields, count, &body)
    }
    if result != 0 { reset(stream, .internalError) }
    return result == 0
  }

  /// Sends the next piece of a split answer.
  ///
  /// - Returns: whether another piece follows.
  package func continueSplit(_ stream: Int32) -> Bool {
    guard let slot = slot(of: stream), splits[stream] != nil else { return false }
    splits[stream]?.allowOne()
    nghttp2_session_resume_data(handle, stream)
    return slot.pointee.sent < slot.pointee.count || splits[stream]?.end == .apart
  }

  func splitWanted(_ stream: Int32, into memory: UnsafeMutablePointer<UInt8>, room: Int, ends: inout Bool) -> Int {
    guard let slot = slot(of: stream), var split = splits[stream], split.mayLeave else {
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let left = slot.pointee.count - slot.pointee.sent
    guard left > 0 else {
      guard split.end != .never else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
      ends = true
      splits[stream] = nil
      return 0
    }
    let taken = min(split.sizes.last ?? left, left, room)
    if let bytes = slot.pointee.bytes {
      UnsafeMutableRawPointer(memory).copyMemory(from: bytes + slot.pointee.sent, byteCount: taken)
    }
    bodyMoved(slot, by: taken)
    split.take(taken, left: left - taken)
    ends = taken == left && split.end == .withLastPiece
    splits[stream] = ends ? nil : split
    return taken
  }

  /// The next piece waits for its time, and not for the client.
  func isPausing(_ slot: StreamSlot.Pointer) -> Bool { splits[slot.pointee.stream]?.mayLeave == false }

  /// Drops split answers whose streams were reset.
  private func forgetDoneSplits() {
    guard splits.count > openCount else { return }
    splits = splits.filter { nghttp2_session_get_stream_user_data(handle, $0.key) != nil }
  }
}

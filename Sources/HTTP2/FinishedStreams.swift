/// The streams that a client has finished itself: ended, reset or skipped.
///
/// nghttp2 forgets a stream when it closes, and ignores later frames for it, because they may have crossed a reset.
/// Frames for the streams remembered here cannot have crossed a reset: HEADERS and DATA for them are a mistake of the
/// client, and RFC 9113 sections 5.1 and 5.1.1 name the error. Only the latest streams are remembered.
struct FinishedStreams {
  /// A mistake that ends the connection.
  struct Mistake: Hashable {
    let code: ErrorCode
    let text: String
  }

  private enum End {
    case ended
    case reset
    /// The client opened a later stream, which closed this one.
    case passedOver
  }

  private static let most = 16

  /// Streams that the client had reset before sending more.
  private var late: [Int32] = []

  private var reader = FrameReader()
  private var newest: Int32 = 0
  /// The latest gap in the client's stream numbers.
  private var gap: Range<Int32> = 0..<0
  /// A ring buffer of stream numbers; negative if the stream was reset.
  private var done = [Int32](repeating: 0, count: most)
  private var next = 0
  private var isStopped = false

  /// Processes what the client sends.
  ///
  /// - Returns: the number of bytes before a mistake, and the mistake. After a mistake, no byte counts.
  mutating func follow(_ bytes: UnsafeRawBufferPointer) -> (sound: Int, mistake: Mistake?) {
    guard !isStopped else { return (0, nil) }
    var position = 0
    while let header = reader.next(in: bytes, at: &position) {
      guard let mistake = mistake(in: header) else { continue }
      isStopped = true
      return (max(position - OutgoingFrame.headerCount, 0), mistake)
    }
    return (bytes.count, nil)
  }

  /// Takes the streams that the client had reset before sending more: each must be reset with STREAM_CLOSED.
  mutating func takeLate() -> [Int32] {
    guard !late.isEmpty else { return [] }
    defer { late = [] }
    return late
  }

  private mutating func mistake(in header: FrameHeader) -> Mistake? {
    let stream = header.stream
    // nghttp2 checks stream 0 and even numbers.
    guard stream % 2 == 1 else { return nil }
    switch header.type {
    case FrameHeader.rstStream:
      forget(stream)
      remember(-stream)
      return nil
    case FrameHeader.headers where stream > newest:
      if stream - newest > 2 { gap = newest + 1..<stream }
      newest = stream
    case FrameHeader.headers, FrameHeader.data:
      if let end = end(of: stream) {
        return mistake(header.type == FrameHeader.data ? "DATA" : "HEADERS", stream: stream, end: end)
      }
    default: return nil
    }
    if header.endsStream { remember(stream) }
    return nil
  }

  private mutating func mistake(_ frame: String, stream: Int32, end: End) -> Mistake? {
    switch end {
    case .ended: return Mistake(code: .streamClosed, text: "\(frame): stream closed")
    case .passedOver: return Mistake(code: .protocolError, text: "\(frame): invalid stream_id")
    case .reset:
      forget(stream)
      late.append(stream)
      return nil
    }
  }

  private func end(of stream: Int32) -> End? {
    for other in done {
      if other == stream { return .ended }
      if other == -stream { return .reset }
    }
    return gap.contains(stream) ? .passedOver : nil
  }

  private mutating func remember(_ entry: Int32) {
    done[next] = entry
    next = (next + 1) % Self.most
  }

  private mutating func forget(_ stream: Int32) {
    for index in done.indices where done[index].magnitude == stream.magnitude { done[index] = 0 }
  }
}

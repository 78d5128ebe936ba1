import CNghttp2

/// The frames that a session sends, except answers: which ones, their corrections on the way from nghttp2 to the
/// client, and the bytes to write.
final class FrameOutput {
  /// Set at the latest when `fill` returns nothing more.
  private(set) var failure: SessionFailure?

  private let handle: ServerHandle
  private let answers: AnswerReports
  private let options: SessionOptions
  private var goAways = OrderedGoAways()
  private var resets = PendingResets()
  private var windows = WithheldWindows()
  private var corrections = FrameCorrections()
  private var unreturned = UnreturnedFrame()

  /// Submits the first SETTINGS.
  init(_ handle: ServerHandle, answers: AnswerReports, options: SessionOptions) {
    self.handle = handle
    self.answers = answers
    self.options = options
    handle.submit(settings: [
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, UInt32(clamping: options.headerTable)),
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams),
      (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, UInt32(clamping: options.maxFrame)),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: options.maxHeaderList)),
    ])
    corrections.submitted(streams: options.announcedStreams)
  }

  /// The limit that nghttp2 enforces by ending the connection: above everything that a client may be granted.
  private var believedStreams: UInt32 { UInt32(clamping: max(options.streamCap, 1) * 2) }

  var hasUnwritten: Bool { !unreturned.isEmpty || goAways.hasUnsentFrames || handle.wantsWrite }
  /// True after a GOAWAY that the caller has ordered.
  var isLeaving: Bool { goAways.hasBegun }

  /// False for a stream above the last one of a GOAWAY.
  @inline(__always)
  func serves(_ stream: Int32) -> Bool { goAways.serves(stream) }

  // MARK: Orders

  /// Resets a stream by order of the caller.
  func reset(ordered stream: Int32, _ code: ErrorCode) {
    resets.ordered(stream)
    handle.reset(stream, code)
  }

  /// Makes nghttp2 forget a stream; the client is not told.
  func reset(silently stream: Int32) {
    resets.dropped(stream)
    handle.reset(stream, .refusedStream)
  }

  /// Resets a stream because of a mistake of the client, which counts unless the stream is only refused.
  func reset(mistaken stream: Int32, _ code: ErrorCode) { handle.reset(stream, code) }

  /// Sends GOAWAY after everything else that can be sent now.
  ///
  /// - Parameter lastStream: nil for the last stream begun.
  func goAway(lastStream: Int32?, _ code: ErrorCode, debug: [UInt8]) {
    goAways.goAway(
      lastStream: lastStream, begun: handle.lastStream, code, debug: debug.prefix(options.maxFrame - 8))
  }

  /// Announces a number of streams before any answer submitted afterwards, because nghttp2 sends SETTINGS first.
  func announce(streams count: Int) -> Bool {
    guard handle.submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams)]) else { return false }
    corrections.submitted(streams: count)
    return true
  }

  func announce(window bytes: Int) -> Bool {
    let size = UInt32(min(max(bytes, 0), Int(Int32.max)))
    return handle.submit(settings: [(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, size)])
  }

  func withholdWindows() { windows.begin() }

  func releaseWindows() {
    for (stream, increment) in windows.end() where stream == 0 || handle.slot(of: stream) != nil {
      send(CustomFrame(windowUpdate: increment), on: stream)
    }
  }

  /// Ends the connection because of an error of nghttp2 while it read.
  func fail(_ failure: SessionFailure, _ code: ErrorCode) {
    self.failure = failure
    handle.terminate(code)
  }

  // MARK: Bytes

  /// Fills `buffer` with the bytes to write next.
  ///
  /// - Parameter now: steady nanoseconds.
  /// - Returns: the number of bytes; fewer than fit if there is nothing more for now.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at now: Int64) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var filled = 0
    // Copied, because each access to the property would be checked for overlapping access.
    var frame = unreturned
    while filled < buffer.count {
      if frame.isEmpty { frame.set(nextFrame(at: now)) }
      if frame.isEmpty {
        if submitGoAways() { continue }
        break
      }
      filled += frame.move(to: base + filled, room: buffer.count - filled)
    }
    unreturned = frame
    return filled
  }

  /// Everything to be written next if only answers to PINGs may be sent.
  ///
  /// - Returns: the bytes to send, which begin with the rest of a partly sent frame, and the bytes to keep, in order.
  func fillOnlyPings(at now: Int64) -> (leaving: [UInt8], held: [UInt8]) {
    var leaving = unreturned.takeAll()
    var held: [UInt8] = []
    answers.divertingBegan()
    defer { answers.divertingEnded() }
    while true {
      let frame = nextFrame(at: now)
      guard !frame.isEmpty else {
        if submitGoAways() { continue }
        return (leaving, held)
      }
      if OutgoingFrame.isPingAnswer(frame) { leaving += frame } else { held += frame }
    }
  }

  /// Submits the GOAWAYs, after everything else that can be sent now.
  ///
  /// - Returns: false if there were none.
  private func submitGoAways() -> Bool {
    guard goAways.hasUnsentFrames else { return false }
    for frame in goAways.takeFrames() { send(frame, on: 0) }
    return true
  }

  /// Lets nghttp2 send one of our frames, after everything submitted before it.
  private func send(_ frame: CustomFrame, on stream: Int32) {
    if handle.submitPlaceholder(on: stream) { corrections.submitted(frame) }
  }

  /// nghttp2 asks for the payload of our oldest frame.
  func packOwn(into memory: UnsafeMutableRawPointer, room: Int) -> Int {
    corrections.pack(into: memory, room: room) ?? Int(NGHTTP2_ERR_CANCEL.rawValue)
  }

  /// The next complete frame to write; empty if no frame is ready.
  private func nextFrame(at now: Int64) -> UnsafeRawBufferPointer {
    do throws(ServerHandle.SendError) {
      while true {
        let frame = try handle.nextFrame()
        // Nearly all frames are DATA and HEADERS, which are sent unchanged.
        guard frame.count >= OutgoingFrame.headerCount, frame[3] > OutgoingFrame.headers else { return frame }
        if let frame = corrected(frame, at: now) { return frame }
      }
    } catch {
      if failure == nil { failure = .broken(text: ServerHandle.text(of: error.code)) }
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// The frame to send; nil if it must not be sent.
  private func corrected(_ frame: UnsafeRawBufferPointer, at now: Int64) -> UnsafeRawBufferPointer? {
    switch frame[3] {
    case OutgoingFrame.rstStream: return resetIsDue(frame, at: now) ? frame : nil
    case OutgoingFrame.settings: return corrections.correct(settings: frame)
    case OutgoingFrame.goAway: if OutgoingFrame.isGoAway(frame) { note(goAway: frame) }
    case OutgoingFrame.windowUpdate:
      let (stream, increment) = (OutgoingFrame.stream(frame), OutgoingFrame.firstNumber(frame) & 0x7FFF_FFFF)
      if windows.withhold(increment, of: stream, isOpen: { handle.slot(of: $0) != nil }) { return nil }
    case CustomFrame.placeholder: return corrections.correct(placeholder: frame)
    default: break
    }
    return frame
  }

  /// - Returns: false if the frame must not be sent.
  private func resetIsDue(_ frame: UnsafeRawBufferPointer, at now: Int64) -> Bool {
    let (stream, code) = (OutgoingFrame.stream(frame), ErrorCode(rawValue: OutgoingFrame.firstNumber(frame)))
    switch resets.isDue(stream, code, at: now) {
    case .send: break
    case .swallow:
      answers.resetSwallowed(stream)
      return false
    case .endConnection:
      guard failure == nil else { break }
      fail(.flooded(text: "too many streams failed by the client's mistakes"), .enhanceYourCalm)
    }
    return true
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

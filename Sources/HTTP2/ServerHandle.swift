import CNghttp2

/// nghttp2's session of a server, with the calls that `HTTP2Session` needs.
///
/// nghttp2 calls back only from `receive` and `nextFrame`.
struct ServerHandle {
  private static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

  private let session: OpaquePointer

  /// - Parameter memory: must outlive the session.
  init(_ memory: SessionMemory) { session = SessionCallbacks.makeSession(memory) }

  /// Sets the object that the callbacks report to.
  func setOwner(_ owner: HTTP2Session) {
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(owner).toOpaque())
  }

  /// Frees the session. Its open streams are not reported.
  func free() { nghttp2_session_del(session) }

  var wantsRead: Bool { nghttp2_session_want_read(session) != 0 }
  var wantsWrite: Bool { nghttp2_session_want_write(session) != 0 }
  /// The last stream that the client has begun.
  var lastStream: Int32 { nghttp2_session_get_last_proc_stream_id(session) }

  // MARK: Bytes

  /// - Returns: an error below 0.
  func receive(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    nghttp2_session_mem_recv(session, bytes.assumingMemoryBound(to: UInt8.self), count)
  }

  /// The next complete frame to write, or no bytes.
  func nextFrame() throws(SendError) -> UnsafeRawBufferPointer {
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(session, &bytes)
    guard count >= 0 else { throw SendError(code: Int32(truncatingIfNeeded: count)) }
    return UnsafeRawBufferPointer(start: count == 0 ? nil : bytes, count: count)
  }

  /// nghttp2 cannot go on, for example without memory.
  struct SendError: Error {
    let code: Int32
  }

  // MARK: Streams

  func slot(of stream: Int32) -> StreamSlot.Pointer? {
    nghttp2_session_get_stream_user_data(session, stream)?.assumingMemoryBound(to: StreamSlot.self)
  }

  func set(_ slot: StreamSlot.Pointer, of stream: Int32) {
    nghttp2_session_set_stream_user_data(session, stream, slot)
  }

  /// Bytes that the client lets the server send on a stream, whatever its connection's window is.
  func window(of stream: Int32) -> Int { Int(nghttp2_session_get_stream_remote_window_size(session, stream)) }

  /// The body of an answer, which could not be sent before, is asked for again.
  func resume(_ stream: Int32) { nghttp2_session_resume_data(session, stream) }

  // MARK: Frames

  /// - Returns: false if the stream is gone.
  func submit(
    _ stream: Int32, _ fields: UnsafePointer<nghttp2_nv>, count: Int, body: nghttp2_data_provider?
  ) -> Bool {
    guard var body else { return nghttp2_submit_response(session, stream, fields, count, nil) == 0 }
    return nghttp2_submit_response(session, stream, fields, count, &body) == 0
  }

  /// Of several resets of one stream, only the first is sent.
  func reset(_ stream: Int32, _ code: ErrorCode) {
    nghttp2_submit_rst_stream(session, Self.noFlags, stream, code.rawValue)
  }

  func ping() { nghttp2_submit_ping(session, Self.noFlags, nil) }

  @discardableResult
  func submit(settings: [(id: nghttp2_settings_id, value: UInt32)]) -> Bool {
    let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.id.rawValue), value: $0.value) }
    return nghttp2_submit_settings(session, Self.noFlags, entries, entries.count) == 0
  }

  /// A frame of a type that nghttp2 does not know; it asks for the payload when the frame is due.
  func submitPlaceholder(on stream: Int32) -> Bool {
    nghttp2_submit_extension(session, CustomFrame.placeholder, Self.noFlags, stream, nil) == 0
  }

  /// Ends the connection as nghttp2 does after a mistake of the client. No effect if it has found one before.
  func goAway(for mistake: FinishedStreams.Mistake) {
    let text = Array(mistake.text.utf8)
    nghttp2_submit_goaway(session, Self.noFlags, lastStream, mistake.code.rawValue, text, text.count)
  }

  func terminate(_ code: ErrorCode) { nghttp2_session_terminate_session(session, code.rawValue) }

  static func text(of error: Int32) -> String { String(cString: nghttp2_strerror(error)) }
}

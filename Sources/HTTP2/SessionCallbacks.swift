import CNghttp2

/// What nghttp2 calls, turned back into calls of a session's methods.
enum SessionCallbacks {
  /// A session of nghttp2 that reports to the `HTTP2Session` which its user data will point to.
  static func makeSession() -> OpaquePointer {
    var option: OpaquePointer?
    var callbacks: OpaquePointer?
    var session: OpaquePointer?
    nghttp2_option_new(&option)
    nghttp2_session_callbacks_new(&callbacks)
    defer {
      nghttp2_option_del(option)
      nghttp2_session_callbacks_del(callbacks)
    }
    // Streams are freed when they close; `FinishedStreams` remembers what is wanted of them. The limits on resets
    // (1000, then 33 a second), SETTINGS entries (32) and unsent acknowledgements (1000) stay
    // nghttp2's own.
    nghttp2_option_set_no_closed_streams(option, 1)
    // nghttp2 counts a CONTINUATION once for each read in which a byte of its frame header comes: 8 in all, the usual
    // number, would end connections whose bytes come one by one.
    nghttp2_option_set_max_continuations(option, 8 * 9)
    // `RequestRules` judges requests.
    nghttp2_option_set_no_http_messaging(option, 1)
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headersBegan)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldArrived)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataArrived)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameArrived)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    nghttp2_session_callbacks_set_pack_extension_callback(callbacks, packOwn)
    nghttp2_session_server_new2(&session, callbacks, nil, option)
    guard let session else { preconditionFailure("nghttp2 makes a session unless memory is out") }
    return session
  }

  /// Where nghttp2 gets the body of an answer from.
  static var answerBody: nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(), read_callback: bodyWanted)
  }

  /// Where it gets one from that leaves in pieces.
  static var splitBody: nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(), read_callback: splitWanted)
  }

  private static let headersBegan: nghttp2_on_begin_headers_callback = { _, frame, context in
    guard let frame, let context else { return 0 }
    return Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.headersBegan(frame) }
  }

  private static let fieldArrived: nghttp2_on_header_callback = {
    _, frame, name, nameCount, value, valueCount, _, context in
    guard let frame, let name, let value, let context else { return 0 }
    return Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.fieldArrived(frame, name, nameCount, value, valueCount)
    }
  }

  private static let dataArrived: nghttp2_on_data_chunk_recv_callback = { _, _, stream, data, count, context in
    guard let data, let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.dataArrived(stream, data, count) }
    return 0
  }

  private static let frameArrived: nghttp2_on_frame_recv_callback = { _, frame, context in
    guard let frame, let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.frameArrived(frame) }
    return 0
  }

  private static let streamClosed: nghttp2_on_stream_close_callback = { _, stream, code, context in
    guard let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.streamClosed(stream, code) }
    return 0
  }

  private static let packOwn: nghttp2_pack_extension_callback = { _, memory, room, _, context in
    guard let memory, let context else { return Int(NGHTTP2_ERR_CANCEL.rawValue) }
    return Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.packOwn(into: memory, room: room) }
  }

  private static let splitWanted: nghttp2_data_source_read_callback = {
    _, stream, memory, room, flags, _, context in
    guard let memory, let flags, let context else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    var ends = false
    let count = Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.splitWanted(stream, into: memory, room: room, ends: &ends)
    }
    if ends { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  private static let bodyWanted: nghttp2_data_source_read_callback = {
    _, stream, memory, room, flags, _, context in
    guard let memory, let flags, let context else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    var ends = false
    let count = Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.bodyWanted(stream, into: memory, room: room, ends: &ends)
    }
    if ends { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }
}

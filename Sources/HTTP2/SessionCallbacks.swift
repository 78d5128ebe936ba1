import CNghttp2

/// Callbacks of nghttp2, forwarded to a session's methods.
enum SessionCallbacks {
  /// An nghttp2 session that reports to the `HTTP2Session` in its user data.
  ///
  /// - Parameter memory: must outlive the session.
  static func makeSession(_ memory: SessionMemory) -> OpaquePointer {
    var option: OpaquePointer?
    var callbacks: OpaquePointer?
    var session: OpaquePointer?
    nghttp2_option_new(&option)
    nghttp2_session_callbacks_new(&callbacks)
    defer {
      nghttp2_option_del(option)
      nghttp2_session_callbacks_del(callbacks)
    }
    // Closed streams are freed; `FinishedStreams` remembers what is needed. nghttp2's own limits stay: resets by the
    // client (`MistakeLimit` has the same numbers), SETTINGS entries (32) and unsent acknowledgements (1000).
    nghttp2_option_set_no_closed_streams(option, 1)
    // nghttp2 counts a CONTINUATION once for each read that contains bytes of its frame header. With its default of 8,
    // connections whose bytes arrive one by one would be ended.
    nghttp2_option_set_max_continuations(option, 8 * 9)
    // `RequestRules` checks requests.
    nghttp2_option_set_no_http_messaging(option, 1)
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headersBegan)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldArrived)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataArrived)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameArrived)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, frameNotSent)
    nghttp2_session_callbacks_set_pack_extension_callback(callbacks, packOwn)
    // nghttp2 keeps a copy of the functions.
    var functions = memory.functions
    nghttp2_session_server_new3(&session, callbacks, nil, option, &functions)
    guard let session else { preconditionFailure("nghttp2 fails only without memory") }
    return session
  }

  /// The source of an answer's body.
  static var answerBody: nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(), read_callback: bodyWanted)
  }

  /// The source of a body that is sent in pieces.
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
      $0.fieldArrived(frame, name: name, nameCount: nameCount, value: value, valueCount: valueCount)
    }
  }

  private static let dataArrived: nghttp2_on_data_chunk_recv_callback = { _, _, stream, data, count, context in
    guard let data, let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.dataArrived(stream, data, count: count)
    }
    return 0
  }

  private static let frameArrived: nghttp2_on_frame_recv_callback = { _, frame, context in
    guard let frame, let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.frameArrived(frame) }
    return 0
  }

  private static let streamClosed: nghttp2_on_stream_close_callback = { _, stream, code, context in
    guard let context else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.streamClosed(stream, ErrorCode(rawValue: code))
    }
    return 0
  }

  private static let frameNotSent: nghttp2_on_frame_not_send_callback = { _, frame, _, context in
    guard let frame, let context, frame.pointee.hd.type == OutgoingFrame.headers else { return 0 }
    Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.fieldsNotSent(frame.pointee.hd.stream_id)
    }
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

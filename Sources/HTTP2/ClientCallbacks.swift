import CNghttp2

/// Callbacks of nghttp2, forwarded to a client session's methods.
enum ClientCallbacks {
  /// An nghttp2 session that reports to the `ClientSession` in its user data.
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
    nghttp2_option_set_no_closed_streams(option, 1)
    // Only the status is read, and a server under test may break the other rules.
    nghttp2_option_set_no_http_messaging(option, 1)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, fieldArrived)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataArrived)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameArrived)
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, frameDropped)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    // nghttp2 keeps a copy of the functions.
    var functions = memory.functions
    nghttp2_session_client_new3(&session, callbacks, nil, option, &functions)
    guard let session else { preconditionFailure("nghttp2 fails only without memory") }
    return session
  }

  /// The source of a request's body.
  static func body(of slot: UnsafeMutablePointer<RequestSlot>) -> nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(ptr: slot), read_callback: bodyWanted)
  }

  private static let fieldArrived: nghttp2_on_header_callback = {
    _, frame, name, nameCount, value, valueCount, _, context in
    // `:status` is the only name of seven characters that begins with a colon, and its value has three digits.
    guard nameCount == 7, valueCount == 3, let name, name[0] == UInt8(ascii: ":"), let value, let frame, let context
    else { return 0 }
    let status = (0..<3).reduce(0) { $0 * 10 + Int(value[$1] &- UInt8(ascii: "0")) }
    Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef {
      // An informational answer is followed by another one.
      if status >= 200 { $0.slot(of: frame.pointee.hd.stream_id)?.pointee.status = status }
    }
    return 0
  }

  private static let dataArrived: nghttp2_on_data_chunk_recv_callback = { _, _, stream, data, count, context in
    guard let data, let context else { return 0 }
    Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.dataArrived(stream, UnsafeBufferPointer(start: data, count: count))
    }
    return 0
  }

  private static let frameArrived: nghttp2_on_frame_recv_callback = { _, frame, context in
    guard let frame, let context else { return 0 }
    // By far the most frames are those of answers, and they need no work here.
    let type = UInt32(frame.pointee.hd.type)
    guard type != NGHTTP2_HEADERS.rawValue, type != NGHTTP2_DATA.rawValue else { return 0 }
    Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.frameArrived(frame) }
    return 0
  }

  private static let frameDropped: nghttp2_on_frame_not_send_callback = { _, frame, _, context in
    guard let frame, let context, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue else { return 0 }
    Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.requestDropped(frame.pointee.hd.stream_id)
    }
    return 0
  }

  private static let streamClosed: nghttp2_on_stream_close_callback = { _, stream, code, context in
    guard let context else { return 0 }
    Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.streamClosed(stream, code) }
    return 0
  }

  private static let bodyWanted: nghttp2_data_source_read_callback = {
    _, _, memory, room, flags, source, context in
    guard let memory, let flags, let context, let place = source?.pointee.ptr else {
      return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    let slot = place.assumingMemoryBound(to: RequestSlot.self)
    let count = slot.pointee.copyBody(into: memory, room: room)
    if slot.pointee.bodyIsSent {
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      Unmanaged<ClientSession>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.bodySent() }
    }
    return count
  }
}

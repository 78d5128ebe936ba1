import CNghttp2

/// nghttp2 as a client, so that a session is judged by another pair of eyes.
final class Client {
  struct Answer: Equatable {
    var fields: [String: String] = [:]
    var body: [UInt8] = []
    /// Set when the stream is closed; 0 is a sound end.
    var code: UInt32?
    var status: String? { fields[":status"] }
  }

  private(set) var answers: [Int32: Answer] = [:]
  private var handle: OpaquePointer?
  /// The rest of each request's body, still to be sent.
  private var bodies: [Int32: [UInt8]] = [:]

  init(settings: [nghttp2_settings_entry] = []) {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    defer { nghttp2_session_callbacks_del(callbacks) }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, me in
      guard let frame, let name, let value, let me else { return 0 }
      let field = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
      let text = String(decoding: UnsafeBufferPointer(start: value, count: count), as: UTF8.self)
      Client.from(me).answers[frame.pointee.hd.stream_id, default: Answer()].fields[field] = text
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, me in
      guard let me else { return 0 }
      let bytes = UnsafeBufferPointer(start: data, count: count)
      Client.from(me).answers[stream, default: Answer()].body.append(contentsOf: bytes)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, me in
      guard let me else { return 0 }
      Client.from(me).answers[stream, default: Answer()].code = code
      return 0
    }
    nghttp2_session_client_new(&handle, callbacks, Unmanaged.passUnretained(self).toOpaque())
    nghttp2_submit_settings(handle, 0, settings, settings.count)
  }

  deinit { nghttp2_session_del(handle) }

  private static func from(_ context: UnsafeMutableRawPointer) -> Client {
    Unmanaged<Client>.fromOpaque(context).takeUnretainedValue()
  }

  @discardableResult
  func post(_ path: String, fields: [(String, String)] = [], body: String) -> Int32 {
    let all =
      [(":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost")] + fields
    // One run of bytes that stays where it is while nghttp2 copies it.
    let text = all.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    defer { memory.deallocate() }
    _ = memory.initialize(from: text)
    var at = memory.baseAddress
    let entries = all.map { name, value in
      let entry = nghttp2_nv(
        name: at, value: at.map { $0 + name.utf8.count }, namelen: name.utf8.count, valuelen: value.utf8.count, flags: 0
      )
      at = at.map { $0 + name.utf8.count + value.utf8.count }
      return entry
    }
    var provider = nghttp2_data_provider(source: nghttp2_data_source()) { _, stream, memory, room, flags, _, me in
      guard let memory, let flags, let me else { return -1 }
      let client = Client.from(me)
      let left = client.bodies[stream] ?? []
      let count = min(room, left.count)
      for index in 0..<count { memory[index] = left[index] }
      client.bodies[stream] = Array(left[count...])
      if count == left.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
    let stream = nghttp2_submit_request(handle, nil, entries, entries.count, &provider, nil)
    bodies[stream] = Array(body.utf8)
    return stream
  }

  func output() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var next: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(handle, &next)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: UnsafeBufferPointer(start: next, count: count))
    }
  }

  func receive(_ bytes: [UInt8]) { nghttp2_session_mem_recv(handle, bytes, bytes.count) }
}

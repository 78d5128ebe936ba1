import CNghttp2

/// The client side of one HTTP/2 connection that sends many similar requests: requests in, bytes out; bytes in, answers
/// out. Like `HTTP2Session`, it does no input or output itself, and belongs to one thread.
package final class ClientSession {
  /// A request that has ended, with an answer or without.
  package struct Ended {
    package let number: UInt64
    /// The time that was passed to `send`.
    package let startedAt: Int64
    /// 0 without an answer.
    package let status: Int
    package let code: ErrorCode
    /// The start of the body, unless the status is 200.
    package let body: [UInt8]
  }

  /// The server's last GOAWAY.
  package struct Farewell: Hashable, Sendable {
    package let code: ErrorCode
    package let debug: String

    package init(code: ErrorCode, debug: String) {
      self.code = code
      self.debug = debug
    }
  }

  /// The requests that have ended since the caller last cleared the list.
  package var ended: [Ended] { endings }
  /// Set by a GOAWAY: what is open may still be answered, but no request can be begun.
  package private(set) var farewell: Farewell?
  /// Reason for which the session cannot continue.
  package private(set) var failure: String?
  /// True if the server's first SETTINGS frame has arrived, which limits the number of streams.
  package private(set) var isReady = false
  /// Number of streams that may be open at a time.
  package private(set) var limit: Int

  private var endings: [Ended] = []
  private let handle: OpaquePointer
  private let pool: SlotPool
  private let paths: RequestPaths
  /// The last one is in use; requests that nghttp2 has not sent yet may still use the fields of the others.
  private var heads: [RequestHead]
  private let slots: UnsafeMutablePointer<RequestSlot>
  private let slotCount: Int
  /// 36 characters for each slot.
  private let ids: UnsafeMutablePointer<UInt8>
  private var free: [UnsafeMutablePointer<RequestSlot>] = []
  private var unsentBodies = 0
  private var isExhausted = false
  private var unreturned = UnreturnedFrame()

  /// Bytes kept of an error's body; Apple's have less than 60.
  private static let mostBody = 256

  /// - Parameter streams: the number of streams that are used even if the server allows more.
  package init(streams: Int, _ head: RequestHead, _ paths: RequestPaths, pool: SlotPool) {
    self.pool = pool
    self.paths = paths
    heads = [head]
    limit = streams
    slotCount = streams
    slots = .allocate(capacity: streams)
    slots.initialize(repeating: RequestSlot(), count: streams)
    ids = .allocate(capacity: streams * RequestHead.idCount)
    ids.initialize(repeating: 0, count: streams * RequestHead.idCount)
    handle = ClientCallbacks.makeSession(pool.memory)
    free = (0..<streams).reversed().map { slots + $0 }
    nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(self).toOpaque())
    let settings = [nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)]
    nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
  }

  deinit {
    nghttp2_session_del(handle)
    slots.deinitialize(count: slotCount)
    slots.deallocate()
    ids.deallocate()
  }

  package var openCount: Int { slotCount - free.count }
  package var isFull: Bool { openCount >= limit }
  /// True if another request can be begun now.
  package var canSend: Bool { isReady && !isFull && isServing }
  /// True if requests can be begun as soon as a stream is free.
  package var isServing: Bool { farewell == nil && failure == nil && !isExhausted }
  /// True if bodies wait because the server has opened no window for them.
  package var isBlocked: Bool { unsentBodies > 0 && nghttp2_session_get_remote_window_size(handle) <= 0 }
  package var wantsWrite: Bool { !unreturned.isEmpty || nghttp2_session_want_write(handle) != 0 }

  package func clearEnded() { endings.removeAll(keepingCapacity: true) }

  /// The fields of requests from now on.
  package func use(_ head: RequestHead) { heads.append(head) }

  /// Begins the request with a number, which chooses its path.
  ///
  /// - Parameter id: the value of the field that differs in each request.
  /// - Returns: false if no request can be begun on this connection any more.
  package func send(_ number: UInt64, id: InlineArray<36, UInt8>, body: [UInt8], at now: Int64) -> Bool {
    guard let head = heads.last, let slot = free.popLast() else { return false }
    let place = ids + (slot - slots) * RequestHead.idCount
    for index in 0..<RequestHead.idCount { place[index] = id[index] }
    slot.pointee.begin(number, body, at: now)
    head.set(path: paths.path(number), id: place)
    var provider = ClientCallbacks.body(of: slot)
    let stream = nghttp2_submit_request(handle, nil, head.entries, head.count, &provider, slot)
    guard stream > 0 else {
      // The last possible stream number is used up.
      isExhausted = true
      free.append(slot)
      return false
    }
    slot.pointee.stream = stream
    unsentBodies += 1
    return true
  }

  /// Ends all open requests without an answer, because the connection is lost.
  package func giveUp() {
    for index in 0..<slotCount where slots[index].stream != 0 { end(slots + index, .cancel) }
  }

  package func receive(_ bytes: UnsafeRawBufferPointer) {
    let count = nghttp2_session_mem_recv(handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
    if count < 0, failure == nil { failure = Self.text(of: count) }
  }

  /// Fills `buffer` with the bytes to write next.
  ///
  /// - Returns: the number of bytes; fewer than fit if there is nothing more for now.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var filled = 0
    // Copied, because each access to the property would be checked for overlapping access.
    var frame = unreturned
    while filled < buffer.count {
      if frame.isEmpty { frame.set(nextFrame()) }
      guard !frame.isEmpty else { break }
      filled += frame.move(to: base + filled, room: buffer.count - filled)
    }
    unreturned = frame
    return filled
  }

  private func nextFrame() -> UnsafeRawBufferPointer {
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(handle, &bytes)
    if count < 0, failure == nil { failure = Self.text(of: count) }
    // nghttp2 has written GOAWAY because of what it received, and reads nothing more.
    if count == 0, failure == nil, farewell == nil, nghttp2_session_want_read(handle) == 0 {
      failure = "the server violated HTTP/2"
    }
    return UnsafeRawBufferPointer(start: count > 0 ? bytes : nil, count: max(count, 0))
  }

  private static func text(of code: Int) -> String {
    String(cString: nghttp2_strerror(Int32(truncatingIfNeeded: code)))
  }

  // MARK: What nghttp2 reports

  func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) {
    switch UInt32(frame.pointee.hd.type) {
    case NGHTTP2_SETTINGS.rawValue where frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
      isReady = true
      let allowed = nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
      limit = min(slotCount, Int(allowed))
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = frame.pointee.goaway
      let debug = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
      farewell = Farewell(
        code: ErrorCode(rawValue: goAway.error_code), debug: String(decoding: debug, as: UTF8.self))
    default: break
    }
  }

  func slot(of stream: Int32) -> UnsafeMutablePointer<RequestSlot>? {
    nghttp2_session_get_stream_user_data(handle, stream)?.assumingMemoryBound(to: RequestSlot.self)
  }

  func dataArrived(_ stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let slot = slot(of: stream), slot.pointee.status != 200 else { return }
    let room = Self.mostBody - slot.pointee.answer.count
    slot.pointee.answer += bytes.prefix(max(room, 0))
  }

  func streamClosed(_ stream: Int32, _ code: UInt32) {
    if let slot = slot(of: stream), slot.pointee.stream == stream { end(slot, ErrorCode(rawValue: code)) }
  }

  /// A request that was begun when a GOAWAY was on its way is dropped by nghttp2 before it has a stream.
  func requestDropped(_ stream: Int32) {
    for index in 0..<slotCount where slots[index].stream == stream { end(slots + index, .refusedStream) }
  }

  func bodySent() { unsentBodies -= 1 }

  private func end(_ slot: UnsafeMutablePointer<RequestSlot>, _ code: ErrorCode) {
    guard slot.pointee.stream != 0 else { return }
    if !slot.pointee.bodyIsSent { unsentBodies -= 1 }
    endings.append(
      Ended(
        number: slot.pointee.number, startedAt: slot.pointee.startedAt, status: slot.pointee.status, code: code,
        body: slot.pointee.answer))
    slot.pointee.end()
    free.append(slot)
  }
}

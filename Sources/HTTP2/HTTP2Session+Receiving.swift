import CNghttp2
import WireFormats

extension HTTP2Session {
  /// Processes bytes read from the socket. Afterwards `arrived`, `cancelled` and `failure` hold the results.
  package func receive(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, let base = bytes.baseAddress else { return }
    let matched = prefaceCount
    prefaceCount = min(Preface.count, matched + bytes.count)
    let (sound, mistake) = clientStreams.follow(bytes)
    let result = nghttp2_session_mem_recv(handle, base.assumingMemoryBound(to: UInt8.self), sound)
    guard result >= 0 else { return giveUp(Int32(truncatingIfNeeded: result), matched: matched, bytes) }
    for stream in clientStreams.late { submitReset(stream, .streamClosed) }
    clientStreams.late.removeAll()
    if let mistake { end(for: mistake) }
  }

  /// Clears requests and cancellations after the caller has taken them; their storage is reused.
  package func clearArrivals() {
    arrivals.removeAll(keepingCapacity: true)
    cancelled.removeAll(keepingCapacity: true)
  }

  /// The caller has taken the first `count` requests in `arrived`, and the cancellations. The others are handed over
  /// later, unless a limit on streams or a GOAWAY excludes them.
  package func handedOver(_ count: Int) {
    guard count < arrivals.count else { return clearArrivals() }
    arrivals.removeFirst(count)
    withdrawCancelled()
    cancelled.removeAll(keepingCapacity: true)
  }

  /// Takes and clears `unserved`.
  package func takeUnserved() -> [UnservedStream] {
    let taken = unserved
    unserved = []
    return taken
  }

  /// Takes and clears `ignored`.
  package func takeIgnored() -> [Int32] {
    let taken = ignored
    ignored = []
    return taken
  }

  /// Drops waiting requests that the client has reset; neither list contains them any more.
  package func withdrawCancelled() {
    guard !cancelled.isEmpty else { return }
    let (gone, waiting) = (Set(cancelled), Set(arrivals.map(\.stream)))
    arrivals.removeAll { gone.contains($0.stream) }
    cancelled.removeAll { waiting.contains($0) }
  }

  /// Ends the connection as nghttp2 does. No effect if nghttp2 has found a mistake before.
  private func end(for mistake: FinishedStreams.Mistake) {
    let last = nghttp2_session_get_last_proc_stream_id(handle)
    let text = Array(mistake.text.utf8)
    nghttp2_submit_goaway(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, mistake.code.rawValue, text, text.count)
  }

  private func giveUp(_ error: Int32, matched: Int, _ bytes: UnsafeRawBufferPointer) {
    let text = String(cString: nghttp2_strerror(error))
    switch error {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
      let first = Preface.firstBytes(matched: matched, then: bytes)
      failure = .notHTTP2(firstBytes: first, looksLikeHTTP1: Preface.looksLikeHTTP1(first))
      nghttp2_session_terminate_session(handle, ErrorCode.protocolError.rawValue)
    case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue:
      failure = .flooded(text: text)
      nghttp2_session_terminate_session(handle, ErrorCode.enhanceYourCalm.rawValue)
    default:
      failure = .broken(text: text)
      nghttp2_session_terminate_session(handle, ErrorCode.internalError.rawValue)
    }
  }

  // MARK: What nghttp2 reports while it reads

  func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    let stream = frame.pointee.hd.stream_id
    guard stream <= lastServed else { return ignore(stream) }
    guard openCount < limit.enforced else {
      counts.refusedStreams += 1
      if let excessStreams {
        self.excessStreams = nil
        goAway(lastStream: stream - 2, excessStreams.code, debug: excessStreams.debug)
        return ignore(stream)
      }
      unserved.append(UnservedStream(stream, .refused))
      submitReset(stream, .refusedStream)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    guard !isFull else {
      counts.refusedStreams += 1
      unserved.append(UnservedStream(stream, .noRoom))
      submitReset(stream, .refusedStream)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    let slot = pool.take(for: stream)
    slotBytes += slot.pointee.capacity
    nghttp2_session_set_stream_user_data(handle, stream, slot)
    slot.pointee.next = open
    open?.pointee.previous = slot
    open = slot
    openCount += 1
    latest = slot
    return 0
  }

  /// The slot for a header block of this frame; nil for trailers, which are not kept.
  private func requestSlot(_ frame: UnsafePointer<nghttp2_frame>) -> StreamSlot.Pointer? {
    guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST, let slot = slot(of: frame.pointee.hd.stream_id),
      slot.pointee.phase == .arriving
    else { return nil }
    return slot
  }

  func fieldArrived(
    _ frame: UnsafePointer<nghttp2_frame>, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) -> Int32 {
    guard let slot = requestSlot(frame) else { return trailerArrived(frame, name, nameCount, value, valueCount) }
    if let why = slot.pointee.rules.check(name, nameCount, value, valueCount) {
      refuse(malformed: slot, why)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    slot.pointee.headerList += nameCount + valueCount + 32
    guard slot.pointee.headerList <= headerListLimit else { return headersTooLarge(slot) }
    filling(slot) { $0.appendField(name, nameCount, value, valueCount) }
    // Only `:method` among the pseudo-headers has this length and letter, and only HEAD among the methods.
    if nameCount == 7, valueCount == 4, name[0] == UInt8(ascii: ":"), name[1] == UInt8(ascii: "m"),
      value[0] == UInt8(ascii: "H")
    {
      slot.pointee.isHead = true
    }
    return 0
  }

  /// Trailers are checked but not kept.
  private func trailerArrived(
    _ frame: UnsafePointer<nghttp2_frame>, _ name: UnsafePointer<UInt8>, _ nameCount: Int,
    _ value: UnsafePointer<UInt8>, _ valueCount: Int
  ) -> Int32 {
    guard let slot = slot(of: frame.pointee.hd.stream_id), slot.pointee.phase == .arriving,
      let why = slot.pointee.rules.check(name, nameCount, value, valueCount)
    else { return 0 }
    refuse(malformed: slot, why)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  /// Resets a stream with an invalid request (RFC 9113 section 8.1.1).
  private func refuse(malformed slot: StreamSlot.Pointer, _ why: StaticString) {
    malformedCount += 1
    var power = 1
    while power < malformedCount, power < 1_000_000_000 { power *= 10 }
    if power == malformedCount {
      unserved.append(UnservedStream(slot.pointee.stream, .malformed("\(why)", count: malformedCount)))
    }
    resetForMistake(slot.pointee.stream, .protocolError)
    empty(slot)
  }

  private func headersTooLarge(_ slot: StreamSlot.Pointer) -> Int32 {
    if !slot.pointee.headersTooLarge {
      slot.pointee.headersTooLarge = true
      counts.oversizeHeaderLists += 1
    }
    guard options.oversizeHeaders == .reset else { return 0 }
    resetForMistake(slot.pointee.stream, .enhanceYourCalm)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  func dataArrived(_ stream: Int32, _ data: UnsafePointer<UInt8>, _ count: Int) {
    guard let slot = slot(of: stream), slot.pointee.phase == .arriving else { return }
    if let why = slot.pointee.rules.judgeBody(count) { return refuse(malformed: slot, why) }
    let before = slotBytes
    filling(slot) { $0.appendBody(data, count, limit: options.bodyLimit + 1) }
    guard slotBytes > before, isFull else { return }
    counts.refusedStreams += 1
    unserved.append(UnservedStream(stream, .noRoom))
    reset(stream, .refusedStream)
    empty(slot)
  }

  func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      headersEnded(frame)
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { requestEnded(header.stream_id) }
    case NGHTTP2_DATA.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { requestEnded(header.stream_id) }
    case NGHTTP2_SETTINGS.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { limit.acknowledge() } else { greeted = true }
    case NGHTTP2_WINDOW_UPDATE.rawValue:
      if header.stream_id == 0 { windowGrew() }
    default: break
    }
  }

  private func headersEnded(_ frame: UnsafePointer<nghttp2_frame>) {
    if let slot = requestSlot(frame) {
      slot.pointee.bodyStart = slot.pointee.count
      if let why = slot.pointee.rules.judgeWhole() { refuse(malformed: slot, why) }
    } else if frame.pointee.headers.cat == NGHTTP2_HCAT_HEADERS,
      frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0,
      let slot = slot(of: frame.pointee.hd.stream_id), slot.pointee.phase == .arriving
    {
      refuse(malformed: slot, "trailers do not end the stream")
    }
  }

  private func requestEnded(_ stream: Int32) {
    guard let slot = slot(of: stream), slot.pointee.phase == .arriving else { return }
    if let why = slot.pointee.rules.judgeEnd() { return refuse(malformed: slot, why) }
    slot.pointee.phase = .awaiting
    awaiting += 1
    guard !slot.pointee.headersTooLarge else {
      respond(stream, HTTPResponse(status: 431, fields: HTTPFields(), body: []))
      return
    }
    counts.requests += 1
    let count = slot.pointee.count
    // Appended, because the initializer with uninitialized capacity looks up the storage's class for every array.
    var storage: [UInt8] = []
    storage.append(contentsOf: UnsafeRawBufferPointer(start: slot.pointee.bytes, count: count))
    arrivals.append(
      IncomingRequest(stream: stream, request: HTTPRequest(storage: storage, bodyStart: slot.pointee.bodyStart)))
    empty(slot)
  }

  func streamClosed(_ stream: Int32, _ code: UInt32) {
    guard let user = nghttp2_session_get_stream_user_data(handle, stream) else { return }
    let slot = user.assumingMemoryBound(to: StreamSlot.self)
    if latest == slot { latest = nil }
    if slot.pointee.phase == .awaiting {
      awaiting -= 1
      counts.cancelledStreams += 1
      cancelled.append(stream)
    } else if slot.pointee.phase == .answered {
      answeredStreamClosed(slot, code)
    }
    answerEnded(slot)
    slotBytes -= slot.pointee.capacity
    slot.pointee.previous?.pointee.next = slot.pointee.next
    slot.pointee.next?.pointee.previous = slot.pointee.previous
    if open == slot { open = slot.pointee.next }
    openCount -= 1
    pool.giveBack(slot)
  }

  /// The slot of an open stream.
  func slot(of stream: Int32) -> StreamSlot.Pointer? {
    if let slot = latest, slot.pointee.stream == stream { return slot }
    guard let user = nghttp2_session_get_stream_user_data(handle, stream) else { return nil }
    return user.assumingMemoryBound(to: StreamSlot.self)
  }
}

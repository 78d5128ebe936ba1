import CNghttp2
import WireFormats

/// The server side of one HTTP/2 connection: bytes in, requests out; answers in, bytes out.
///
/// It does no input or output itself: the caller passes the bytes it has read (`receive`), takes the requests in
/// `arrived`, answers (`respond`), and writes what `fill` returns until it returns nothing. `init` submits SETTINGS, so
/// the first bytes sent are always the server's preface. A session belongs to one thread.
///
/// nghttp2 is given twice the stream cap instead of the announced number, because it answers a surplus stream by ending
/// the connection. The announced number is corrected in each outgoing SETTINGS frame, and `StreamLimit` decides what is
/// enforced.
package final class HTTP2Session {
  /// Complete requests since the caller last cleared the list.
  package var arrived: [IncomingRequest] { arrivals }
  /// Streams that were handed over in `arrived` and reset by the client before they were answered.
  package internal(set) var cancelled: [Int32] = []
  /// Streams that the client opened above the last stream of a GOAWAY; they are not answered.
  package internal(set) var ignored: [Int32] = []
  /// Streams whose requests were refused before they were handed over.
  package internal(set) var unserved: [UnservedStream] = []
  package var counters: SessionCounters { counts }
  /// Number of unsent answers that could be sent as far as this side knows.
  package var unsentAnswers: Int { unsent }
  /// Changes whenever part of them is sent.
  package var answerProgress: UInt64 { progress }
  /// Set while all connections together exceed their memory limit and this one has a considerable part of it.
  package var isCramped: Bool {
    get { mustSave }
    set { mustSave = newValue }
  }
  /// Steady nanoseconds of what is received and written; set by the caller.
  package var now: Int64 = 0
  /// True if the client's preface is complete: the magic bytes and SETTINGS (RFC 9113 section 3.4).
  package var isGreeted: Bool { greeted }
  /// Why the session cannot continue; set at the latest when `fill` returns nothing more.
  package internal(set) var failure: SessionFailure?

  /// Answers that were not sent at once, since the caller last took the list.
  package internal(set) var answerReports: [AnswerReport] = []

  // Internal, because access from other modules is checked for overlapping access at every use.
  var arrivals: [IncomingRequest] = []
  var counts = SessionCounters()
  var awaiting = 0
  var unsent = 0
  var progress: UInt64 = 0
  var mustSave = false
  var greeted = false

  /// Number of answers with a body on open streams, and of those known to wait.
  var bodiesOut = 0
  var heldBodies = 0
  /// Frames, including answers, are collected until the connection is thawed.
  var isDiverting = false
  var divertedAnswers: [Int32] = []

  let options: SessionOptions
  let headerListLimit: Int
  let pool: SlotPool
  let handle: OpaquePointer

  /// Memory of the slots of open streams, in bytes.
  var slotBytes = 0

  var limit: StreamLimit
  /// The number that is announced unless `limitStreams` has set another.
  var regularStreams: Int
  /// The number that was announced last.
  var announcedStreams: Int
  /// A limit of `limitStreams` is in force.
  var isLimited = false
  /// The reaction to a stream beyond the limit, if it is not a refusal.
  var excessStreams: ExcessStreams?
  /// Streams with a slot.
  var openCount = 0
  /// Number of streams handed over in `arrived` and not yet answered.
  package var awaitingCount: Int { awaiting }
  /// The open streams, newest first.
  var open: StreamSlot.Pointer?
  /// The open stream that began last: saves nghttp2's lookup for its fields and frames. Only `headersBegan` sets it,
  /// and only the stream's end clears it; otherwise data of one stream would get into another.
  var latest: StreamSlot.Pointer?
  /// Number of streams with an invalid request.
  var malformedCount = 0
  /// Streams that failed by mistakes of the client.
  var mistakes = MistakeLimit()
  /// Streams whose reset the caller has ordered and that is not sent yet: no mistakes.
  var ordered: Set<Int32> = []
  var clientStreams = FinishedStreams()
  /// Streams whose answer waits for the connection's window.
  var waitingForWindow: [Int32] = []

  /// Bytes of the preface received so far.
  var prefaceCount = 0
  /// Values to write into the SETTINGS frames not yet sent, oldest first.
  var unsentLimits: [UInt32] = []
  /// Frames that nghttp2 sends without knowing their type, oldest first.
  var unsentOwn: [CustomFrame] = []
  /// The one of them that nghttp2 packed last.
  var packedOwn: CustomFrame?
  /// GOAWAYs that follow the answers sent now.
  var farewells: [CustomFrame] = []
  /// Streams dropped silently: their RST_STREAM only makes nghttp2 forget them and is not sent.
  var dropped: Set<Int32> = []
  /// Streams among them with an answer whose fields may or may not have been sent; true if it is cut if they were.
  var undecided: [Int32: Bool] = [:]
  /// Whether a GOAWAY was requested, and the last stream to be served.
  var isLeaving = false
  var lastServed = Int32.max
  /// Window increments not sent to the client, by stream; nil if none are withheld.
  var withheld: [Int32: UInt32]?
  /// Answers that are sent in pieces.
  var splits: [Int32: SplitBody] = [:]
  /// The part of nghttp2's last frame that `fill` has not returned yet.
  var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  /// One of our frames while it is corrected and written.
  var corrected: UnsafeMutableRawBufferPointer
  let block: FieldBlock

  package init(_ options: SessionOptions, pool: SlotPool) {
    self.options = options
    self.pool = pool
    headerListLimit = options.headerListLimit
    regularStreams = options.announcedStreams
    announcedStreams = options.announcedStreams
    limit = StreamLimit(announced: options.announcedStreams, cap: options.streamCap, strict: options.strictStreams)
    corrected = .allocate(byteCount: 64, alignment: 1)
    block = FieldBlock(unindexed: options.unindexedNames)
    handle = SessionCallbacks.makeSession(pool.memory)
    nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(self).toOpaque())
    submit(settings: [
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, UInt32(clamping: options.headerTable)),
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams),
      (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, UInt32(clamping: options.maxFrame)),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: options.maxHeaderList)),
    ])
    unsentLimits.append(UInt32(clamping: options.announcedStreams))
  }

  deinit {
    // nghttp2 does not report streams that are open when a session is deleted.
    nghttp2_session_del(handle)
    while let slot = open {
      open = slot.pointee.next
      pool.giveBack(slot)
    }
    corrected.deallocate()
  }

  /// The limit that nghttp2 enforces by ending the connection: above everything that a client may be granted.
  var believedStreams: UInt32 { UInt32(clamping: max(options.streamCap, 1) * 2) }

  /// Requests that are arriving, waiting or answered.
  package var openStreamCount: Int { openCount }
  package var wantsRead: Bool { nghttp2_session_want_read(handle) != 0 }
  package var wantsWrite: Bool {
    !rest.isEmpty || !farewells.isEmpty || nghttp2_session_want_write(handle) != 0
  }
  /// Nothing more will be read or written: the connection can be closed.
  package var isFinished: Bool { (!wantsRead || (isLeaving && openCount == 0)) && !wantsWrite }

  /// Ends a stream without an answer, or before its answer was sent, by order of the caller.
  ///
  /// - Returns: whether the stream was open and not yet reset.
  @discardableResult
  package func reset(_ stream: Int32, _ code: ErrorCode) -> Bool {
    guard let slot = slot(of: stream), beginReset(slot) else { return false }
    ordered.insert(stream)
    submitReset(stream, code)
    return true
  }

  /// Ends a stream because of a mistake of the client, which counts.
  func resetForMistake(_ stream: Int32, _ code: ErrorCode) {
    if let slot = slot(of: stream), beginReset(slot) { submitReset(stream, code) }
  }

  /// Drops a stream silently.
  ///
  /// - Parameter reports: whether to report its answer, because it has one or someone will give one.
  func drop(_ stream: Int32, reports: Bool) {
    guard let slot = slot(of: stream), slot.pointee.phase != .reset else { return }
    if reports { reportDropped(slot) }
    guard beginReset(slot) else { return }
    dropped.insert(stream)
    submitReset(stream, .refusedStream)
  }

  private func beginReset(_ slot: StreamSlot.Pointer) -> Bool {
    guard slot.pointee.phase != .reset else { return false }
    if slot.pointee.phase == .awaiting { awaiting -= 1 }
    answerEnded(slot)
    bodyEnded(slot)
    slot.pointee.phase = .reset
    return true
  }

  /// Lets nghttp2 send RST_STREAM. Of several for one stream, only the first is sent.
  func submitReset(_ stream: Int32, _ code: ErrorCode) {
    nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
  }

  package func ping() { nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

  @discardableResult
  func submit(settings: [(id: nghttp2_settings_id, value: UInt32)]) -> Bool {
    let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.id.rawValue), value: $0.value) }
    return nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count) == 0
  }
}

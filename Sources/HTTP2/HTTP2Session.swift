import CNghttp2
import WireFormats

/// One HTTP/2 connection seen from the server: bytes in, requests out; answers in, bytes out.
///
/// It opens no socket and waits for nothing: the caller hands over what it has read (`receive`), takes the requests
/// in `arrived`, answers (`respond`), and writes what `fill` gives until it gives nothing. SETTINGS are submitted by
/// `init`, so the first bytes out are always the server's preface. A session belongs to one thread.
///
/// nghttp2 is told twice the stream cap and never the announced number, because it answers a surplus stream by
/// ending the connection. The number it would announce is corrected in each SETTINGS frame on its way out, and
/// `StreamLimit` decides what is enforced.
package final class HTTP2Session {
  /// Requests that have arrived whole since the caller last emptied the list.
  package var arrived: [IncomingRequest] { arrivals }
  /// Streams that were handed out in `arrived` and then reset by the client, unanswered.
  package internal(set) var cancelled: [Int32] = []
  /// Streams the client opened above the last one that a GOAWAY promised to serve; nobody answers them.
  package internal(set) var ignored: [Int32] = []
  /// Streams whose requests were refused before they were handed out.
  package internal(set) var unserved: [UnservedStream] = []
  package var counters: SessionCounters { counts }
  /// Why the session cannot go on; known at the latest when `fill` gives nothing more.
  package internal(set) var failure: SessionFailure?

  /// What became of answers that did not simply leave, since the caller last took it.
  package internal(set) var answerReports: [AnswerReport] = []

  // The target's own: what another could reach is checked for overlapping access at every use.
  var arrivals: [IncomingRequest] = []
  var counts = SessionCounters()
  var awaiting = 0

  /// Answers with a body on open streams, and those of them that are known to wait.
  var bodiesOut = 0
  var heldBodies = 0
  /// Frames go to where they are kept until the connection is thawed; answers among them.
  var isDiverting = false
  var divertedAnswers: [Int32] = []

  let options: SessionOptions
  let headerListLimit: Int
  let pool: SlotPool
  let handle: OpaquePointer

  /// Memory of the slots of open streams, in bytes.
  var slotBytes = 0
  /// Set while all connections together hold more than they may, and this one is no small part of it.
  package var isCramped = false
  /// Answers that have not left and could, for all this side knows.
  package internal(set) var unsentAnswers = 0
  /// Changes whenever anything of them leaves.
  package internal(set) var answerProgress: UInt64 = 0

  var limit: StreamLimit
  /// What a stream beyond the limit brings about, if not its refusal.
  var excessStreams: ExcessStreams?
  /// Streams with a slot.
  var openCount = 0
  /// Of those, the ones handed out in `arrived` and not yet answered.
  package var awaitingCount: Int { awaiting }
  /// The open streams, newest first.
  var open: StreamSlot.Pointer?
  /// The open stream that began last: saves nghttp2's look-up for its fields and frames. `headersBegan` sets it, and
  /// its own end clears it; nothing else may, or what arrives for one stream lands in another.
  var latest: StreamSlot.Pointer?
  /// Streams that were not HTTP.
  var malformedCount = 0
  var clientStreams = FinishedStreams()
  /// Streams whose answer waits for the connection's window.
  var waitingForWindow: [Int32] = []

  /// Bytes of the preface received so far.
  var prefaceCount = 0
  /// Numbers to write into the SETTINGS frames that have not left yet, oldest first.
  var unsentLimits: [UInt32] = []
  /// Frames that nghttp2 carries without knowing what they are, oldest first.
  var unsentOwn: [CustomFrame] = []
  /// The one of them that nghttp2 has packed last.
  var packedOwn: CustomFrame?
  /// Streams that are forgotten without a word: their RST_STREAM only makes nghttp2 forget them and does not leave.
  var dropped: Set<Int32> = []
  /// A GOAWAY was asked for, and which stream is the last to be served.
  var isLeaving = false
  var lastServed = Int32.max
  /// Increments the client has not been told of, by stream; nil while it is told of all.
  var withheld: [Int32: UInt32]?
  /// Answers that leave in pieces.
  var splits: [Int32: SplitBody] = [:]
  /// What `fill` has not given away yet of the frame that nghttp2 handed out last.
  var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  /// A frame of ours while it is corrected and written.
  var corrected: UnsafeMutableRawBufferPointer
  let block: FieldBlock

  package init(_ options: SessionOptions, pool: SlotPool) {
    self.options = options
    self.pool = pool
    headerListLimit = options.headerListLimit
    limit = StreamLimit(announced: options.announcedStreams, cap: options.streamCap, strict: options.strictStreams)
    corrected = .allocate(byteCount: 64, alignment: 1)
    block = FieldBlock(unindexed: options.unindexedNames)
    handle = SessionCallbacks.makeSession()
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
    // nghttp2 does not tell of the streams that are open when a session is deleted.
    nghttp2_session_del(handle)
    while let slot = open {
      open = slot.pointee.next
      pool.giveBack(slot)
    }
    corrected.deallocate()
  }

  /// The limit nghttp2 enforces by ending the connection: beyond all that a client may be granted.
  var believedStreams: UInt32 { UInt32(clamping: max(options.streamCap, 1) * 2) }

  /// Answered and unanswered requests, and those still arriving.
  package var openStreamCount: Int { openCount }
  package var wantsRead: Bool { nghttp2_session_want_read(handle) != 0 }
  package var wantsWrite: Bool { !rest.isEmpty || nghttp2_session_want_write(handle) != 0 }
  /// Nothing more will be read or written: the connection may be closed.
  package var isFinished: Bool { (!wantsRead || (isLeaving && openCount == 0)) && !wantsWrite }

  /// Announces another MAX_CONCURRENT_STREAMS. The frame leaves before any response submitted afterwards: nghttp2
  /// sends SETTINGS ahead of everything else.
  package func announceStreams(_ count: Int) {
    guard submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, believedStreams)]) else { return }
    limit.announce(max(count, 0))
    excessStreams = nil
    unsentLimits.append(UInt32(clamping: count))
  }

  /// Ends a stream without an answer, or before its answer has left, as the caller wants.
  ///
  /// - Returns: whether the stream was open and not reset already.
  @discardableResult
  package func reset(_ stream: Int32, _ code: ErrorCode) -> Bool {
    guard beginReset(stream, nil) else { return false }
    submitReset(stream, code)
    return true
  }

  /// Forgets a stream without a word.
  ///
  /// - Parameter report: what is said of its answer, where somebody is to give one or has.
  func drop(_ stream: Int32, _ report: AnswerReport.Kind?) {
    guard beginReset(stream, report) else { return }
    dropped.insert(stream)
    submitReset(stream, .refusedStream)
  }

  private func beginReset(_ stream: Int32, _ report: AnswerReport.Kind?) -> Bool {
    guard let slot = slot(of: stream), slot.pointee.phase != .reset else { return false }
    if let report { reportReset(slot, report) }
    if slot.pointee.phase == .awaiting { awaiting -= 1 }
    answerEnded(slot)
    bodyEnded(slot)
    slot.pointee.phase = .reset
    return true
  }

  /// Has nghttp2 send RST_STREAM. Of several for one stream it sends the first.
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

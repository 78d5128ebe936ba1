import CNghttp2
import WireFormats

/// The server side of one HTTP/2 connection: bytes in, requests out; answers in, bytes out.
///
/// The session does no input or output itself: the caller passes the bytes it has read (`receive`), takes the requests
/// in `arrived`, answers (`respond`), and writes what `fill` returns until it returns nothing. `init` submits SETTINGS,
/// so the first bytes sent are always the server's preface. A session belongs to one thread.
///
/// nghttp2 is given twice the stream cap instead of the announced number, because it answers a surplus stream by ending
/// the connection. The announced number is corrected in each outgoing SETTINGS frame, and `StreamLimit` decides what is
/// enforced.
///
/// nghttp2 calls back while it reads and while it packs frames. No value is being changed meanwhile: the parts of the
/// state that are structures do not call nghttp2.
package final class HTTP2Session {
  /// Steady nanoseconds of what is received and written; set by the caller.
  package var now: Int64 = 0
  private let options: SessionOptions
  private let handle: ServerHandle
  private let block: FieldBlock
  private let streams: OpenStreams
  private let intake: RequestIntake
  private let answers: AnswerReports
  private let output: FrameOutput
  private var preface = ClientPreface()
  private var finished = FinishedStreams()
  private var splits: [Int32: SplitBody] = [:]
  /// Streams whose answer waits for the connection's window.
  private var waitingForWindow: [Int32] = []

  package init(_ options: SessionOptions, pool: SlotPool) {
    self.options = options
    handle = ServerHandle(pool.memory)
    block = FieldBlock(unindexed: options.unindexedNames)
    streams = OpenStreams(handle, pool)
    answers = AnswerReports(streams)
    output = FrameOutput(handle, answers: answers, options: options)
    intake = RequestIntake(options, streams: streams, output: output)
    handle.setOwner(self)
  }

  deinit { handle.free() }

  // MARK: State

  /// Reason for which the session cannot continue; set at the latest when `fill` returns nothing more.
  package var failure: SessionFailure? { output.failure }
  /// Complete requests since the caller last cleared the list.
  package var arrived: [IncomingRequest] { intake.arrivals.requests }
  /// Streams that were handed over in `arrived` and reset by the client before they were answered.
  package var cancelled: [Int32] { intake.arrivals.cancelled }
  /// Streams that the client opened above the last stream of a GOAWAY; they are not answered.
  package var ignored: [Int32] { intake.arrivals.ignored }
  /// Streams whose requests were refused before they were handed over.
  package var unserved: [UnservedStream] { intake.arrivals.unserved }
  package var counters: SessionCounters { intake.arrivals.counters }
  /// Answers that were not sent at once, since the caller last took the list.
  package var answerReports: [AnswerReport] { answers.list }
  /// Number of unsent answers that could be sent as far as this side knows.
  package var unsentAnswers: Int { answers.unsentCount }
  /// Changes whenever part of them is sent.
  package var answerProgress: UInt64 { answers.progress }
  /// True if the client's preface is complete: the magic bytes and SETTINGS (RFC 9113 section 3.4).
  package var isGreeted: Bool { preface.isComplete }
  /// Number of requests that are arriving, waiting or answered.
  package var openStreamCount: Int { streams.count }
  /// Number of requests that are complete and not yet answered.
  package var awaitingCount: Int { streams.awaitingCount }
  /// Bytes held for requests not yet handed over and answers not yet sent.
  package var heldBytes: Int { streams.heldBytes + intake.arrivals.heldBytes }
  /// Set while all connections together exceed their memory limit and this one has a considerable part of it: no stream
  /// is begun, and no body is continued.
  package var isOverMemoryBudget: Bool {
    get { intake.isOverMemoryBudget }
    set { intake.isOverMemoryBudget = newValue }
  }

  package var wantsRead: Bool { handle.wantsRead }
  package var wantsWrite: Bool { output.hasUnwritten }
  /// Nothing more will be read or written: the connection can be closed.
  package var isFinished: Bool { (!wantsRead || (output.isLeaving && streams.count == 0)) && !wantsWrite }

  // MARK: Requests

  /// Processes bytes read from the socket. Afterwards `arrived`, `cancelled` and `failure` hold the results.
  package func receive(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, let base = bytes.baseAddress else { return }
    let matched = preface.received(bytes.count)
    let (sound, mistake) = finished.follow(bytes)
    let result = handle.receive(base, sound)
    guard result >= 0 else { return giveUp(Int32(truncatingIfNeeded: result), matched: matched, bytes) }
    for stream in finished.takeLate() { output.reset(mistaken: stream, .streamClosed) }
    if let mistake { handle.goAway(for: mistake) }
  }

  /// Clears requests and cancellations after the caller has taken them; their storage is reused.
  package func clearArrivals() { intake.clear() }

  /// The caller has taken the first `count` requests in `arrived`, and the cancellations. The others are handed over
  /// later, unless a limit on streams or a GOAWAY excludes them.
  package func handedOver(_ count: Int) { intake.handedOver(count) }

  /// Drops waiting requests that the client has reset; neither list contains them any more.
  package func withdrawCancelled() { intake.withdrawCancelled() }

  /// Takes and clears `unserved`.
  package func takeUnserved() -> [UnservedStream] { intake.takeUnserved() }

  /// Takes and clears `ignored`.
  package func takeIgnored() -> [Int32] { intake.takeIgnored() }

  private func giveUp(_ error: Int32, matched: Int, _ bytes: UnsafeRawBufferPointer) {
    let text = ServerHandle.text(of: error)
    switch error {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
      let first = Preface.firstBytes(matched: matched, then: bytes)
      output.fail(
        .notHTTP2(firstBytes: first, looksLikeHTTP1: Preface.looksLikeHTTP1(first)), .protocolError)
    case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue:
      output.fail(.flooded(text: text), .enhanceYourCalm)
    default: output.fail(.broken(text: text), .internalError)
    }
  }

  // MARK: What nghttp2 reports while it reads

  func headersBegan(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
    let stream = frame.pointee.hd.stream_id
    switch intake.streamBegan(stream) {
    case .accepted: return 0
    case .refused: break
    case .exceeded(let excess):
      goAway(lastStream: stream - 2, excess.code, debug: excess.debug)
      intake.ignore(stream)
    }
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  func fieldArrived(
    _ frame: UnsafePointer<nghttp2_frame>, name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>,
    valueCount: Int
  ) -> Int32 {
    intake.fieldArrived(frame, name: name, nameCount: nameCount, value: value, valueCount: valueCount)
  }

  func dataArrived(_ stream: Int32, _ data: UnsafePointer<UInt8>, count: Int) {
    intake.dataArrived(stream, data, count: count)
  }

  func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      intake.headersEnded(frame)
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { requestEnded(header.stream_id) }
    case NGHTTP2_DATA.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { requestEnded(header.stream_id) }
    case NGHTTP2_SETTINGS.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 {
        intake.limitAcknowledged()
      } else {
        preface.complete()
      }
    case NGHTTP2_WINDOW_UPDATE.rawValue:
      if header.stream_id == 0 { windowGrew() }
    default: break
    }
  }

  private func requestEnded(_ stream: Int32) {
    if intake.requestEnded(stream) { return }
    respond(stream, HTTPResponse(status: 431, fields: HTTPFields(), body: []))
  }

  func streamClosed(_ stream: Int32, _ code: ErrorCode) {
    guard let slot = streams[stream] else { return }
    switch slot.pointee.phase {
    case .awaiting: intake.cancelled(stream)
    case .answered: answers.streamClosed(slot, code)
    case .arriving, .reset: break
    }
    streams.end(slot)
  }

  // MARK: Answers

  /// Answers a request. An answer to a stream that is closed, reset or already answered is dropped: it crossed a reset
  /// (RFC 9113 section 5.1).
  ///
  /// - Returns: true if the answer was accepted.
  @discardableResult
  package func respond(_ stream: Int32, _ response: HTTPResponse) -> Bool {
    guard let slot = streams.beginAnswer(stream) else { return false }
    let hasBody = !response.body.isEmpty && !slot.pointee.isHead
    answers.answerBegan(slot, hasBody: hasBody)
    if hasBody { response.body.withUnsafeBytes { body in streams.fill(slot) { $0.hold(answer: body) } } }
    return submit(stream, response, body: hasBody ? SessionCallbacks.answerBody : nil)
  }

  /// Answers like `respond`, but sends the body in pieces. A piece larger than the client's windows is split further.
  ///
  /// - Returns: true if the answer was accepted.
  @discardableResult
  package func respond(_ stream: Int32, _ response: HTTPResponse, in split: BodySplit) -> Bool {
    guard let slot = streams.beginAnswer(stream) else { return false }
    let neverEnds = split.end == .never
    answers.answerBegan(
      slot, isPaced: split.pause != nil || neverEnds, hasBody: !neverEnds, neverEnds: neverEnds)
    let body = slot.pointee.isHead ? [] : response.body
    body.withUnsafeBytes { body in streams.fill(slot) { $0.hold(answer: body) } }
    // Forget split answers of streams that were reset.
    if splits.count > streams.count { splits = splits.filter { handle.slot(of: $0.key) != nil } }
    splits[stream] = SplitBody(split)
    return submit(stream, response, body: SessionCallbacks.splitBody)
  }

  private func submit(_ stream: Int32, _ response: HTTPResponse, body: nghttp2_data_provider?) -> Bool {
    let isAccepted = block.with(response) { fields, count in handle.submit(stream, fields, count: count, body: body) }
    if !isAccepted { reset(stream, .internalError) }
    return isAccepted
  }

  /// Sends the next piece of a split answer.
  ///
  /// - Returns: true if another piece follows.
  package func continueSplit(_ stream: Int32) -> Bool {
    guard let slot = streams[stream], let end = splits[stream]?.end else { return false }
    splits[stream]?.allowOne()
    handle.resume(stream)
    return slot.pointee.unsent > 0 || end == .apart
  }

  /// nghttp2 asks for at most `room` bytes of an answer's body.
  ///
  /// An answer is sent in one DATA frame, because Pushy and aioapns lose the reason of a split one. So if only the
  /// connection's window is too small, the answer waits until it grows. A client whose stream window is smaller than
  /// the answer gets it in pieces, as it requested.
  func bodyWanted(_ stream: Int32, into memory: UnsafeMutablePointer<UInt8>, room: Int, ends: inout Bool) -> Int {
    guard let slot = streams[stream] else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let left = slot.pointee.unsent
    if room < left, left <= options.maxFrame, handle.window(of: stream) >= left {
      waitingForWindow.append(stream)
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let taken = min(left, room)
    slot.pointee.send(taken, into: memory)
    answers.bodyMoved(slot)
    ends = taken == left
    return taken
  }

  /// nghttp2 asks for at most `room` bytes of the body of a split answer.
  func splitWanted(_ stream: Int32, into memory: UnsafeMutablePointer<UInt8>, room: Int, ends: inout Bool) -> Int {
    guard let slot = streams[stream], let piece = splits[stream]?.next(left: slot.pointee.unsent, room: room) else {
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    var taken = 0
    switch piece {
    case .none: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .end: ends = true
    case .bytes(let count, let endsStream):
      taken = count
      ends = endsStream
      slot.pointee.send(count, into: memory)
      answers.bodyMoved(slot)
    }
    if ends { splits[stream] = nil }
    return taken
  }

  /// The client has enlarged the connection's window: waiting answers are tried again.
  private func windowGrew() {
    guard !waitingForWindow.isEmpty else { return }
    let waiting = waitingForWindow
    waitingForWindow.removeAll(keepingCapacity: true)
    for stream in waiting { handle.resume(stream) }
  }

  // MARK: Answers that are not sent at once

  /// Called after everything possible was sent: reports answers that could not be sent.
  package func reportHeldAnswers() {
    guard answers.hasUnreported else { return }
    answers.nothingMoreFits { splits[$0]?.isPausing == true }
  }

  /// Called instead on a connection that must not send anything.
  package func reportFrozenAnswers() { answers.nothingMayLeave() }

  /// The connection has ended: unsent answers are lost.
  package func giveUpAnswers() { answers.connectionEnded() }

  /// Frames of `fillOnlyPings` that were kept are sent now.
  package func releaseDivertedAnswers() { answers.divertedReleased() }

  /// Takes and clears `answerReports`.
  package func takeAnswerReports() -> [AnswerReport] { answers.takeAll() }

  /// nghttp2 did not send an answer's fields, because the stream is closed or about to be.
  func fieldsNotSent(_ stream: Int32) { answers.fieldsNotSent(stream) }

  // MARK: Resets and GOAWAY

  /// Ends a stream without an answer, or before its answer was sent, by order of the caller.
  ///
  /// - Returns: true if the stream was open and not yet reset.
  @discardableResult
  package func reset(_ stream: Int32, _ code: ErrorCode) -> Bool {
    guard let slot = streams[stream], beginReset(slot) else { return false }
    output.reset(ordered: stream, code)
    return true
  }

  private func beginReset(_ slot: StreamSlot.Pointer) -> Bool {
    guard let phase = streams.beginReset(slot) else { return false }
    if phase == .answered { answers.answerEnded(slot) }
    return true
  }

  /// Tells the client that no stream after `lastStream` will be served; nil means the last stream begun. Streams up to
  /// it are finished; streams above it are dropped silently, as the client must expect (RFC 9113 section 6.8).
  ///
  /// The frame follows the answers that can be sent now, with their bodies: python-h2 refuses DATA after a GOAWAY, so
  /// its users would never read why a connection ends. nghttp2 alone would send it between HEADERS and DATA. An answer
  /// that waits for the client's window does not hold it back.
  ///
  /// The method can be called again. The number is sent as given, but the last served stream never rises. nghttp2 is
  /// not told, because it would then serve no new stream at all, and answer no PING once the open streams are done.
  package func goAway(lastStream: Int32? = nil, _ code: ErrorCode, debug: [UInt8] = []) {
    output.goAway(lastStream: lastStream, code, debug: debug)
    let waiting = intake.waitingStreams
    for slot in streams where !output.serves(slot.pointee.stream) {
      let stream = slot.pointee.stream
      if waiting.contains(stream) {
        intake.excluded(stream)
      } else {
        answers.dropped(slot, isSplit: splits[stream] != nil)
      }
      if beginReset(slot) { output.reset(silently: stream) }
    }
  }

  package func ping() { handle.ping() }

  // MARK: Limits on streams and windows

  /// Announces a new regular MAX_CONCURRENT_STREAMS; while a limit of `limitStreams` is in force, later, when it is
  /// lifted.
  package func announceStreams(_ count: Int) { intake.announceStreams(count) }

  /// Ends what `limitStreams` has begun: the regular number is announced, unless it was the last one announced.
  package func restoreStreamLimit() { intake.restoreStreamLimit() }

  /// Announces another MAX_CONCURRENT_STREAMS than the regular one, until `restoreStreamLimit`.
  ///
  /// REFUSED_STREAM means that nothing of a request was processed (RFC 9113 section 8.7). So a request that was handed
  /// over is never refused but answered, however many there are.
  ///
  /// - Parameters:
  ///   - refusesOpen: true if the limit applies at once, acknowledged or not: of the streams whose requests were not
  ///     handed over, the newest beyond it are reset with REFUSED_STREAM, and so is every later one. Otherwise open
  ///     streams finish, and the limit applies when it is acknowledged.
  ///   - excessStreams: the GOAWAY that the first stream beyond the limit causes instead; then the connection ends.
  package func limitStreams(_ count: Int, refusesOpen: Bool = true, excessStreams: ExcessStreams? = nil) {
    intake.limitStreams(count, refusesOpen: refusesOpen, excessStreams: excessStreams)
  }

  /// Announces a new INITIAL_WINDOW_SIZE, in bytes.
  ///
  /// - Parameter withheld: true to stop sending WINDOW_UPDATE, also for the connection, whose window begins with 65,535
  ///   bytes. False sends everything withheld before.
  package func setWindow(_ bytes: Int, withheld: Bool) {
    guard output.announce(window: bytes) else { return }
    intake.otherSettingsAnnounced()
    if withheld { output.withholdWindows() } else { output.releaseWindows() }
  }

  // MARK: Bytes

  /// Fills `buffer` with the bytes to write next.
  ///
  /// - Returns: the number of bytes; fewer than fit if there is nothing more for now.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int { output.fill(buffer, at: now) }

  /// Everything to be written next if only answers to PINGs may be sent.
  ///
  /// - Returns: the bytes to send, which begin with the rest of a partly sent frame, and the bytes to keep, in order.
  package func fillOnlyPings() -> (leaving: [UInt8], held: [UInt8]) { output.fillOnlyPings(at: now) }

  /// nghttp2 asks for the payload of our oldest frame.
  func packOwn(into memory: UnsafeMutableRawPointer, room: Int) -> Int { output.packOwn(into: memory, room: room) }
}

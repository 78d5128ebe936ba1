import CNghttp2
import WireFormats

/// The requests of a session until they are handed over: accepts or refuses streams, checks what nghttp2 reports of
/// them, and keeps complete requests.
final class RequestIntake {
  /// Result of a stream's beginning.
  enum Beginning {
    case accepted
    case refused
    /// The stream is beyond the limit, and the connection ends with this GOAWAY.
    case exceeded(ExcessStreams)
  }

  private(set) var arrivals = Arrivals()
  /// True while no stream may be begun and no body be continued.
  var isOverMemoryBudget = false

  private let options: SessionOptions
  private let headerListLimit: Int
  private let streams: OpenStreams
  private let output: FrameOutput
  private var limit: StreamLimit
  private var announced: AnnouncedStreams

  /// Returned to nghttp2: it skips the rest of the header block.
  private static let skip = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue

  init(_ options: SessionOptions, streams: OpenStreams, output: FrameOutput) {
    self.options = options
    self.streams = streams
    self.output = output
    headerListLimit = options.headerListLimit
    limit = StreamLimit(announced: options.announcedStreams, cap: options.streamCap, strict: options.strictStreams)
    announced = AnnouncedStreams(options.announcedStreams)
  }

  private var isFull: Bool { isOverMemoryBudget || streams.heldBytes >= options.heldLimit }

  // MARK: What nghttp2 reports

  func streamBegan(_ stream: Int32) -> Beginning {
    guard output.serves(stream) else {
      ignore(stream)
      return .refused
    }
    guard streams.count < limit.enforced else {
      guard let excess = announced.exceeded() else { return refuse(stream, .refused) }
      arrivals.streamExceeded()
      return .exceeded(excess)
    }
    guard !isFull else { return refuse(stream, .noRoom) }
    streams.begin(stream)
    return .accepted
  }

  private func refuse(_ stream: Int32, _ why: UnservedStream.Reason) -> Beginning {
    arrivals.refuse(stream, why)
    output.reset(mistaken: stream, .refusedStream)
    return .refused
  }

  /// The stream is above the last one that is served.
  func ignore(_ stream: Int32) {
    arrivals.ignore(stream)
    output.reset(silently: stream)
  }

  /// The slot of a stream whose request is not complete.
  private func arrivingSlot(_ stream: Int32) -> StreamSlot.Pointer? {
    guard let slot = streams[stream], slot.pointee.phase == .arriving else { return nil }
    return slot
  }

  /// - Returns: the result for nghttp2.
  func fieldArrived(
    _ frame: UnsafePointer<nghttp2_frame>, name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>,
    valueCount: Int
  ) -> Int32 {
    guard let slot = arrivingSlot(frame.pointee.hd.stream_id) else { return 0 }
    guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
      guard
        let why = slot.pointee.trailerArrived(
          name: name, nameCount: nameCount, value: value, valueCount: valueCount)
      else { return 0 }
      return reject(slot, malformed: why)
    }
    let limit = headerListLimit
    let result = streams.fill(slot) {
      $0.fieldArrived(name: name, nameCount: nameCount, value: value, valueCount: valueCount, limit: limit)
    }
    switch result {
    case .taken: return 0
    case .malformed(let why): return reject(slot, malformed: why)
    case .tooLarge(let isFirst):
      if isFirst { arrivals.headerListExceeded() }
      guard options.oversizeHeaders == .reset else { return 0 }
      resetForMistake(slot, .enhanceYourCalm)
      return Self.skip
    }
  }

  func headersEnded(_ frame: UnsafePointer<nghttp2_frame>) {
    guard let slot = arrivingSlot(frame.pointee.hd.stream_id) else { return }
    if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
      if let why = slot.pointee.headersEnded() { reject(slot, malformed: why) }
    } else if frame.pointee.headers.cat == NGHTTP2_HCAT_HEADERS,
      frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0
    {
      reject(slot, malformed: "trailers do not end the stream")
    }
  }

  func dataArrived(_ stream: Int32, _ data: UnsafePointer<UInt8>, count: Int) {
    guard let slot = arrivingSlot(stream) else { return }
    let (before, limit) = (slot.pointee.capacity, options.bodyLimit + 1)
    if let why = streams.fill(slot, { $0.bodyArrived(data, count, limit: limit) }) {
      reject(slot, malformed: why)
      return
    }
    guard slot.pointee.capacity > before, isFull else { return }
    arrivals.refuse(stream, .noRoom)
    resetByOrder(slot)
    streams.empty(slot)
  }

  /// - Returns: false if the header list was too large, which is to be answered.
  func requestEnded(_ stream: Int32) -> Bool {
    guard let slot = arrivingSlot(stream) else { return true }
    if let why = slot.pointee.endProblem {
      reject(slot, malformed: why)
      return true
    }
    streams.requestEnded(slot)
    guard !slot.pointee.headersTooLarge else { return false }
    // Appended, because the initializer with uninitialized capacity looks up the storage's class for every array.
    var storage: [UInt8] = []
    storage.append(contentsOf: slot.pointee.request)
    arrivals.requestEnded(
      IncomingRequest(stream: stream, request: HTTPRequest(storage: storage, bodyStart: slot.pointee.bodyStart)))
    streams.empty(slot)
    return true
  }

  /// The client has reset a stream that was waiting for an answer.
  func cancelled(_ stream: Int32) { arrivals.cancel(stream) }

  func limitAcknowledged() { limit.acknowledge() }

  /// Resets a stream with an invalid request (RFC 9113 section 8.1.1).
  @discardableResult
  private func reject(_ slot: StreamSlot.Pointer, malformed why: StaticString) -> Int32 {
    arrivals.reject(slot.pointee.stream, malformed: why)
    resetForMistake(slot, .protocolError)
    streams.empty(slot)
    return Self.skip
  }

  private func resetForMistake(_ slot: StreamSlot.Pointer, _ code: ErrorCode) {
    if streams.beginReset(slot) != nil { output.reset(mistaken: slot.pointee.stream, code) }
  }

  private func resetByOrder(_ slot: StreamSlot.Pointer) {
    if streams.beginReset(slot) != nil { output.reset(ordered: slot.pointee.stream, .refusedStream) }
  }

  // MARK: What the caller takes

  func clear() { arrivals.clear() }

  func handedOver(_ count: Int) { arrivals.handedOver(count) }

  func withdrawCancelled() { arrivals.withdrawCancelled() }

  func takeUnserved() -> [UnservedStream] { arrivals.takeUnserved() }

  func takeIgnored() -> [Int32] { arrivals.takeIgnored() }

  // MARK: What excludes requests

  /// Open streams whose request was not handed over: it is still arriving, or waiting.
  var waitingStreams: Set<Int32> {
    arrivals.streams.union(streams.lazy.filter { $0.pointee.phase == .arriving }.map(\.pointee.stream))
  }

  /// A GOAWAY excludes a stream whose request was not handed over.
  func excluded(_ stream: Int32) { arrivals.withdraw(stream, .aboveLastStream) }

  func announceStreams(_ count: Int) { if let count = announced.setRegular(count) { _ = announce(count) } }

  func restoreStreamLimit() { if let count = announced.restore() { _ = announce(count) } }

  func limitStreams(_ count: Int, refusesOpen: Bool, excessStreams: ExcessStreams?) {
    let count = announced.replace(by: count, excessStreams)
    guard announce(count), refusesOpen else { return }
    limit.holdAtOnce(to: count)
    let waiting = waitingStreams
    for slot in streams.prefix(max(streams.count - count, 0)) where waiting.contains(slot.pointee.stream) {
      arrivals.withdrawExcess(slot.pointee.stream)
      resetByOrder(slot)
    }
  }

  private func announce(_ count: Int) -> Bool {
    guard output.announce(streams: count) else { return false }
    limit.announce(count)
    announced.announced(count)
    return true
  }

  /// A SETTINGS frame about something else was sent, and will be acknowledged.
  func otherSettingsAnnounced() { limit.announceAgain() }
}

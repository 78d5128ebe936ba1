/// The reports about answers that are not sent at once. Called for each step of an answer.
///
/// The state of one answer is in the slot of its stream (`StreamSlot.Answer`).
final class AnswerReports {
  /// Reports that the caller has not taken yet.
  private(set) var list: [AnswerReport] = []
  /// Number of unsent answers that could be sent as far as this side knows.
  private(set) var unsentCount = 0
  /// Changes whenever part of them is sent.
  private(set) var progress: UInt64 = 0

  private let streams: OpenStreams
  /// Number of answers with a body on open streams, and of those known to wait.
  private var bodyCount = 0
  private var waitingBodyCount = 0
  /// Frames are kept until the connection is thawed.
  private var isDiverting = false
  /// Streams whose answers are complete in frames that are kept.
  private var diverted: [Int32] = []
  /// Streams that are dropped silently, with an answer whose fields may or may not have been sent; true if it is cut if
  /// they were.
  private var undecided: [Int32: Bool] = [:]

  init(_ streams: OpenStreams) { self.streams = streams }

  /// True if an answer has a body that is not known to wait, so that `nothingMoreFits` reports it.
  var hasUnreported: Bool { bodyCount != waitingBodyCount }

  func takeAll() -> [AnswerReport] {
    defer { list = [] }
    return list
  }

  // MARK: One answer

  /// An answer was given.
  ///
  /// - Parameters:
  ///   - isPaced: true if the answer does not wait only for the client.
  ///   - hasBody: true if its end is in a DATA frame.
  func answerBegan(_ slot: StreamSlot.Pointer, isPaced: Bool = false, hasBody: Bool, neverEnds: Bool = false) {
    slot.pointee.answer.isPaced = isPaced
    slot.pointee.answer.hasBody = hasBody
    slot.pointee.answer.neverEnds = neverEnds
    if !isPaced { unsentCount += 1 }
    if hasBody { bodyCount += 1 }
  }

  /// Part of an answer's body was passed to nghttp2, and so were its fields before; frames that are diverted are not
  /// sent yet.
  @inline(__always)
  func bodyMoved(_ slot: StreamSlot.Pointer) {
    if !isDiverting { slot.pointee.answer.hasBegun = true }
    progress &+= 1
  }

  /// A stream with an answer has closed, because the answer was sent or the stream was reset.
  func streamClosed(_ slot: StreamSlot.Pointer, _ code: ErrorCode) {
    answerEnded(slot)
    let (stream, answer) = (slot.pointee.stream, slot.pointee.answer)
    guard !answer.neverEnds else { return }
    if code != .noError || (answer.hasBody && slot.pointee.unsent > 0) {
      list.append(AnswerReport(stream, answer.hasBegun ? .cut : .clientReset))
    } else if answer.wait != .none {
      if isDiverting { diverted.append(stream) } else { list.append(AnswerReport(stream, .left)) }
    }
  }

  /// A stream with an answer is going to be reset, or has closed.
  func answerEnded(_ slot: StreamSlot.Pointer) {
    if slot.pointee.answer.hasBody {
      bodyCount -= 1
      if slot.pointee.answer.wait != .none { waitingBodyCount -= 1 }
    }
    guard !slot.pointee.answer.isPaced else { return }
    unsentCount -= 1
    progress &+= 1
  }

  // MARK: Streams that a GOAWAY excludes

  /// A GOAWAY excludes a stream whose request was handed over.
  ///
  /// nghttp2 sends nothing more of a stream that is to be reset, also no fields that have been submitted. Of an answer
  /// that has not waited yet, only nghttp2 knows whether its fields are out: it tells by what it does next.
  func dropped(_ slot: StreamSlot.Pointer, isSplit: Bool) {
    let (stream, answer) = (slot.pointee.stream, slot.pointee.answer)
    let isCut = (slot.pointee.unsent > 0 || isSplit) && !answer.neverEnds
    switch (slot.pointee.phase, answer.wait) {
    case (.arriving, _), (.reset, _): break
    case (.answered, _) where answer.hasBegun: if isCut { list.append(AnswerReport(stream, .cut)) }
    case (.awaiting, _), (.answered, .frozen): list.append(AnswerReport(stream, .leftOut))
    case (.answered, .window), (.answered, .none): undecided[stream] = isCut
    }
  }

  /// nghttp2 did not send an answer's fields, because the stream is closed or about to be.
  func fieldsNotSent(_ stream: Int32) {
    if undecided.removeValue(forKey: stream) != nil { list.append(AnswerReport(stream, .leftOut)) }
  }

  /// The reset of a dropped stream is due, and its fields were sent before; without a body that is the whole answer.
  func resetSwallowed(_ stream: Int32) {
    if undecided.removeValue(forKey: stream) == true { list.append(AnswerReport(stream, .cut)) }
  }

  // MARK: All answers

  /// Everything possible was sent: reports answers that wait for the client's windows.
  ///
  /// - Parameter isPausing: true if the answer waits for its time instead.
  func nothingMoreFits(isPausing: (Int32) -> Bool) {
    eachAnswered { slot in
      guard slot.pointee.answer.hasBody, slot.pointee.answer.wait == .none, !isPausing(slot.pointee.stream) else {
        return
      }
      slot.pointee.answer.wait = .window
      slot.pointee.answer.hasBegun = true
      waitingBodyCount += 1
      list.append(AnswerReport(slot.pointee.stream, .waitsForWindow))
    }
  }

  /// The connection is frozen: reports all answers that were not known to wait.
  func nothingMayLeave() {
    eachAnswered { slot in
      guard slot.pointee.answer.wait == .none else { return }
      slot.pointee.answer.wait = .frozen
      if slot.pointee.answer.hasBody { waitingBodyCount += 1 }
      list.append(AnswerReport(slot.pointee.stream, .waitsFrozen))
    }
  }

  /// Frames from now on are kept.
  func divertingBegan() { isDiverting = true }

  /// Frames from now on are sent.
  func divertingEnded() { isDiverting = false }

  /// Frames kept on a frozen connection are sent now.
  func divertedReleased() {
    for stream in diverted { list.append(AnswerReport(stream, .left)) }
    diverted = []
    eachAnswered { slot in if slot.pointee.sent > 0 { slot.pointee.answer.hasBegun = true } }
  }

  /// The connection has ended: unsent answers are lost.
  func connectionEnded() {
    eachAnswered { slot in
      list.append(AnswerReport(slot.pointee.stream, slot.pointee.answer.hasBegun ? .cut : .lost))
    }
    for stream in diverted + undecided.keys.sorted() { list.append(AnswerReport(stream, .lost)) }
    diverted = []
    undecided = [:]
  }

  private func eachAnswered(_ body: (StreamSlot.Pointer) -> Void) {
    for slot in streams where slot.pointee.phase == .answered && !slot.pointee.answer.neverEnds { body(slot) }
  }
}

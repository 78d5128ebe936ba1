import CNghttp2

/// What happened to an answer that was not sent completely in the turn in which it was given.
package struct AnswerReport: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Its fields were sent; its body waits for the client's windows.
    case waitsForWindow
    /// It waits on a frozen connection.
    case waitsFrozen
    /// It had to wait, and has been sent.
    case left
    /// Its fields were sent, but its body never will be.
    case cut
    /// The client reset the stream before anything was sent.
    case clientReset
    /// The stream is above the last stream of a GOAWAY.
    case leftOut
    /// The connection ended before anything was sent.
    case lost
  }

  package let stream: Int32
  package let kind: Kind

  package init(_ stream: Int32, _ kind: Kind) {
    self.stream = stream
    self.kind = kind
  }
}

extension HTTP2Session {
  /// Called after everything possible was sent: reports answers that could not be sent.
  @inline(__always)
  package func lookForHeldAnswers() { if bodiesOut != heldBodies { reportHeldAnswers() } }

  private func reportHeldAnswers() {
    eachAnswered { slot in
      guard slot.pointee.hasBody, slot.pointee.wait == .none, !isPausing(slot) else { return }
      slot.pointee.wait = .window
      slot.pointee.hasBegun = true
      heldBodies += 1
      answerReports.append(AnswerReport(slot.pointee.stream, .waitsForWindow))
    }
  }

  /// The same on a connection that must not send anything.
  package func reportFrozenAnswers() {
    eachAnswered { slot in
      guard slot.pointee.wait == .none else { return }
      slot.pointee.wait = .frozen
      if slot.pointee.hasBody { heldBodies += 1 }
      answerReports.append(AnswerReport(slot.pointee.stream, .waitsFrozen))
    }
  }

  /// The connection has ended: unsent answers are lost.
  package func giveUpAnswers() {
    eachAnswered { slot in
      answerReports.append(AnswerReport(slot.pointee.stream, slot.pointee.hasBegun ? .cut : .lost))
    }
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .lost)) }
    divertedAnswers = []
    for stream in undecided.keys.sorted() { answerReports.append(AnswerReport(stream, .lost)) }
    undecided = [:]
  }

  /// Frames kept on a frozen connection are sent now.
  package func releaseDivertedAnswers() {
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .left)) }
    divertedAnswers = []
    eachAnswered { slot in if slot.pointee.sent > 0 { slot.pointee.hasBegun = true } }
  }

  package func takeAnswerReports() -> [AnswerReport] {
    defer { answerReports = [] }
    return answerReports
  }

  /// A stream with an answer has closed, because the answer was sent or the stream was reset.
  func answeredStreamClosed(_ slot: StreamSlot.Pointer, _ code: UInt32) {
    let stream = slot.pointee.stream
    let isOut = code == 0 && (!slot.pointee.hasBody || slot.pointee.sent == slot.pointee.count)
    bodyEnded(slot)
    guard !slot.pointee.neverEnds else { return }
    switch (slot.pointee.wait, isOut) {
    case (.none, true): break
    case (_, false): answerReports.append(AnswerReport(stream, slot.pointee.hasBegun ? .cut : .clientReset))
    case (_, true) where isDiverting: divertedAnswers.append(stream)
    case (_, true): answerReports.append(AnswerReport(stream, .left))
    }
  }

  /// An answer was given whose end is in a DATA frame.
  func bodyBegan(_ slot: StreamSlot.Pointer) {
    slot.pointee.hasBody = true
    bodiesOut += 1
  }

  /// Part of an answer's body was passed to nghttp2, and so were its fields before; frames that are diverted are not
  /// sent yet.
  @inline(__always)
  func bodyMoved(_ slot: StreamSlot.Pointer, by count: Int) {
    slot.pointee.sent += count
    if !isDiverting { slot.pointee.hasBegun = true }
    progress &+= 1
  }

  /// The body of an answer was sent, or never will be.
  func bodyEnded(_ slot: StreamSlot.Pointer) {
    guard slot.pointee.phase == .answered, slot.pointee.hasBody else { return }
    bodiesOut -= 1
    if slot.pointee.wait != .none { heldBodies -= 1 }
  }

  /// A GOAWAY excludes a stream whose request was handed over.
  ///
  /// nghttp2 sends nothing more of a stream that is to be reset, also no fields that have been submitted. Of an answer
  /// that has not waited yet, only nghttp2 knows whether its fields are out: it tells by what it does next.
  func reportDropped(_ slot: StreamSlot.Pointer) {
    let stream = slot.pointee.stream
    let isCut = (slot.pointee.sent < slot.pointee.count || splits[stream] != nil) && !slot.pointee.neverEnds
    switch (slot.pointee.phase, slot.pointee.wait) {
    case (.arriving, _), (.reset, _): break
    case (.answered, _) where slot.pointee.hasBegun: if isCut { answerReports.append(AnswerReport(stream, .cut)) }
    case (.awaiting, _), (.answered, .frozen): answerReports.append(AnswerReport(stream, .leftOut))
    case (.answered, .window), (.answered, .none): undecided[stream] = isCut
    }
  }

  /// nghttp2 did not send an answer's fields, because the stream is closed or about to be.
  func fieldsNotSent(_ stream: Int32) {
    if undecided.removeValue(forKey: stream) != nil { answerReports.append(AnswerReport(stream, .leftOut)) }
  }

  /// The reset of a dropped stream is due, and its fields were sent before; without a body that is the whole answer.
  func decideDropped(_ stream: Int32) {
    if undecided.removeValue(forKey: stream) == true { answerReports.append(AnswerReport(stream, .cut)) }
  }

  private func eachAnswered(_ body: (StreamSlot.Pointer) -> Void) {
    var next = open
    while let slot = next {
      next = slot.pointee.next
      if slot.pointee.phase == .answered, !slot.pointee.neverEnds { body(slot) }
    }
  }
}

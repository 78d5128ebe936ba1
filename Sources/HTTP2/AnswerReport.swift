import CNghttp2

/// What became of an answer that did not simply leave in the turn in which it was given.
package struct AnswerReport: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Its body waits for room in the client's windows; its fields have left.
    case waitsForWindow
    /// It waits on a connection that writes nothing on purpose.
    case waitsFrozen
    /// It had to wait, and has left.
    case left
    /// Its fields have left, and its body never will.
    case cut
    /// The client reset the stream before anything had left.
    case clientReset
    /// The stream is above the last one of a GOAWAY.
    case leftOut
    /// The stream was reset by this side, unasked.
    case reset(ErrorCode)
    /// The connection ended before anything had left.
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
  /// Looks, when all that can leave has left, for answers that could not.
  @inline(__always)
  package func lookForHeldAnswers() { if bodiesOut != heldBodies { reportHeldAnswers() } }

  private func reportHeldAnswers() {
    eachAnswered { slot in
      guard slot.pointee.hasBody, slot.pointee.wait == .none else { return }
      slot.pointee.wait = .window
      heldBodies += 1
      answerReports.append(AnswerReport(slot.pointee.stream, .waitsForWindow))
    }
  }

  /// The same where nothing may leave at all.
  package func reportFrozenAnswers() {
    eachAnswered { slot in
      guard slot.pointee.wait == .none else { return }
      slot.pointee.wait = .frozen
      if slot.pointee.hasBody { heldBodies += 1 }
      answerReports.append(AnswerReport(slot.pointee.stream, .waitsFrozen))
    }
  }

  /// The connection has ended: no answer that has not left ever will.
  package func giveUpAnswers() {
    eachAnswered { slot in
      answerReports.append(AnswerReport(slot.pointee.stream, slot.pointee.wait == .window ? .cut : .lost))
    }
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .lost)) }
    divertedAnswers = []
  }

  /// Frames that were kept on a frozen connection leave now.
  package func releaseDivertedAnswers() {
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .left)) }
    divertedAnswers = []
  }

  package func takeAnswerReports() -> [AnswerReport] {
    defer { answerReports = [] }
    return answerReports
  }

  /// A stream with an answer has closed, which it does when the answer is out, or is reset.
  func answeredStreamClosed(_ slot: StreamSlot.Pointer, _ code: UInt32) {
    let stream = slot.pointee.stream
    let isOut = code == 0 && (!slot.pointee.hasBody || slot.pointee.sent == slot.pointee.count)
    bodyEnded(slot)
    guard !slot.pointee.neverEnds else { return }
    switch (slot.pointee.wait, isOut) {
    case (.none, true): break
    case (.none, false), (.frozen, false): answerReports.append(AnswerReport(stream, .clientReset))
    case (.window, false): answerReports.append(AnswerReport(stream, .cut))
    case (_, true) where isDiverting: divertedAnswers.append(stream)
    case (_, true): answerReports.append(AnswerReport(stream, .left))
    }
  }

  /// The body of an answer has left, or never will.
  func bodyEnded(_ slot: StreamSlot.Pointer) {
    guard slot.pointee.phase == .answered, slot.pointee.hasBody else { return }
    bodiesOut -= 1
    if slot.pointee.wait != .none { heldBodies -= 1 }
  }

  /// A stream is reset by this side though nobody above has asked for it.
  func reportReset(_ slot: StreamSlot.Pointer, _ kind: AnswerReport.Kind) {
    switch slot.pointee.phase {
    case .arriving, .reset: break
    case .awaiting: answerReports.append(AnswerReport(slot.pointee.stream, kind))
    // Its fields leave before the reset; without a body they are all.
    case .answered:
      if slot.pointee.hasBody {
        answerReports.append(AnswerReport(slot.pointee.stream, slot.pointee.wait == .frozen ? kind : .cut))
      }
    }
  }

  private func eachAnswered(_ body: (StreamSlot.Pointer) -> Void) {
    var next = open
    while let slot = next {
      next = slot.pointee.next
      if slot.pointee.phase == .answered, !slot.pointee.neverEnds { body(slot) }
    }
  }
}

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
    /// This side reset the stream without an order.
    case reset(ErrorCode)
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
      guard slot.pointee.hasBody, slot.pointee.wait == .none else { return }
      slot.pointee.wait = .window
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
      answerReports.append(AnswerReport(slot.pointee.stream, slot.pointee.wait == .window ? .cut : .lost))
    }
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .lost)) }
    divertedAnswers = []
  }

  /// Frames kept on a frozen connection are sent now.
  package func releaseDivertedAnswers() {
    for stream in divertedAnswers { answerReports.append(AnswerReport(stream, .left)) }
    divertedAnswers = []
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
    case (.none, false), (.frozen, false): answerReports.append(AnswerReport(stream, .clientReset))
    case (.window, false): answerReports.append(AnswerReport(stream, .cut))
    case (_, true) where isDiverting: divertedAnswers.append(stream)
    case (_, true): answerReports.append(AnswerReport(stream, .left))
    }
  }

  /// The body of an answer was sent, or never will be.
  func bodyEnded(_ slot: StreamSlot.Pointer) {
    guard slot.pointee.phase == .answered, slot.pointee.hasBody else { return }
    bodiesOut -= 1
    if slot.pointee.wait != .none { heldBodies -= 1 }
  }

  /// This side resets a stream without an order of the caller.
  func reportReset(_ slot: StreamSlot.Pointer, _ kind: AnswerReport.Kind) {
    switch slot.pointee.phase {
    case .arriving, .reset: break
    case .awaiting: answerReports.append(AnswerReport(slot.pointee.stream, kind))
    // Its fields are sent before the reset; without a body that is the whole answer.
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

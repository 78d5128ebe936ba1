import CLibevent
import HTTP2

extension PushConnection {
  private var unwrittenCount: Int { unwritten.count - unwrittenStart }

  /// Writes all there is to write, or as much as the socket takes; then looks whether the connection is done.
  func flush() {
    guard let session, phase == .open else { return }
    guard !isFrozen else { return flushFrozen() }
    while true {
      guard writeUnwritten() else { return holdBack() }
      let count = session.fill(loop.output)
      guard count > 0 else { break }
      let written = write(UnsafeRawBufferPointer(rebasing: loop.output[..<count]))
      guard phase == .open else { return }
      if written < count { unwritten.append(contentsOf: loop.output[written..<count]) }
    }
    if !isReading {
      isReading = true
      event_add(readEvent, nil)
    }
    session.lookForHeldAnswers()
    tellAnswers(session)
    closeIfDone(session)
  }

  @inline(__always)
  func tellAnswers(_ session: Session) {
    if !session.answerReports.isEmpty { loop.sink.answers(session.takeAnswerReports(), on: id, token: token) }
  }

  /// - Returns: whether nothing is left over.
  func writeUnwritten() -> Bool {
    guard unwrittenCount > 0 else { return true }
    let written = unwritten.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[unwrittenStart...])) }
    unwrittenStart += written
    guard unwrittenCount == 0 else { return false }
    unwritten = []
    unwrittenStart = 0
    return true
  }

  /// Writes records until the socket is full.
  ///
  /// - Returns: the number of bytes taken. On failure the connection has ended.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var written = 0
    while written < bytes.count {
      switch tls.write(base + written, bytes.count - written) {
      case .bytes(let count): written += count
      case .wantsWrite:
        waitForWriting()
        return written
      case .wantsRead: return written
      case .ended, .failed, .broken:
        tlsIsSound = false
        end(.broken)
        return written
      }
    }
    return written
  }

  /// The socket is full. Frames are kept up to a bound; beyond it nothing more is read.
  private func holdBack() {
    guard let session, phase == .open else { return }
    unwritten.removeSubrange(..<unwrittenStart)
    unwrittenStart = 0
    while unwrittenCount < limits.unwritten {
      let count = session.fill(loop.output)
      guard count > 0 else { return }
      unwritten.append(contentsOf: loop.output[..<count])
    }
    guard isReading else { return }
    isReading = false
    event_del(readEvent)
  }

  private func closeIfDone(_ session: Session) {
    if let failure = session.failure {
      report(Trouble.Kind(failure))
      shutWriting(.trouble)
    } else if let closing {
      shutWriting(closing)
    } else if session.isFinished, !staysOpen {
      shutWriting(.finished)
    }
  }
}

import CLibevent
import HTTP2

extension PushConnection {
  private var unwrittenCount: Int { unwritten.count - unwrittenStart }
  private var socketIsFull: Bool { unwrittenCount > 0 || readNeedsWriting }

  /// Writes as much as possible, then checks whether the connection is finished.
  func flush() {
    guard let session, phase == .open else { return }
    reportUnserved(session)
    if isFrozen { flushFrozen() } else { writeAll(session) }
    countHeldBytes()
    watchStall()
  }

  /// Updates the total of held memory with this connection's part.
  func countHeldBytes() {
    let held = phase == .open ? (session?.heldBytes ?? 0) + unwritten.count + (connectionFaults?.held.count ?? 0) : 0
    guard held != countedBytes else { return }
    loop.held.add(held - countedBytes)
    countedBytes = held
  }

  /// Ends the connection if nothing of what waits for the client was sent for `writeStall`.
  func watchStall() {
    guard let session, phase == .open, !isFrozen, socketIsFull || session.unsentAnswers > 0 else {
      stall = nil
      return
    }
    let now = Libevent.steadyNanoseconds
    if stall == nil { stall = WriteStall(at: now, written: written, answers: session.answerProgress) }
    stall?.update(
      at: now, written: written, answers: session.answerProgress, socketIsFull: socketIsFull,
      answersWait: session.unsentAnswers > 0)
    if !stallTimerIsSet { setStallTimer(limits.writeStall) }
  }

  private func setStallTimer(_ delay: Duration) {
    let timer = stallTimer ?? LoopEvent(on: loop.base) { [unowned self] in checkStall() }
    stallTimer = timer
    stallTimerIsSet = true
    timer.add(timeout: delay)
  }

  private func checkStall() {
    stallTimerIsSet = false
    guard let stall, phase == .open else { return }
    let quiet = Duration.nanoseconds(Libevent.steadyNanoseconds - stall.since)
    guard quiet >= limits.writeStall else { return setStallTimer(limits.writeStall - quiet) }
    report(.neverReads)
    end(.trouble)
  }

  private func writeAll(_ session: HTTP2Session) {
    while true {
      guard writeUnwritten() else { return holdBack() }
      let count = session.fill(loop.output)
      guard count > 0 else { break }
      let written = write(UnsafeRawBufferPointer(rebasing: loop.output[..<count]))
      guard phase == .open else { return }
      if written < count { unwritten.append(contentsOf: loop.output[written..<count]) }
    }
    if !isReading, !readNeedsWriting {
      isReading = true
      event_add(readEvent, nil)
    }
    session.reportHeldAnswers()
    reportAnswers(session)
    closeIfDone(session)
  }

  @inline(__always)
  func reportAnswers(_ session: HTTP2Session) {
    if !session.answerReports.isEmpty { loop.sink.answers(session.takeAnswerReports(), on: id, token: token) }
  }

  /// - Returns: whether everything was written.
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
  /// - Returns: the number of bytes written. After a failure the connection has ended.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var written = 0
    while written < bytes.count {
      switch stream.write(base + written, bytes.count - written) {
      case .bytes(let count):
        written += count
        self.written &+= UInt64(count)
      case .wantsWrite:
        waitForWriting()
        return written
      case .wantsRead: return written
      case .ended, .failed, .broken, .flooded:
        tlsIsSound = false
        end(.broken)
        return written
      }
    }
    return written
  }

  /// The socket is full. Frames are kept up to a limit; beyond it, reading stops.
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

  private func closeIfDone(_ session: HTTP2Session) {
    if let failure = session.failure {
      report(ConnectionTrouble.Kind(failure))
      shutWriting(.trouble)
    } else if let closing {
      shutWriting(closing)
    } else if session.isFinished, !staysOpen {
      shutWriting(.finished)
    }
  }
}

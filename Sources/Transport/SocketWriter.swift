import HTTP2

/// Writes a session's bytes to the socket, and keeps those that a full socket does not accept.
final class SocketWriter {
  enum Outcome {
    /// Everything was written.
    case done
    /// The socket is full; the connection is called when it takes bytes again.
    case full
    /// The socket is full, and as many bytes are kept as allowed.
    case overfull
    case failed
  }

  /// Number of bytes accepted by the socket.
  private(set) var written: UInt64 = 0

  private let stream: WireStream
  private let events: ConnectionEvents
  private var kept: [UInt8] = []
  /// Bytes of `kept` before it are written.
  private var start = 0

  init(_ stream: WireStream, _ events: ConnectionEvents) {
    self.stream = stream
    self.events = events
  }

  /// True if bytes wait for the socket.
  var isWaiting: Bool { start < kept.count }
  /// Bytes in memory, including some that are written.
  var heldBytes: Int { kept.count }

  /// Writes everything that a session has for now.
  ///
  /// - Parameters:
  ///   - buffer: used meanwhile.
  ///   - limit: number of bytes to keep if the socket is full.
  func write(_ session: HTTP2Session, through buffer: UnsafeMutableRawBufferPointer, keeping limit: Int) -> Outcome {
    while true {
      let outcome = writeKept()
      guard case .done = outcome else {
        return outcome == .full ? keep(session, through: buffer, limit: limit) : outcome
      }
      let count = session.fill(buffer)
      guard count > 0 else { return .done }
      guard let done = write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return .failed }
      if done < count { kept.append(contentsOf: buffer[done..<count]) }
    }
  }

  private func keep(_ session: HTTP2Session, through buffer: UnsafeMutableRawBufferPointer, limit: Int) -> Outcome {
    dropWritten()
    while kept.count < limit {
      let count = session.fill(buffer)
      guard count > 0 else { return .full }
      kept.append(contentsOf: buffer[..<count])
    }
    return .overfull
  }

  /// Adds bytes, which are written with the next call that writes.
  func append(_ bytes: [UInt8]) {
    dropWritten()
    kept += bytes
  }

  /// - Returns: never `overfull`.
  func writeKept() -> Outcome {
    guard isWaiting else { return .done }
    let count = kept.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    guard let count else { return .failed }
    start += count
    guard !isWaiting else { return .full }
    (kept, start) = ([], 0)
    return .done
  }

  private func dropWritten() {
    kept.removeSubrange(..<start)
    start = 0
  }

  /// Writes records until the socket is full.
  ///
  /// - Returns: the number of bytes written; nil after a failure.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return 0 }
    var done = 0
    while done < bytes.count {
      switch stream.write(base + done, bytes.count - done) {
      case .bytes(let count):
        done += count
        written &+= UInt64(count)
      case .wantsWrite:
        events.waitForWriting()
        return done
      case .wantsRead: return done
      case .ended, .failed, .broken, .flooded: return nil
      }
    }
    return done
  }
}

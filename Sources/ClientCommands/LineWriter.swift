import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes lines to a file on a separate thread, so that a slow reader causes no delay.
///
/// Lines wait up to a limit. Beyond it they are dropped until half of it is free; then their number is written.
package final class LineWriter: Sendable {
  private struct State: Sendable {
    /// Lines that are not completely written yet.
    var waiting = 0
    var dropped = 0
  }

  private let file: Int32
  private let bound: Int
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "pushpit.lines")

  package init(_ file: Int32, bound: Int = 1000) {
    self.file = file
    self.bound = bound
  }

  /// Accepts a line from any thread, without waiting.
  package func say(_ line: String) {
    state.withLock { state in
      guard state.dropped == 0, state.waiting < bound else {
        state.dropped += 1
        return
      }
      state.waiting += 1
      // Under the lock, so that lines are written in order.
      queue.async { [self] in write(line) }
    }
  }

  /// Waits until all lines are written, or the time is over; at most an hour.
  package func settle(within limit: Duration) {
    let settled = DispatchSemaphore(value: 0)
    queue.async { settled.signal() }
    let milliseconds = Int(min(limit, .seconds(3600)) / .milliseconds(1))
    _ = settled.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  private func write(_ line: String) {
    Self.write(line, to: file)
    state.withLock { state in
      state.waiting -= 1
      guard state.dropped > 0, state.waiting <= bound / 2 else { return }
      let dropped = state.dropped
      state.dropped = 0
      state.waiting += 1
      queue.async { [self] in write("(\(dropped) lines were dropped here, because they were not read fast enough)") }
    }
  }

  /// Writes a complete line, however long that takes.
  ///
  /// - Returns: the number of the system's error; 0 if the line is written.
  @discardableResult
  package static func write(_ line: String, to file: Int32) -> Int32 {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { writeBytes(to: file, from: $0.baseAddress, count: $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      written += count
    }
    return 0
  }
}

/// `write` of the C library, which the name of the function above hides.
private func writeBytes(to file: Int32, from bytes: UnsafeRawPointer?, count: Int) -> Int { write(file, bytes, count) }

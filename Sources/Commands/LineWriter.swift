import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes lines to a file on a thread of its own, so that one who does not read them holds up nobody.
///
/// Lines wait up to a bound. Beyond it they are dropped until half of the bound is free; then their number is said.
package final class LineWriter: Sendable {
  private struct State: Sendable {
    /// Those that are not wholly written yet.
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

  /// Takes a line from any thread, and never waits.
  package func say(_ line: String) {
    state.withLock { state in
      guard state.dropped == 0, state.waiting < bound else {
        state.dropped += 1
        return
      }
      state.waiting += 1
      // Under the lock, so that lines are written in the order in which they were taken.
      queue.async { [self] in write(line) }
    }
  }

  /// Waits until all that was said is written, or the time is over; for an hour at the most.
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
      queue.async { [self] in write("(\(dropped) lines were left out here: they came faster than they were read)") }
    }
  }

  /// Writes a line whole, however long that takes; nothing when the file takes no more.
  package static func write(_ line: String, to file: Int32) {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { writeBytes(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }
}

/// `write` of the C library, which the name of the function above hides.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }

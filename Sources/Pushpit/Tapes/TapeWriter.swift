import Dispatch
import Simulation
import Synchronization

/// Writes a tape on a thread of its own: whoever hands something over goes on at once, unless too much waits already.
package final class TapeWriter: Sendable {
  private struct Waiting: Sendable {
    var batches: [TapeBatch] = []
    var calls = 0
    var isScheduled = false
    var isOver = false
  }

  /// What has not been written is lost when the process is killed.
  private static let rhythm: DispatchTimeInterval = .milliseconds(20)
  /// Calls that may wait; then the one who brings the next waits until they are written, for nothing is left out.
  private static let bound = 10_000

  private let waiting = Mutex(Waiting())
  private let output: Mutex<TapeOutput>
  private let queue = DispatchQueue(label: "pushpit.tape")
  private let failed: @Sendable (TapeFailure) -> Void

  /// Begins a tape, in place of what the file held.
  ///
  /// - Parameter failed: told once, when the file takes no more; the tape has ended then.
  package init(
    _ path: String, _ header: TapeHeader, failed: @escaping @Sendable (TapeFailure) -> Void = { _ in }
  ) throws(TapeFailure) {
    output = Mutex(try TapeOutput(path, header))
    self.failed = failed
  }

  /// Takes a batch; they are written in the order in which they come.
  package func add(_ batch: TapeBatch) {
    let (isFirst, isFull) = waiting.withLock { waiting in
      guard !waiting.isOver else { return (false, false) }
      waiting.batches.append(batch)
      waiting.calls += batch.calls.count
      defer { waiting.isScheduled = true }
      return (!waiting.isScheduled, waiting.calls >= Self.bound)
    }
    if isFirst { queue.asyncAfter(deadline: .now() + Self.rhythm) { [self] in drain() } }
    if isFull { queue.sync { drain() } }
  }

  /// Writes what waits, and says that nothing is missing.
  ///
  /// - Throws: what went wrong, now or before.
  package func finish() throws(TapeFailure) {
    queue.sync { drain() }
    waiting.withLock { $0.isOver = true }
    let failure = output.withLock { output in
      output.finish()
      return output.failure
    }
    if let failure { throw failure }
  }

  /// On the queue only, so that batches keep their order.
  private func drain() {
    let batches = waiting.withLock { waiting in
      defer {
        waiting.batches = []
        waiting.calls = 0
        waiting.isScheduled = false
      }
      return waiting.batches
    }
    let failure: TapeFailure? = output.withLock { output in
      guard output.failure == nil else { return nil }
      output.write(batches)
      return output.failure
    }
    guard let failure else { return }
    waiting.withLock { $0.isOver = true }
    failed(failure)
  }
}

/// Why a tape cannot be written, in a sentence.
package struct TapeFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  init(_ sentence: String) { description = sentence }
}

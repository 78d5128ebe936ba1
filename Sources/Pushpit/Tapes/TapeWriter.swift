import Dispatch
import Orders
import Simulation
import Synchronization

/// Writes a tape on a separate thread. Adding a batch returns at once unless too much is waiting.
package final class TapeWriter: Sendable {
  private struct Waiting: Sendable {
    var batches: [TapeBatch] = []
    var calls = 0
    var isScheduled = false
    var isOver = false
  }

  /// Unwritten data is lost if the process is killed.
  private static let rhythm: DispatchTimeInterval = .milliseconds(20)
  /// Maximum number of waiting calls; beyond it, adding waits until they are written, because nothing may be left out.
  private static let bound = 10_000

  private let waiting = Mutex(Waiting())
  private let output: Mutex<TapeOutput>
  private let queue = DispatchQueue(label: "pushpit.tape")
  private let failed: @Sendable (TapeFailure) -> Void

  /// Begins a tape, replacing the file's contents.
  ///
  /// - Parameter failed: called once if writing fails; then the tape has ended.
  package init(
    _ path: String, _ header: TapeHeader, failed: @escaping @Sendable (TapeFailure) -> Void = { _ in }
  ) throws(TapeFailure) {
    output = Mutex(try TapeOutput(path, header))
    self.failed = failed
  }

  /// Continues a tape.
  ///
  /// - Parameter path: another file, which gets a copy of the tape first; nil for the same file.
  init(
    continuing tape: ResumedTape, to path: String?, failed: @escaping @Sendable (TapeFailure) -> Void
  ) throws(TapeFailure) {
    output = Mutex(try TapeOutput(continuing: tape, to: path ?? tape.path))
    self.failed = failed
  }

  /// Adds a batch; batches are written in order.
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

  /// Writes waiting data and the end record.
  ///
  /// - Throws: the error that occurred now or earlier.
  package func finish() throws(TapeFailure) {
    queue.sync { drain() }
    waiting.withLock { $0.isOver = true }
    let failure = output.withLock { output in
      output.finish()
      return output.failure
    }
    if let failure { throw failure }
  }

  /// Only on the queue, so that batches keep their order.
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

/// The reason why a tape cannot be written, as a sentence.
package struct TapeFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  init(_ sentence: String) { description = sentence }
}

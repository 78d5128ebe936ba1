import Scenarios
import Simulation
import Synchronization

/// The event readers, and the batches they have not read yet, in the order in which the world made them.
///
/// Batches are added while the world is locked, and read when it is not. A query first lets the readers read
/// everything, so it sees every answered push. Lock order: world, readers, queue.
final class ReaderQueue: Sendable {
  private struct Queue {
    var batches: [EventBatch] = []
    var events = 0
  }

  private let queue = Mutex(Queue())
  private let readers: Mutex<EventReaders>

  /// Maximum number of waiting events. A thread that exceeds it helps reading.
  private static let bound = 20_000

  init(_ readers: EventReaders) { self.readers = Mutex(readers) }

  /// Call this with the world locked.
  func enqueue(_ batch: EventBatch) {
    if batch.isEmpty { return }
    queue.withLock { queue in
      queue.batches.append(batch)
      queue.events += batch.events.count
    }
  }

  /// Lets the readers read, unless another thread already does. Call this without the world's lock.
  func drain() {
    while true {
      let (events, isEmpty) = queue.withLock { ($0.events, $0.batches.isEmpty) }
      if isEmpty { return }
      if events > Self.bound {
        readAll()
      } else if readers.withLockIfAvailable({ read(&$0) }) == nil {
        // The thread that reads checks the queue once more afterwards.
        return
      }
    }
  }

  /// Lets the readers read, after a wait for another thread that is reading.
  func readAll() { readers.withLock { read(&$0) } }

  private func read(_ readers: inout EventReaders) {
    while true {
      let batches = queue.withLock { queue in
        defer { queue = Queue() }
        return queue.batches
      }
      if batches.isEmpty { return }
      for batch in batches { readers.read(batch) }
    }
  }

  /// Lends the readers to a closure after they have read everything. The world is not locked meanwhile.
  func look<Result>(_ body: (borrowing EventReaders) -> Result) -> Result {
    let result = readers.withLock { readers in
      read(&readers)
      return body(readers)
    }
    // Another thread may have left its events to this one.
    drain()
    return result
  }

  /// The report of everything so far.
  func report(_ origin: RunReport.Origin, _ processors: RunReport.Processors?) -> RunReport {
    readers.withLock { readers in
      read(&readers)
      return RunReport(origin, readers.logs, processors: processors)
    }
  }

  /// Adds processor times to the report, if there is one.
  func add(_ sample: RateSeries.Sample) { readers.withLock { $0.logs.tally?.add(sample) } }

  /// Lends the readers to a simulator, which has placeholders otherwise; they have read everything.
  func lend<Result>(to simulator: inout Simulator, _ body: (inout Simulator) -> Result) -> Result {
    readers.withLock { readers in
      read(&readers)
      swap(&readers, &simulator.readers)
      defer { swap(&readers, &simulator.readers) }
      return body(&simulator)
    }
  }
}

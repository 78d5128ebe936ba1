import Simulation
import Synchronization

/// What readers have yet to read, in the order in which the world made it, and the readers.
///
/// Batches are put in while the world is held, and read when it is not. Whoever asks the readers something has them
/// read everything first, so an answered push is found by the next query. Lock order: world, readers, queue.
final class ReaderQueue: Sendable {
  private struct Queue {
    var batches: [EventBatch] = []
    var events = 0
  }

  private let queue = Mutex(Queue())
  private let readers: Mutex<EventReaders>

  /// Events that may wait. Who puts in more reads with the others.
  private static let bound = 20_000

  init(_ readers: EventReaders) { self.readers = Mutex(readers) }

  /// To be called with the world held.
  func enqueue(_ batch: EventBatch) {
    if batch.isEmpty { return }
    queue.withLock { queue in
      queue.batches.append(batch)
      queue.events += batch.events.count
    }
  }

  /// Has the readers read, unless somebody else does already. To be called when the world is free.
  func drain() {
    while true {
      let (events, isEmpty) = queue.withLock { ($0.events, $0.batches.isEmpty) }
      if isEmpty { return }
      if events > Self.bound {
        readAll()
      } else if readers.withLockIfAvailable({ read(&$0) }) == nil {
        // Whoever has them looks into the queue once more after that.
        return
      }
    }
  }

  /// The same, and waits for whoever does so already.
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

  /// Lends the readers to a simulator, which has others meanwhile; they have read all there is.
  func lend<Result>(to simulator: inout Simulator, _ body: (inout Simulator) -> Result) -> Result {
    readers.withLock { readers in
      read(&readers)
      swap(&readers, &simulator.readers)
      defer { swap(&readers, &simulator.readers) }
      return body(&simulator)
    }
  }
}

import Synchronization

/// The memory that all connections together hold for requests and answers.
final class BufferedBytes: Sendable {
  private let count = Atomic<Int>(0)

  func add(_ more: Int) { count.add(more, ordering: .relaxed) }

  func isBeyond(_ limit: Int) -> Bool { count.load(ordering: .relaxed) >= limit }

  var current: Int { count.load(ordering: .relaxed) }
}

import Synchronization

/// The memory that all connections together hold for requests and answers.
final class BufferedBytes: Sendable {
  private let count = Atomic<Int>(0)

  func add(_ more: Int) { count.add(more, ordering: .relaxed) }

  func isBeyond(_ limit: Int) -> Bool { count.load(ordering: .relaxed) >= limit }

  var current: Int { count.load(ordering: .relaxed) }

  /// The part of one connection.
  struct Share {
    private let total: BufferedBytes
    private(set) var count = 0

    init(of total: BufferedBytes) { self.total = total }

    mutating func set(_ bytes: Int) {
      guard bytes != count else { return }
      total.add(bytes - count)
      count = bytes
    }
  }
}

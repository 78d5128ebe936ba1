import APNs
import Timeline

/// The most recent troubles. Repeated troubles from one address are counted in one entry, so that one client that keeps
/// retrying does not evict all others.
package struct TroubleLog: Sendable {
  package struct Entry: Hashable, Sendable {
    /// The time and port of the last occurrence.
    package fileprivate(set) var latest: ClientTrouble
    /// The time of the first occurrence.
    package let first: Instant
    package fileprivate(set) var count: UInt64 = 1
    /// Number of the last occurrence among all troubles, from 1.
    package fileprivate(set) var number: UInt64
    fileprivate let host: Substring

    fileprivate init(_ trouble: ClientTrouble, number: UInt64) {
      latest = trouble
      first = trouble.at
      self.number = number
      host = Self.host(of: trouble)
    }

    fileprivate func isSame(as trouble: ClientTrouble) -> Bool {
      latest.kind == trouble.kind && latest.sentence == trouble.sentence && host == Self.host(of: trouble)
    }

    /// Without the port, which differs for every connection.
    private static func host(of trouble: ClientTrouble) -> Substring {
      trouble.peer.lastIndex(of: ":").map { trouble.peer[..<$0] } ?? trouble.peer[...]
    }
  }

  /// Maximum number of distinct troubles kept.
  package static let most = 500

  /// Ordered by the last occurrence.
  package private(set) var entries: [Entry] = []
  package private(set) var total: UInt64 = 0

  package init() {}

  mutating func append(_ trouble: ClientTrouble) {
    total += 1
    if let place = entries.lastIndex(where: { $0.isSame(as: trouble) }) {
      var entry = entries.remove(at: place)
      entry.latest = trouble
      entry.count += 1
      entry.number = total
      entries.append(entry)
      return
    }
    if entries.count == Self.most { entries.removeFirst() }
    entries.append(Entry(trouble, number: total))
  }
}

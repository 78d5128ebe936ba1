import APNs
import Timeline

/// The last troubles. The same trouble from the same address is one entry that counts, so that one client which tries
/// again and again does not push all others out.
package struct TroubleLog: Sendable {
  package struct Entry: Hashable, Sendable {
    /// When it came last, and from which port.
    package fileprivate(set) var latest: ClientTrouble
    /// When it first came.
    package let first: Instant
    package fileprivate(set) var count: UInt64 = 1
    /// Place of the last time among all troubles there ever were, from 1.
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

    /// Every connection comes from a port of its own.
    private static func host(of trouble: ClientTrouble) -> Substring {
      trouble.peer.lastIndex(of: ":").map { trouble.peer[..<$0] } ?? trouble.peer[...]
    }
  }

  /// Different troubles that are kept.
  package static let most = 500

  /// The one that came last is last.
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

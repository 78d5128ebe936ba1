import Timeline
import WireFormats

/// Provider tokens that have been verified, so that checking one again costs a lookup.
///
/// A signature takes about 0.1 ms to check, which is ten times what the rest of a push costs. Bounded: the one
/// unused longest goes first.
struct ProviderTokenCache: Sendable {
  struct Entry: Sendable {
    let text: [UInt8]
    let keyNumber: Int
    let issuedAt: Instant
    fileprivate(set) var usedAt: UInt64
  }

  private let capacity: Int
  private var entries: [UInt64: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) {
    precondition(capacity > 0, "a memory holds something")
    self.capacity = capacity
  }

  var count: Int { entries.count }

  /// What is known of `bytes[range]`, if it was verified before. Equal digests of different texts find nothing.
  mutating func recall(_ digest: UInt64, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Entry? {
    guard let entry = entries[digest], bytes.holds(range, entry.text.span) else { return nil }
    uses += 1
    entries[digest]?.usedAt = uses
    return entry
  }

  mutating func remember(_ digest: UInt64, _ text: [UInt8], keyNumber: Int, issuedAt: Instant) {
    if entries.count >= capacity, entries[digest] == nil,
      // The least use count is unique, so the order of the dictionary cannot show.
      let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
    {
      entries[oldest] = nil
    }
    uses += 1
    entries[digest] = Entry(text: text, keyNumber: keyNumber, issuedAt: issuedAt, usedAt: uses)
  }
}

import Timeline
import WireFormats

/// Verified provider tokens, so that checking one again costs only a lookup.
///
/// Verifying a signature takes about 0.1 ms, ten times the rest of a push. The cache is bounded and evicts the least
/// recently used token.
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
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  var count: Int { entries.count }

  /// What is known of `bytes[range]`, if it was verified before. Texts are compared too, so equal digests of different
  /// texts do not match.
  mutating func recall(_ digest: UInt64, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Entry? {
    guard let entry = entries[digest], bytes.holds(range, entry.text.span) else { return nil }
    uses += 1
    entries[digest]?.usedAt = uses
    return entry
  }

  mutating func remember(_ digest: UInt64, _ text: [UInt8], keyNumber: Int, issuedAt: Instant) {
    if entries.count >= capacity, entries[digest] == nil,
      // The smallest `usedAt` is unique, so the result does not depend on the dictionary's order.
      let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
    {
      entries[oldest] = nil
    }
    uses += 1
    entries[digest] = Entry(text: text, keyNumber: keyNumber, issuedAt: issuedAt, usedAt: uses)
  }
}

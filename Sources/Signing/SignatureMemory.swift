/// Signatures that a key has verified, valid or not, so that verifying one again costs only a lookup.
///
/// ES256 takes about 0.1 ms, ten times the rest of a push. The memory is bounded and evicts the least recently used
/// signature.
struct SignatureMemory: Sendable {
  private struct Entry: Sendable {
    let isValid: Bool
    var usedAt: UInt64
  }

  private let capacity: Int
  private var entries: [[UInt8]: Entry] = [:]
  private var uses: UInt64 = 0

  init(capacity: Int) {
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  var count: Int { entries.count }

  /// True if that signature of that message is valid; nil if it is not known.
  mutating func recall(_ message: [UInt8], _ signature: [UInt8]) -> Bool? {
    let key = Self.key(message, signature)
    guard let entry = entries[key] else { return nil }
    uses += 1
    entries[key]?.usedAt = uses
    return entry.isValid
  }

  mutating func remember(_ message: [UInt8], _ signature: [UInt8], isValid: Bool) {
    let key = Self.key(message, signature)
    // The smallest `usedAt` is unique, so the result does not depend on the dictionary's order.
    if entries.count >= capacity, entries[key] == nil,
      let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
    {
      entries[oldest] = nil
    }
    uses += 1
    entries[key] = Entry(isValid: isValid, usedAt: uses)
  }

  /// Message, signature and the signature's length, so that the boundary between the two is part of the key.
  private static func key(_ message: [UInt8], _ signature: [UInt8]) -> [UInt8] {
    let length = signature.count
    return message + signature + [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
  }
}

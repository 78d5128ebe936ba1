import WireFormats

/// A token as a provider writes it in the path: bytes in hexadecimal.
///
/// Documented: its size is not promised and must not be assumed (Apple, "Registering your app with APNs").
/// Observed: 32 bytes for apps, 54 on some iPads of 2017, 80 for Live Activities; a 2015 note announced up to 100.
package struct DeviceToken: Hashable, Sendable {
  /// Maximum length of a token, in bytes.
  package static let longest = 128

  package private(set) var bytes: InlineArray<128, UInt8>
  package let count: Int

  /// Parses hexadecimal text. Nil if it is empty, too long, not hexadecimal, or has an odd number of digits.
  ///
  /// Observed: upper-case digits are accepted (a curl trace of 2021 got 200).
  package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return nil }
    var bytes = InlineArray<128, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    guard let count = Hex.decode(text, range, into: &span) else { return nil }
    self.bytes = bytes
    self.count = count
  }

  package init?(_ text: String) {
    let characters = Array(text.utf8)
    self.init(characters.span, 0..<characters.count)
  }

  /// - Precondition: `source` has at most `longest` bytes.
  package init(bytes source: [UInt8]) {
    precondition(source.count <= Self.longest, "a token has at most 128 bytes")
    bytes = InlineArray<128, UInt8>(repeating: 0)
    for index in source.indices { bytes[index] = source[index] }
    count = source.count
  }

  /// The partition that its second byte names; nil for a token of one byte.
  package var partition: UInt8? { count > 1 ? bytes[1] : nil }

  /// Lower-case hexadecimal, as apps send it to their backends.
  package var text: String { Hex.encode(bytes.span.extracting(0..<count)) }

  /// Thirty-two bytes as four little-endian numbers. One call returns all four, because each call copies the token.
  ///
  /// - Precondition: the range lies within `longest` bytes.
  package func words(at offset: Int) -> (UInt64, UInt64, UInt64, UInt64) {
    precondition(offset >= 0 && offset + 32 <= Self.longest, "the words lie within the token")
    let bytes = bytes.span.bytes
    func word(_ index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self))
    }
    return (word(0), word(1), word(2), word(3))
  }

  package static func == (left: DeviceToken, right: DeviceToken) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left.bytes[index] != right.bytes[index] { return false }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for index in 0..<count { hasher.combine(bytes[index]) }
  }
}

/// Length of an app's tokens, in bytes.
///
/// Documented: a size must never be assumed. Observed: 32 for apps; 80 for activities, with 0x80 as the first byte.
package struct TokenSizes: Hashable, Sendable {
  package let app: Int
  package let liveActivity: Int

  /// Sizes that can hold an address: at least the sealed address (and one more byte for an activity), at most the
  /// maximum length of a token.
  package static let allowed = TokenSeal.sealed...DeviceToken.longest

  package init(app: Int = 32, liveActivity: Int = 80) {
    self.app = app
    self.liveActivity = liveActivity
  }
}

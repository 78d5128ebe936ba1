import Timeline
import WireFormats

/// `apns-channel-id`: the name the server gives a broadcast channel.
///
/// Documented: chosen by the server and opaque, its size not promised ("Sending channel management requests to APNs").
/// Observed: 16 bytes as 24 characters of standard base64, which look like a UUID of version 1 with clock sequence 0
/// (`tvI2UK0vEfEAAA6GFnjo2Q==`; Station's sandbox probe of 2026-09-24, MAUI sample log).
package struct ChannelID: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// The id of draw number `count`, in the format of Apple's ids, with 108 random bits.
  init(_ chance: Chance, count: UInt64) {
    let bits = chance.wideBits(0, count)
    high = bits.0 & ~0xF000 | 0x1000
    low = bits.1 & 0x0000_FFFF_FFFF_FFFF
  }

  /// Parses 24 characters of canonical base64; nil for anything else.
  package init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard range.count == 24 else { return nil }
    guard let octets = Base64.decode(bytes.copy(range)), octets.count == 16 else { return nil }
    high = octets[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = octets[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes.span, 0..<bytes.count)
  }

  /// Differs between channels, for draws.
  package var bits: UInt64 { high ^ low }

  package var text: String {
    let octets = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    return Base64.encode(octets)
  }
}

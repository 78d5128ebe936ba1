import Timeline

/// Converts addresses into device tokens and back, by the seed.
///
/// A token is a sealed address: sixteen bytes of proof, which is a keyed hash of the address, and the address encrypted
/// with a pad derived from the proof. So no directory is needed, an untouched device uses no memory, and the same seed
/// gives the same tokens after a restart. The rest of a longer token is derived from the proof too, and is verified: a
/// token with one changed digit is as unknown as a random one.
///
/// The second byte of every token is the partition of its device. It replaces a byte of the proof, which keeps 120
/// bits. A load balancer can route pushes by this byte.
package struct TokenSeal: Sendable {
  /// Length of proof and address, in bytes.
  package static let sealed = 32
  /// Observed: all public samples of Live Activity tokens begin with 0x80.
  private static let liveActivityMark: UInt8 = 0x80

  private let proof: KeyedHash
  private let pad: KeyedHash
  private let filler: UInt64

  package init(seed: UInt64) {
    let root = KeyedHash(seed, 0x7365_616C)
    proof = root.derived(for: "token proof")
    pad = root.derived(for: "token pad")
    filler = root.derived(for: "token filler").hash(0, 0).0
  }

  /// - Precondition: the user did not register this address's token; such tokens are not made here.
  package func token(for address: Address, sizes: TokenSizes) -> DeviceToken {
    let words = address.words
    let isMarked = address.slot.isLiveActivity
    let tag = Self.tag(proof.hash(words.high, words.low), address.device.partition, marked: isMarked)
    let mask = pad.hash(tag.0, tag.1)
    let count = isMarked ? sizes.liveActivity : sizes.app
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    if isMarked { bytes.append(Self.liveActivityMark) }
    for word in [tag.0, tag.1, words.high ^ mask.0, words.low ^ mask.1] { Self.append(word, to: &bytes) }
    var filling = TokenFiller(tag.0 ^ filler)
    while bytes.count < count { Self.append(filling.next(), to: &bytes) }
    return DeviceToken(bytes: Array(bytes.prefix(count)))
  }

  /// The address in a token; nil if this seed did not make the token.
  ///
  /// - Parameter sizes: the token sizes of each app, by the app's number.
  package func address(of token: DeviceToken, sizes: (Int) -> TokenSizes?) -> Address? {
    // A token of an app may begin with the mark by chance, so the other format is tried too.
    if token.bytes[0] == Self.liveActivityMark, let address = open(token, at: 1, marked: true, sizes) { return address }
    return open(token, at: 0, marked: false, sizes)
  }

  private func open(_ token: DeviceToken, at start: Int, marked: Bool, _ sizes: (Int) -> TokenSizes?) -> Address? {
    guard token.count >= start + Self.sealed else { return nil }
    let text = token.words(at: start)
    let tag = (text.0, text.1)
    let mask = pad.hash(tag.0, tag.1)
    let words = AddressWords(high: text.2 ^ mask.0, low: text.3 ^ mask.1)
    guard let address = Address(words),
      Self.tag(proof.hash(words.high, words.low), address.device.partition, marked: marked) == tag, !address.isGiven,
      address.slot.isLiveActivity == marked, let sizes = sizes(address.app),
      token.count == (marked ? sizes.liveActivity : sizes.app), isFilled(token, from: start + Self.sealed, tag)
    else { return nil }
    return address
  }

  private func isFilled(_ token: DeviceToken, from start: Int, _ tag: (UInt64, UInt64)) -> Bool {
    guard start < token.count else { return true }
    var filling = TokenFiller(tag.0 ^ filler)
    return token.bytes.span.withUnsafeBytes { bytes in
      var index = start
      while index &+ 8 <= token.count {
        guard bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) == filling.next().littleEndian else {
          return false
        }
        index &+= 8
      }
      let last = filling.next()
      let rest = token.count - index
      if index + 8 <= bytes.count {
        // Still compares whole words: the bytes beyond the token are shifted out.
        guard rest > 0 else { return true }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        return (word ^ last) << UInt64(64 - 8 * rest) == 0
      }
      for offset in 0..<rest
      where bytes[index + offset] != UInt8(truncatingIfNeeded: last >> UInt64(8 * offset)) {
        return false
      }
      return true
    }
  }

  /// The proof, with the partition at the position of the token's second byte.
  private static func tag(_ hash: (UInt64, UInt64), _ partition: UInt8, marked: Bool) -> (UInt64, UInt64) {
    let shift: UInt64 = marked ? 0 : 8
    return (hash.0 & ~(0xFF << shift) | UInt64(partition) << shift, hash.1)
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for offset in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * offset))) }
  }
}

/// Fills the rest of a token: SplitMix64, a few instructions per word. Security rests on the proof, not on this.
private struct TokenFiller {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

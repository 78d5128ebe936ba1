import Timeline

/// Turns addresses into device tokens and back, by the seed.
///
/// A token is a sealed address: sixteen bytes of proof, a keyed hash of the address, and the address itself under a
/// pad that follows from the proof. So no directory is needed, a device nobody has touched costs nothing, and the
/// same seed gives the same tokens after a restart. What is left of a longer token is filled from the proof too, and
/// must agree: a token with one digit changed is as unknown as a random one.
///
/// The second byte of every token is the partition of its device. It takes the place of a byte of the proof, of which
/// 120 bits remain. A load balancer can tell by it where a push belongs.
package struct TokenSeal: Sendable {
  /// Bytes of proof and address.
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

  /// - Precondition: the address is not of a token that the user registered: those are not made here.
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

  /// The address in a token, or nil when this seed never made it.
  ///
  /// - Parameter sizes: the sizes of each app's tokens, by the app's number.
  package func address(of token: DeviceToken, sizes: (Int) -> TokenSizes?) -> Address? {
    // A token of an app may begin with the mark by chance, so the other form is tried as well.
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
        // Whole words still: what is beyond the token is shifted out.
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

  /// The proof with the partition where the second byte of the token will be.
  private static func tag(_ hash: (UInt64, UInt64), _ partition: UInt8, marked: Bool) -> (UInt64, UInt64) {
    let shift: UInt64 = marked ? 0 : 8
    return (hash.0 & ~(0xFF << shift) | UInt64(partition) << shift, hash.1)
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for offset in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * offset))) }
  }
}

/// What fills a token up: SplitMix64, a few instructions a word. The proof is elsewhere in the token.
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

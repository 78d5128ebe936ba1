import APNs
import Timeline

/// Turns addresses into device tokens and back, by the seed.
///
/// A token is a sealed address: sixteen bytes of proof, a keyed hash of the address, and the address itself under a
/// pad that follows from the proof. So no directory is needed, a device nobody has touched costs nothing, and the
/// same seed gives the same tokens after a restart. What is left of a longer token is filled from the proof too, and
/// must agree: a token with one digit changed is as unknown as a random one.
package struct TokenSeal: Sendable {
  /// Bytes of proof and address.
  package static let sealed = 32
  /// Observed: all public samples of Live Activity tokens begin with 0x80.
  private static let liveActivityMark: UInt8 = 0x80

  private let proof: KeyedHash
  private let pad: KeyedHash
  private let filler: KeyedHash

  package init(seed: UInt64) {
    let root = KeyedHash(seed, 0x7365_616C)
    proof = root.derived(for: "token proof")
    pad = root.derived(for: "token pad")
    filler = root.derived(for: "token filler")
  }

  package func token(for address: Address, sizes: TokenSizes) -> DeviceToken {
    let (word0, word1) = Self.pack(address)
    let tag = proof.hash(word0, word1)
    let mask = pad.hash(tag.0, tag.1)
    let isMarked = address.slot.isLiveActivity
    let count = isMarked ? sizes.liveActivity : sizes.app
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    if isMarked { bytes.append(Self.liveActivityMark) }
    for word in [tag.0, tag.1, word0 ^ mask.0, word1 ^ mask.1] { Self.append(word, to: &bytes) }
    var block: UInt64 = 0
    while bytes.count < count {
      Self.append(filler.hash(tag.0 &+ block, tag.1).0, to: &bytes)
      block += 1
    }
    return DeviceToken(bytes: Array(bytes.prefix(count)))
  }

  /// The address in a token, or nil when this seed never made it.
  ///
  /// - Parameter sizes: the sizes of each app's tokens, by the app's number.
  package func address(of token: DeviceToken, sizes: (Int) -> TokenSizes?) -> Address? {
    open(token, at: 0, marked: false, sizes) ?? open(token, at: 1, marked: true, sizes)
  }

  private func open(_ token: DeviceToken, at start: Int, marked: Bool, _ sizes: (Int) -> TokenSizes?) -> Address? {
    guard token.count >= start + Self.sealed, !marked || token.bytes[0] == Self.liveActivityMark else { return nil }
    let tag = (Self.word(token, start), Self.word(token, start + 8))
    let mask = pad.hash(tag.0, tag.1)
    let word0 = Self.word(token, start + 16) ^ mask.0
    let word1 = Self.word(token, start + 24) ^ mask.1
    guard proof.hash(word0, word1) == tag, let address = Self.unpack(word0, word1),
      address.slot.isLiveActivity == marked, let sizes = sizes(address.app),
      token.count == (marked ? sizes.liveActivity : sizes.app), isFilled(token, from: start + Self.sealed, tag)
    else { return nil }
    return address
  }

  private func isFilled(_ token: DeviceToken, from start: Int, _ tag: (UInt64, UInt64)) -> Bool {
    var block: UInt64 = 0
    var index = start
    while index < token.count {
      let word = filler.hash(tag.0 &+ block, tag.1).0
      for offset in 0..<min(8, token.count - index)
      where token.bytes[index + offset] != UInt8(truncatingIfNeeded: word >> UInt64(8 * offset)) {
        return false
      }
      index += 8
      block += 1
    }
    return true
  }

  /// Device, app, and a code of the slot in the first word; the slot's own number and the generation in the second.
  private static func pack(_ address: Address) -> (UInt64, UInt64) {
    let (code, detail): (UInt64, UInt64) =
      switch address.slot {
      case .app: (0, 0)
      case .service(let suffix): (1, UInt64(suffix.rawValue))
      case .pushToStart(let type): (2, UInt64(type))
      case .update(let activity): (3, UInt64(activity))
      }
    return (
      UInt64(address.device.number) | UInt64(UInt16(truncatingIfNeeded: address.app)) << 32 | code << 48,
      detail | UInt64(address.generation) << 32
    )
  }

  private static func unpack(_ word0: UInt64, _ word1: UInt64) -> Address? {
    let detail = UInt32(truncatingIfNeeded: word1)
    let slot: TokenSlot
    switch word0 >> 48 {
    case 0: slot = .app
    case 1:
      guard let suffix = TopicSuffix(rawValue: UInt8(truncatingIfNeeded: detail)) else { return nil }
      slot = .service(suffix)
    case 2: slot = .pushToStart(type: Int(detail))
    case 3: slot = .update(activity: detail)
    default: return nil
    }
    return Address(
      device: DeviceID(UInt32(truncatingIfNeeded: word0)), app: Int(UInt16(truncatingIfNeeded: word0 >> 32)),
      slot: slot, generation: UInt32(truncatingIfNeeded: word1 >> 32))
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for offset in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * offset))) }
  }

  private static func word(_ token: DeviceToken, _ start: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<8 { word |= UInt64(token.bytes[start + offset]) << UInt64(8 * offset) }
    return word
  }
}

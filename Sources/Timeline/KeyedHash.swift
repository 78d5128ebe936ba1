/// SipHash-1-3 with a 128-bit result: a keyed hash that is the same in every process and on every machine.
///
/// `Hasher` is seeded anew in each process and may change between releases, so everything that must be reproducible
/// (tokens, draws) uses this hash. It is not used for security.
package struct KeyedHash: Hashable, Sendable {
  private let key0: UInt64
  private let key1: UInt64

  package init(_ key0: UInt64, _ key1: UInt64) {
    self.key0 = key0
    self.key1 = key1
  }

  /// A separate key for one purpose. Adding a purpose does not affect the others.
  package func derived(for name: String) -> KeyedHash {
    let digest = hash(Array(name.utf8).span)
    return KeyedHash(digest.0, digest.1)
  }

  package func hash(_ first: UInt64, _ second: UInt64) -> (UInt64, UInt64) {
    var state = State(key0, key1)
    state.absorb(first)
    state.absorb(second)
    return state.finish(16 << 56)
  }

  /// The first half of that hash, for which half of the final rounds is enough.
  package func firstHalf(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var state = State(key0, key1)
    state.absorb(first)
    state.absorb(second)
    return state.finishFirstHalf(16 << 56)
  }

  package func hash(_ bytes: Span<UInt8>) -> (UInt64, UInt64) { hash(bytes, 0..<bytes.count) }

  package func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (UInt64, UInt64) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies within the bytes")
    var state = State(key0, key1)
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      state.absorb(UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    var last = UInt64(truncatingIfNeeded: range.count) << 56
    var shift: UInt64 = 0
    while index < range.upperBound {
      last |= UInt64(bytes[index]) << shift
      shift += 8
      index += 1
    }
    return state.finish(last)
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    init(_ key0: UInt64, _ key1: UInt64) {
      v0 = 0x736f_6d65_7073_6575 ^ key0
      v1 = 0x646f_7261_6e64_6f6d ^ key1 ^ 0xEE
      v2 = 0x6c79_6765_6e65_7261 ^ key0
      v3 = 0x7465_6462_7974_6573 ^ key1
    }

    @inline(__always)
    mutating func round() {
      v0 &+= v1
      v1 = v1 << 13 | v1 >> 51
      v1 ^= v0
      v0 = v0 << 32 | v0 >> 32
      v2 &+= v3
      v3 = v3 << 16 | v3 >> 48
      v3 ^= v2
      v0 &+= v3
      v3 = v3 << 21 | v3 >> 43
      v3 ^= v0
      v2 &+= v1
      v1 = v1 << 17 | v1 >> 47
      v1 ^= v2
      v2 = v2 << 32 | v2 >> 32
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      v0 ^= word
    }

    @inline(__always)
    mutating func finishFirstHalf(_ last: UInt64) -> UInt64 {
      absorb(last)
      v2 ^= 0xEE
      for _ in 0..<3 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    mutating func finish(_ last: UInt64) -> (UInt64, UInt64) {
      let low = finishFirstHalf(last)
      v1 ^= 0xDD
      for _ in 0..<3 { round() }
      return (low, v0 ^ v1 ^ v2 ^ v3)
    }
  }
}

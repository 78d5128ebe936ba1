import Testing
import Timeline

@Suite("The keyed hash")
struct KeyedHashTests {
  /// SipHash-1-3 with 128 bits of the bytes 0, 1, 2 … n-1 under the key 00 01 … 0f, low word first.
  ///
  /// Computed with an implementation of our own in Python, written after the paper; with 2 and 4 rounds the same lines
  /// give the published `a3817f04ba25a8e66df67214c7550293` for no bytes (`vectors.h` of the reference):
  ///
  ///     v0 = 736f6d6570736575 ^ k0;  v1 = 646f72616e646f6d ^ k1 ^ ee
  ///     v2 = 6c7967656e657261 ^ k0;  v3 = 7465646279746573 ^ k1
  ///     each word m, the last with the length in its top byte:  v3 ^= m; round; v0 ^= m
  ///     v2 ^= ee; 3 rounds; low = v0^v1^v2^v3;  v1 ^= dd; 3 rounds; high = v0^v1^v2^v3
  static let vectors: [(count: Int, hash: String)] = [
    (0, "e77ebcb22788a5befd62db6add303001"), (1, "fc6f370460d3eda85e0573cc2b2ff063"),
    (7, "1084b923f2aae0c3a62f2ec80848ab77"), (8, "aa12fee1d5e3dab4724f16ab35f9c799"),
    (9, "81ddb8042cf33994f4720e0094137c42"), (15, "c17e5505b2bd526c2921cdec1e7e0109"),
    (16, "d0a8d95715518eebb513b0f83d9e1793"), (63, "4c5800e34efe426f079f6b0aa75260ad"),
  ]

  let hash = KeyedHash(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)

  @Test("the keyed hash is SipHash-1-3-128", arguments: vectors)
  func isSipHash(count: Int, expected: String) {
    let bytes = (0..<count).map { UInt8($0) }
    #expect(Self.text(hash(bytes)) == expected)
  }

  @Test("two words hash as their sixteen bytes do, little-endian")
  func wordsAreBytes() {
    let bytes = (0..<16).map { UInt8($0) }
    let words = hash.hash(0x0706_0504_0302_0100 as UInt64, 0x0F0E_0D0C_0B0A_0908 as UInt64)
    #expect([words.0, words.1] == hash(bytes))
  }

  @Test("the first half can be computed alone")
  func firstHalf() {
    for number in 0..<100 as Range<UInt64> {
      let hash = KeyedHash(number, ~number)
      #expect(hash.firstHalf(number &* 77, number) == hash.hash(number &* 77, number).0)
    }
  }

  @Test("a range hashes as a copy of it does, wherever it begins")
  func rangesHashAlike() {
    let bytes = (0..<100).map { UInt8($0) }
    for start in 0..<20 {
      for end in start...60 {
        let copy = Array(bytes[start..<end])
        #expect(hash(bytes, start..<end) == hash(copy), "bytes \(start)..<\(end)")
      }
    }
  }

  @Test("a name gives its own key, and the same one each time")
  func derivedKeysDiffer() {
    #expect(hash.derived(for: "pad") == hash.derived(for: "pad"))
    #expect(hash.derived(for: "pad") != hash.derived(for: "proof"))
    #expect(hash.derived(for: "pad") != hash)
    #expect(KeyedHash(1, 2).derived(for: "pad") != KeyedHash(2, 1).derived(for: "pad"))
  }

  private func hash(_ bytes: [UInt8], _ range: Range<Int>? = nil) -> [UInt64] {
    let hashed = range.map { hash.hash(bytes.span, $0) } ?? hash.hash(bytes.span)
    return [hashed.0, hashed.1]
  }

  private static func text(_ words: [UInt64]) -> String {
    var text = ""
    for word in words {
      for shift in stride(from: 0, to: 64, by: 8) {
        let byte = word >> UInt64(shift) & 0xFF
        text += byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
      }
    }
    return text
  }
}

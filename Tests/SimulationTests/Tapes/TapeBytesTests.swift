import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The bytes of a tape")
struct TapeBytesTests {
  @Test("the checksum of any number of bytes on a tape is the one that zlib computes")
  func checksum() {
    #expect(Checksum.of(Array("123456789".utf8)[...]) == 0xCBF4_3926)
    #expect(Checksum.of([]) == 0)
    #expect(Checksum.of(Array("The quick brown fox jumps over the lazy dog".utf8)[...]) == 0x414F_A339)
    // Of a part of an array as well, which begins anywhere.
    let bytes = Array("..123456789..".utf8)
    #expect(Checksum.of(bytes[2..<11]) == 0xCBF4_3926)
  }

  @Test("pairs of lowercase hexadecimal digits take half the space on a tape")
  func hexadecimal() {
    for text in ["0123456789abcdef", "ffffffff", "00000000000000000000ab"] {
      let packed = HexPacking.pack(Array("..\(text).".utf8)[2..<2 + text.utf8.count])
      #expect(packed?.count == text.utf8.count / 2)
      #expect(packed.map { HexPacking.unpack($0[...]) } == Array(text.utf8))
    }
    for text in ["0123456789abcdeF", "0123456789abcdeg", "0123456789abcde", "abcd", "@@@@@@@@", "        "] {
      #expect(HexPacking.pack(Array(text.utf8)[...]) == nil, "\(text)")
    }
  }
}

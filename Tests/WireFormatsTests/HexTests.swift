import TestSupport
import Testing
import WireFormats

@Suite("Hexadecimal text")
struct HexTests {
  @Test("S59: bytes are written in lower case")
  func lowerCase() {
    #expect(Hex.encode([0x00, 0x0A, 0xF5, 0xFF]) == "000af5ff")
    #expect(Hex.encode([UInt8]()) == "")
  }

  @Test("hexadecimal text is read in either case")
  func eitherCase() {
    #expect(Hex.decode("00Af5fFF") == [0x00, 0xAF, 0x5F, 0xFF])
    #expect(Hex.decode("") == [])
  }

  @Test("no other character is a digit")
  func onlyDigits() {
    for byte in UInt8.min...UInt8.max {
      let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
      for text in [[byte, 0x30], [0x30, byte]] {
        var bytes: [UInt8] = [0]
        let count = decode(text, 0..<2, into: &bytes)
        #expect(count == (isDigit ? 1 : nil), "byte \(byte)")
      }
    }
  }

  @Test("no other character is a digit, at any place in a long text")
  func onlyDigitsAnywhere() {
    for byte in UInt8.min...UInt8.max {
      let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
      for place in 0..<44 {
        var text = [UInt8](repeating: 0x39, count: 44)
        text[place] = byte
        var bytes = [UInt8](repeating: 0, count: 22)
        #expect(decode(text, 0..<44, into: &bytes) == (isDigit ? 22 : nil), "byte \(byte) at \(place)")
      }
    }
  }

  @Test("nothing is read beyond the end of the text")
  func staysInside() {
    var bytes = [UInt8](repeating: 0, count: 64)
    #expect(decode([0x30, 0x30], 0..<4, into: &bytes) == nil)
    #expect(decode([0x30, 0x30], 0..<32, into: &bytes) == nil)
  }

  @Test("an odd number of digits is invalid", arguments: ["0", "abc", "00000"])
  func oddIsNone(text: String) {
    #expect(Hex.decode(text) == nil)
  }

  @Test("hexadecimal text is not read into fewer bytes than it needs")
  func needsRoom() {
    let text = Array("aabbcc".utf8)
    var two: [UInt8] = [0, 0]
    let tooMany = decode(text, 0..<6, into: &two)
    #expect(tooMany == nil)
    let fitting = decode(text, 2..<6, into: &two)
    #expect(fitting == 2)
    #expect(two == [0xBB, 0xCC])
  }

  private func decode(_ text: [UInt8], _ range: Range<Int>, into bytes: inout [UInt8]) -> Int? {
    var span = bytes.mutableSpan
    return Hex.decode(text.span, range, into: &span)
  }

  @Test("written text is read back")
  func roundTrip() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      let bytes = dice.bytes(dice.below(200))
      #expect(Hex.decode(Hex.encode(bytes)) == bytes, "seed \(seed)")
      #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes, "seed \(seed)")
    }
  }
}

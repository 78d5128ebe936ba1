import TestSupport
import Testing
import WireFormats

@Suite("Base64 for URLs")
struct Base64URLTests {
  /// RFC 4648 section 10, without the padding; the last two need the letters that only the URL alphabet has.
  @Test(
    "Base64 for URLs is written as in RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"), ("??>", "Pz8-"), ("???", "Pz8_"),
    ])
  func vectors(plain: String, text: String) {
    #expect(Base64URL.encode(plain.utf8) == text)
    #expect(Base64URL.decode(text.utf8) == Array(plain.utf8))
  }

  @Test(
    "Base64 for URLs with padding, another alphabet, an impossible length or leftover bits is rejected",
    arguments: ["Zg==", "Zm8=", "Pz8+", "Pz8/", "Z", "Zm9vY", "Zh", "Zm9", "Zm 9v", "Zm9v\n", "Zm9\u{0}", "Zmö"])
  func refuses(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
  }

  @Test("written text is read back, and no other text of the same length gives the same bytes")
  func roundTrip() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      let bytes = dice.bytes(1 + dice.below(100))
      let text = Base64URL.encode(bytes)
      #expect(Base64URL.decode(text.utf8) == bytes, "seed \(seed)")
      var other = Array(text.utf8)
      let place = dice.below(other.count)
      other[place] = other[place] == 0x41 ? 0x42 : 0x41
      #expect(Base64URL.decode(other) != bytes, "seed \(seed)")
    }
  }
}

@Suite("Base64")
struct Base64Tests {
  /// RFC 4648 section 10; the last two need the letters that only this alphabet has.
  @Test(
    "Base64 is read and written as in RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
      ("??>", "Pz8+"), ("???", "Pz8/"),
    ])
  func vectors(plain: String, text: String) {
    #expect(Base64.encode(Array(plain.utf8)) == text)
    #expect(Base64.decode(text.utf8) == Array(plain.utf8))
  }

  @Test(
    "Base64 without padding, in the alphabet of URLs, or with leftover bits is rejected",
    arguments: ["Zg", "Zg=", "Zm8", "Z===", "====", "Pz8-", "Pz8_", "Zh==", "Zm 9", "Zm9v\n", "Zg==Zg=="])
  func refuses(text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }
}

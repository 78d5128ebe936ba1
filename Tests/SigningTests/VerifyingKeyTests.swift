import COpenSSL
import Signing
import Testing
import WireFormats

@Suite("A verifying key")
struct VerifyingKeyTests {
  static let message = Array("sample".utf8)
  static let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
  static let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
  static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  static let zero = String(repeating: "0", count: 64)

  let key: VerifyingKey
  let signature: [UInt8]

  init() throws {
    key = try VerifyingKey(pem: Fixtures.rfc6979, from: "rfc6979.pem")
    signature = try #require(Hex.decode(Self.r + Self.s))
  }

  @Test("S6: a verifying key accepts the signature printed in RFC 6979 A.2.5")
  func acceptsKnownAnswer() { #expect(key.accepts(raw: signature, of: Self.message)) }

  @Test("S6: a verifying key accepts the same signature in DER")
  func acceptsDER() throws {
    let der = try #require(Hex.decode("3046022100" + Self.r + "022100" + Self.s))
    #expect(key.accepts(der: der, of: Self.message))
    #expect(!key.accepts(der: der, of: Array("samplf".utf8)))
    #expect(!key.accepts(raw: der, of: Self.message))
    #expect(!key.accepts(der: signature, of: Self.message))
  }

  @Test("S6: a verifying key refuses a signature with any one bit of any byte turned")
  func refusesTurnedBits() {
    for index in signature.indices {
      var spoilt = signature
      spoilt[index] ^= 1 << UInt8(index % 8)
      #expect(!key.accepts(raw: spoilt, of: Self.message), "byte \(index)")
    }
  }

  @Test("S6: a verifying key refuses DER with any one byte changed, cut off or added")
  func refusesSpoiltDER() throws {
    let der = try #require(Hex.decode("3046022100" + Self.r + "022100" + Self.s))
    for index in der.indices {
      var spoilt = der
      spoilt[index] ^= 0x01
      #expect(!key.accepts(der: spoilt, of: Self.message), "byte \(index)")
      #expect(!key.accepts(der: Array(der[..<index]), of: Self.message), "first \(index) bytes")
    }
    #expect(!key.accepts(der: der + [0], of: Self.message))
    #expect(ERR_peek_error() == 0)
  }

  @Test("S6: a verifying key refuses another message and an empty one")
  func refusesOtherMessage() {
    #expect(!key.accepts(raw: signature, of: Array("Sample".utf8)))
    #expect(!key.accepts(raw: signature, of: []))
  }

  @Test(
    "S6: a verifying key refuses r or s of zero, of the curve's order, and of all ones", arguments: [zero, order, "f"])
  func refusesNumbersOutOfRange(number: String) throws {
    let number = number == "f" ? String(repeating: "f", count: 64) : number
    for text in [number + Self.s, Self.r + number, number + number] {
      #expect(!key.accepts(raw: try #require(Hex.decode(text)), of: Self.message))
    }
    #expect(!key.accepts(der: [0x30, 6, 2, 1, 0, 2, 1, 0], of: Self.message))
    #expect(ERR_peek_error() == 0)
  }

  @Test("S6: a verifying key refuses every length but 64", arguments: [0, 1, 32, 63, 65, 128, 4096])
  func refusesLengths(count: Int) {
    let bytes = Array((signature + [UInt8](repeating: 0, count: 4096)).prefix(count))
    #expect(!key.accepts(raw: bytes, of: Self.message))
    #expect(!key.accepts(der: bytes, of: Self.message))
    #expect(ERR_peek_error() == 0)
  }

  @Test("S6: a verifying key refuses a signature by another key")
  func refusesOtherKey() throws {
    let other = try SigningKey.generate()
    let signature = try other.sign(Self.message)
    #expect(other.verifyingKey.accepts(raw: signature, of: Self.message))
    #expect(!key.accepts(raw: signature, of: Self.message))
  }

  @Test(
    "a verifying key has the same bytes, however its file spells it",
    arguments: [Fixtures.compressed, Fixtures.explicit])
  func normalisesForm(pem: String) throws {
    let same = try VerifyingKey(pem: pem, from: "other.pem")
    #expect(same.spki == key.spki)
    #expect(same.spki.count == 91)
    #expect(same.accepts(raw: signature, of: Self.message))
    #expect(try same.pem() == Fixtures.rfc6979)
  }

  @Test("a verifying key is the public half of a .p8 file")
  func readsP8() throws {
    let made = try SigningKey.generate()
    let read = try VerifyingKey(pem: made.p8, from: "AuthKey.p8")
    #expect(read.spki == made.verifyingKey.spki)
    #expect(read.accepts(raw: try made.sign(Self.message), of: Self.message))
    #expect(try !read.pem().contains("PRIVATE"))
  }

  @Test("a verifying key reads a file with Windows line ends and words before the key")
  func readsLooseFile() throws {
    let pem = "Key of the staging team\r\n" + Fixtures.rfc6979.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
    #expect(try VerifyingKey(pem: pem, from: "key.pem").spki == key.spki)
  }

  @Test(
    "a verifying key is refused off the curve, at infinity, or of another kind, in a sentence with the file's name",
    arguments: [
      (Fixtures.offTheCurve, "damaged"), (Fixtures.overlong, "damaged"), (Fixtures.infinity, "do not match"),
      (Fixtures.p384, "secp384r1"),
      (Fixtures.ed25519, "ED25519"), (Fixtures.cutShort(Fixtures.rfc6979), "damaged"), ("", "no PEM block"),
      ("not a key", "no PEM block"), (String(Fixtures.rfc6979.dropLast(30)), "damaged"),
      (Fixtures.rfc6979.replacing("PUBLIC KEY", with: "CERTIFICATE"), "\"CERTIFICATE\""),
      (Fixtures.rfc6979.replacing("PUBLIC KEY", with: "PRIVATE KEY"), "damaged"),
    ])
  func refusesUnsoundKeys(pem: String, word: String) throws {
    let sentence = try #require(
      Fixtures.sentence { () throws(SigningFailure) in
        try VerifyingKey(pem: pem, from: "keys/bad.pem")
      })
    #expect(sentence.hasPrefix("keys/bad.pem "))
    #expect(sentence.contains(word), "\(sentence)")
    #expect(ERR_peek_error() == 0)
  }

  @Test("a verifying key leaves the errors of other code on the thread where they were")
  func leavesOthersErrors() {
    defer { ERR_clear_error() }
    BIO_free(BIO_new_file("/nowhere/at/all", "r"))
    let theirs = ERR_peek_last_error()
    #expect(theirs != 0)
    #expect(!key.accepts(der: [0x30], of: Self.message))
    #expect(throws: SigningFailure.self) { try VerifyingKey(pem: "", from: "empty") }
    #expect(ERR_peek_last_error() == theirs)
  }

  @Test("a verifying key serves many threads at once")
  func servesManyThreads() async {
    let refused = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<50).count { _ in !key.accepts(raw: signature, of: Self.message) }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(refused == 0)
  }
}

import COpenSSL
import Foundation
import Signing
import TestSupport
import Testing

@Suite("A signing key")
struct SigningKeyTests {
  let message = Array("to be signed".utf8)

  @Test("a signing key is read back from its own .p8 text")
  func returnsFromText() throws {
    let key = try SigningKey.generate()
    let same = try SigningKey(p8: key.p8, from: "AuthKey.p8")
    #expect(key.p8.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    #expect(same.p8 == key.p8)
    #expect(same.verifyingKey.spki == key.verifyingKey.spki)
    #expect(key.verifyingKey.accepts(raw: try same.sign(message), of: message))
  }

  @Test("a signing key is different each time")
  func isNew() throws {
    #expect(try SigningKey.generate().p8 != SigningKey.generate().p8)
  }

  @Test("signs 64 bytes raw, and a DER sequence of the same strength")
  func signsBothWays() throws {
    let key = try SigningKey.generate()
    // Often enough to meet numbers with leading zeros, which DER leaves out and the raw form must not.
    for count in 0..<300 {
      let message = [UInt8](repeating: 7, count: count)
      let raw = try key.sign(message)
      #expect(raw.count == 64)
      #expect(key.verifyingKey.accepts(raw: raw, of: message))
      let der = try key.signDER(message)
      #expect(der.first == 0x30 && der.count <= 72)
      #expect(key.verifyingKey.accepts(der: der, of: message))
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test("a signing key is refused on P-384 in a sentence that names the file and the curve")
  func refusesP384() throws {
    let pem = Fixtures.p8(onCurve: "P-384")
    let failure = SigningFailure.otherKey(file: "big.p8", found: "secp384r1")
    #expect(throws: failure) { try SigningKey(p8: pem, from: "big.p8") }
    #expect(throws: failure) { try VerifyingKey(pem: pem, from: "big.p8") }
    #expect(failure.description.contains("P-256"))
    #expect(ERR_peek_error() == 0)
  }

  @Test("a signing key is refused when truncated at any place")
  func refusesCutText() throws {
    let whole = try SigningKey.generate().p8
    for count in stride(from: 0, to: whole.utf8.count - 2, by: 7) {
      let sentence = try #require(
        Fixtures.sentence { () throws(SigningFailure) in
          try SigningKey(p8: String(whole.prefix(count)), from: "cut.p8")
        })
      #expect(sentence.hasPrefix("cut.p8 ") && sentence.contains("PRIVATE KEY"))
    }
    #expect(throws: SigningFailure.self) { try SigningKey(p8: Fixtures.cutShort(whole), from: "cut.p8") }
    #expect(ERR_peek_error() == 0)
  }

  @Test("a signing key is not a public key, nor a private key in the older or the encrypted form")
  func refusesOtherForms() throws {
    let p8 = try SigningKey.generate().p8
    for label in ["EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PARAMETERS"] {
      let pem = p8.replacing("PRIVATE KEY", with: label)
      let failure = SigningFailure.otherPEM(
        file: "k.p8", found: label, wanted: "a P-256 private key as Apple's .p8 files have it (\"PRIVATE KEY\")")
      #expect(throws: failure) { try SigningKey(p8: pem, from: "k.p8") }
    }
    #expect(throws: SigningFailure.self) { try SigningKey(p8: Fixtures.rfc6979, from: "k.p8") }
  }

  @Test("a signing key and the openssl command accept each other's files and signatures")
  func agreesWithCommand() throws {
    let folder = try TemporaryFolder()
    let key = try SigningKey.generate()
    let p8 = try folder.file("AuthKey.p8", key.p8)
    let text = try folder.file("message", String(decoding: message, as: UTF8.self))
    let out = try folder.file("out")
    #expect(try Program.openssl("dgst", "-sha256", "-sign", p8, "-out", out, text).status == 0)
    #expect(key.verifyingKey.accepts(der: try folder.bytes("out"), of: message))

    let theirs = try folder.file("theirs.p8")
    let made = try Program.openssl(
      "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", theirs)
    #expect(made.status == 0, "\(made.text)")
    let read = try SigningKey(p8: try String(contentsOfFile: theirs, encoding: .utf8), from: theirs)
    #expect(read.verifyingKey.accepts(raw: try read.sign(message), of: message))
  }
}

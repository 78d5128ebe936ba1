import COpenSSL
import Signing
import Testing

@Suite("A certificate")
struct CertificateTests {
  @Test("a certificate has its validity, its names and its issuer")
  func tellsItsFacts() throws {
    let authority = try Fixtures.authority()
    let names = ["localhost", "*.push.apple.com", "127.0.0.1", "::1"]
    let identity = try authority.issueLeaf(
      names: names + ["LOCALHOST"], notBefore: Fixtures.between, notAfter: Fixtures.end)
    let leaf = try Certificate(pem: identity.certificatePEM, from: "leaf.pem")
    #expect(leaf.names == names)
    #expect(leaf.notBefore == Fixtures.between)
    #expect(leaf.notAfter == Fixtures.end)
    #expect(leaf.pem == identity.certificatePEM)
    #expect(!leaf.isValid(at: Fixtures.between - 1))
    #expect(leaf.isValid(at: Fixtures.between) && leaf.isValid(at: Fixtures.end))
    #expect(!leaf.isValid(at: Fixtures.end + 1))
    #expect(leaf.belongs(to: try SigningKey(p8: identity.privateKeyPEM, from: "leaf.key")))
    #expect(!leaf.belongs(to: try SigningKey.generate()))
    #expect(ERR_peek_error() == 0)
  }

  @Test("a certificate keeps dates beyond 2049, where X.509 changes its notation")
  func keepsLateDates() throws {
    let late: Int64 = 4_102_444_800
    let authority = try CertificateAuthority.make(names: [], notBefore: 0, notAfter: late)
    #expect(authority.notAfter == late)
    #expect(authority.certificate.notBefore == 0)
  }

  @Test("a certificate is signed only by its CA: not by another of the same name, not by itself")
  func knowsItsSigner() throws {
    let authority = try Fixtures.authority()
    let identity = try authority.issueLeaf(names: ["localhost"], notBefore: 0, notAfter: Fixtures.end)
    let leaf = try Certificate(pem: identity.certificatePEM, from: "leaf.pem")
    #expect(leaf.isSigned(by: authority.certificate))
    #expect(!leaf.isSigned(by: try Fixtures.authority().certificate))
    #expect(!authority.certificate.isSigned(by: try Fixtures.authority().certificate))
  }

  @Test("a certificate has its own serial number")
  func hasOwnSerial() throws {
    let authority = try Fixtures.authority()
    let serials = try (0..<20).map { _ in
      let leaf = try authority.issueLeaf(names: ["localhost"], notBefore: 0, notAfter: Fixtures.end)
      let certificate = Chain.certificate(leaf.certificatePEM)
      defer { X509_free(certificate) }
      let bytes = X509_get0_serialNumber(certificate)
      let count = Int(ASN1_STRING_length(bytes))
      #expect((14...16).contains(count))
      return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(bytes), count: count))
    }
    #expect(Set(serials).count == 20)
  }

  @Test("a certificate is read from the first block of a file, whatever follows")
  func readsFirst() throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(names: ["localhost"], notBefore: 0, notAfter: Fixtures.end)
    let read = try Certificate(pem: leaf.certificatePEM + authority.certificatePEM, from: "chain.pem")
    #expect(read.pem == leaf.certificatePEM)
  }

  @Test("a certificate is refused when it is a key, truncated or not PEM, in a sentence with the file's name")
  func refusesOthers() throws {
    let pem = try Fixtures.authority().certificatePEM
    for (text, word) in [
      (Fixtures.rfc6979, "PUBLIC KEY"), (Fixtures.cutShort(pem), "damaged"), ("x", "no PEM"),
      (Fixtures.rfc6979.replacing("PUBLIC KEY", with: "CERTIFICATE"), "damaged"),
    ] {
      let sentence = try #require(
        Fixtures.sentence { () throws(SigningFailure) in
          try Certificate(pem: text, from: "some/leaf.pem")
        })
      #expect(sentence.hasPrefix("some/leaf.pem ") && sentence.contains(word))
    }
    #expect(ERR_peek_error() == 0)
  }
}

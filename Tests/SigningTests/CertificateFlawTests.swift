import Signing
import Testing

@Suite("Certificates with deliberate flaws") struct CertificateFlawTests {
  private static let now: Int64 = 1_795_000_000

  private func leaf(_ flaw: CertificateFlaw) throws -> (Certificate, CertificateAuthority, Identity) {
    let authority = try CertificateAuthority.make(
      names: ["push.test"], notBefore: Self.now - 10, notAfter: Self.now + 1_000_000)
    let identity = try authority.issueLeaf(
      flaw, names: ["push.test", "127.0.0.1"], now: Self.now, notAfter: Self.now + 1_000_000,
      key: try SigningKey.generate())
    return (try Certificate(pem: identity.certificatePEM, from: "leaf"), authority, identity)
  }

  @Test("each flawed certificate has only one flaw, and a separate key", arguments: CertificateFlaw.allCases)
  func oneWay(flaw: CertificateFlaw) throws {
    let (leaf, authority, identity) = try leaf(flaw)
    #expect(leaf.isValid(at: Self.now) == (flaw != .expired))
    #expect((leaf.names == ["push.test", "127.0.0.1"]) == (flaw != .wrongName))
    #expect(leaf.isSigned(by: authority.certificate) == (flaw != .untrusted))
    #expect(leaf.belongs(to: try SigningKey(p8: identity.privateKeyPEM, from: "key")))
  }
}

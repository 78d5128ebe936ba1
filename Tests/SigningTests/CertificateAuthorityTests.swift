import COpenSSL
import Signing
import Testing

@Suite("The local CA")
struct CertificateAuthorityTests {
  @Test("permits this machine and Apple's push domain, and reads that back from its certificate")
  func permitsDefaults() throws {
    let authority = try Fixtures.authority()
    #expect(authority.permittedNames == ["localhost", "push.apple.com", "127.0.0.0/8", "::1/128"])
    #expect(authority.notAfter == Fixtures.end)
    #expect(authority.certificate.notBefore == Fixtures.begin)
    #expect(authority.certificate.isSigned(by: authority))
  }

  @Test("permits the names it was given besides, each once")
  func permitsExtras() throws {
    let authority = try Fixtures.authority(
      permitting: ["Pushpit.Test", "192.168.1.5", "10.1.2.3/8", "fd00::/8", "localhost", "push_pit"])
    let extras = ["pushpit.test", "192.168.1.5/32", "10.0.0.0/8", "fd00::/8", "push_pit"]
    #expect(authority.permittedNames == CertificateAuthority.alwaysPermitted + extras)
  }

  @Test(
    "is not made with a name that limits nothing or is no name",
    arguments: [
      "", "0.0.0.0/0", "::/0", "10.0.0.0/33", "10.0.0.0/x", "10.0.0/8", "*.example.com", ".example.com", "a..b",
      "-a.test", "exämple.com", "a b", "x,permitted;DNS:com", "localhost/8", "300.1.1.1", "test.",
      "[::1]", "line end", "nought",
    ])
  func refusesPermittedNames(text: String) {
    // Control characters stay out of the arguments, which the test runner prints.
    let text = ["line end": "a.test\n", "nought": "127.0.0.1\u{0}x"][text] ?? text
    #expect(throws: SigningFailure.badPermittedName(text: text)) { try Fixtures.authority(permitting: [text]) }
  }

  @Test("comes back from its two files")
  func comesBack() throws {
    let made = try Fixtures.authority(permitting: ["pushpit.test"])
    let read = try CertificateAuthority(
      certificatePEM: made.certificatePEM, from: "ca.pem", privateKeyPEM: made.privateKeyPEM, from: "ca.key")
    #expect(read.certificatePEM == made.certificatePEM)
    #expect(read.permittedNames == made.permittedNames)
    let leaf = try read.issueLeaf(names: ["pushpit.test"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(leaf, for: "pushpit.test", trusting: made) == X509_V_OK)
  }

  @Test("is refused with another CA's key, and when its certificate is no limited CA")
  func refusesOtherFiles() throws {
    let made = try Fixtures.authority()
    let other = try Fixtures.authority()
    let leaf = try made.issueLeaf(names: ["localhost"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(throws: SigningFailure.strangersKey(keyFile: "ca.key", certificateFile: "ca.pem")) {
      try load(made.certificatePEM, other.privateKeyPEM)
    }
    #expect(throws: SigningFailure.notAnAuthority(file: "ca.pem")) {
      try load(leaf.certificatePEM, leaf.privateKeyPEM)
    }
    #expect(throws: SigningFailure.unlimitedAuthority(file: "ca.pem")) {
      try load(Fixtures.unlimited, made.privateKeyPEM)
    }
    #expect(throws: SigningFailure.otherPEM(file: "ca.pem", found: "PRIVATE KEY", wanted: wanted)) {
      try load(made.privateKeyPEM, made.privateKeyPEM)
    }
    #expect(throws: SigningFailure.damaged(file: "ca.pem", wanted: wanted)) {
      try load(Fixtures.cutShort(made.certificatePEM), made.privateKeyPEM)
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test("makes a leaf that a strict client accepts under every default name", arguments: Identity.defaultNames)
  func leafServesDefaults(name: String) throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(
      names: Identity.defaultNames, notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(leaf, for: name, trusting: authority) == X509_V_OK)
    #expect(try Certificate(pem: leaf.certificatePEM, from: "leaf").names == Identity.defaultNames)
  }

  @Test("makes no leaf for a name outside its limits, and says what they are")
  func refusesOutsideNames() throws {
    let authority = try Fixtures.authority()
    for name in ["example.com", "apple.com", "notpush.apple.com", "*.apple.com", "10.0.0.1", "::2", "128.0.0.1"] {
      let failure = SigningFailure.nameNotPermitted(name: name, permitted: CertificateAuthority.alwaysPermitted)
      #expect(throws: failure) {
        try authority.issueLeaf(names: ["localhost", name], notBefore: Fixtures.begin, notAfter: Fixtures.end)
      }
      #expect(failure.description.contains("127.0.0.0/8"))
    }
  }

  @Test(
    "is not believed outside its limits, even when made to sign",
    arguments: ["example.com", "apple.com", "*.apple.com", "10.0.0.1", "2001:db8::1"])
  func constraintsBind(name: String) throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(
      names: [name], notBefore: Fixtures.begin, notAfter: Fixtures.end, evenIfNotPermitted: true)
    let host = name.replacing("*", with: "www")
    #expect(verdict(leaf, for: host, trusting: authority) == X509_V_ERR_PERMITTED_VIOLATION)

    // The same leaf passes under a CA that permits the name: nothing else is wrong with it.
    let wider = try Fixtures.authority(permitting: [name.replacing("*.", with: "")])
    let sound = try wider.issueLeaf(names: [name], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(sound, for: host, trusting: wider) == X509_V_OK)
  }

  @Test("makes the faults clients must notice: expired, not yet valid, another name, an unknown CA")
  func makesFaults() throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(
      names: ["localhost"], notBefore: Fixtures.between, notAfter: Fixtures.between + 60)
    #expect(verdict(leaf, for: "localhost", trusting: authority, at: Fixtures.between) == X509_V_OK)
    #expect(
      verdict(leaf, for: "localhost", trusting: authority, at: Fixtures.between + 61) == X509_V_ERR_CERT_HAS_EXPIRED)
    #expect(
      verdict(leaf, for: "localhost", trusting: authority, at: Fixtures.between - 1) == X509_V_ERR_CERT_NOT_YET_VALID)
    #expect(
      verdict(leaf, for: "api.push.apple.com", trusting: authority) == X509_V_ERR_HOSTNAME_MISMATCH)
    #expect(verdict(leaf, for: "127.0.0.1", trusting: authority) == X509_V_ERR_IP_ADDRESS_MISMATCH)
    let stranger = try Fixtures.authority()
    #expect(
      verdict(leaf, for: "localhost", trusting: stranger) == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)
  }

  @Test("makes a leaf of addresses alone, or with a wildcard, that clients accept")
  func servesAddressesAndWildcards() throws {
    let authority = try Fixtures.authority()
    let plain = try authority.issueLeaf(
      names: ["127.0.0.1", "::1"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(plain, for: "::1", trusting: authority) == X509_V_OK)
    let wild = try authority.issueLeaf(
      names: ["*.push.apple.com"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(wild, for: "api.push.apple.com", trusting: authority) == X509_V_OK)
  }

  @Test("makes no leaf without a name, with a bad one, or with dates the wrong way round")
  func refusesBadWishes() throws {
    let authority = try Fixtures.authority()
    #expect(throws: SigningFailure.noNames) { try authority.issueLeaf(names: [], notBefore: 0, notAfter: 1) }
    for name in [
      "", "*", "*.", "a*.test", "http://localhost", "localhost:2197", "a,DNS:b.test", String(repeating: "a", count: 64),
    ] {
      #expect(throws: SigningFailure.badName(text: name)) {
        try authority.issueLeaf(names: [name], notBefore: 0, notAfter: 1, evenIfNotPermitted: true)
      }
    }
    for (begin, end) in [(2, 1), (0, 253_402_300_800), (0, .max), (.min, 0)] as [(Int64, Int64)] {
      #expect(throws: SigningFailure.badDates(notBefore: begin, notAfter: end)) {
        try authority.issueLeaf(names: ["localhost"], notBefore: begin, notAfter: end)
      }
    }
    #expect(ERR_peek_error() == 0)
  }

  private let wanted = "a certificate (\"CERTIFICATE\")"

  private func load(_ certificate: String, _ key: String) throws -> CertificateAuthority {
    try CertificateAuthority(certificatePEM: certificate, from: "ca.pem", privateKeyPEM: key, from: "ca.key")
  }

  private func verdict(
    _ leaf: Identity, for host: String, trusting authority: CertificateAuthority, at seconds: Int64 = Fixtures.between
  ) -> Int32 {
    Chain.verdict(leaf.certificatePEM, for: host, trusting: authority.certificatePEM, at: seconds)
  }
}

import COpenSSL
import Signing
import Testing

@Suite("The local CA")
struct CertificateAuthorityTests {
  @Test("the local CA permits this machine and Apple's push domain, and reads that back from its certificate")
  func permitsDefaults() throws {
    let authority = try Fixtures.authority()
    #expect(authority.permittedNames == ["localhost", "push.apple.com"])
    #expect(authority.certificate.permittedNames == authority.permittedNames)
    #expect(authority.notAfter == Fixtures.end)
    #expect(authority.certificate.notBefore == Fixtures.begin)
    #expect(authority.certificate.isSigned(by: authority.certificate))
  }

  @Test("the local CA also permits the given DNS names, each once, and no addresses")
  func permitsExtras() throws {
    let authority = try Fixtures.authority(
      names: ["Pushpit.Test", "192.168.1.5", "*.wild.test", "::1", "localhost", "push_pit", "a.pushpit.test"])
    #expect(
      authority.permittedNames == CertificateAuthority.alwaysPermitted + ["pushpit.test", "wild.test", "push_pit"])
  }

  @Test("the local CA has critical name constraints: a client that does not support them refuses it")
  func constraintsAreCritical() throws {
    let certificate = Chain.certificate(try Fixtures.authority().certificatePEM)
    defer { X509_free(certificate) }
    let place = X509_get_ext_by_NID(certificate, NID_name_constraints, -1)
    #expect(place >= 0)
    #expect(X509_EXTENSION_get_critical(X509_get_ext(certificate, place)) == 1)
  }

  @Test(
    "the local CA is not made for an invalid name",
    arguments: [
      "", "10.0.0.0/8", "*.", ".example.com", "a..b", "-a.test", "exämple.com", "a b", "x,permitted;DNS:com",
      "localhost/8", "300.1.1.1", "test.", "[::1]", "line end", "nought",
    ])
  func refusesBadNames(text: String) {
    // Control characters stay out of the arguments, which the test runner prints.
    let text = ["line end": "a.test\n", "nought": "127.0.0.1\u{0}x"][text] ?? text
    #expect(throws: SigningFailure.badName(text: text)) { try Fixtures.authority(names: [text]) }
  }

  @Test(
    "the local CA is not made for a wildcard below a name where strangers have names",
    arguments: ["*.com", "*.COM", "*.test", "*.localhost", "*.co.uk", "*.com.au", "*.de"])
  func refusesWideWildcards(name: String) {
    #expect(throws: SigningFailure.wildcardTooWide(text: name)) { try Fixtures.authority(names: [name]) }
    #expect(SigningFailure.wildcardTooWide(text: name).description.contains("such as *.example.com"))
  }

  @Test(
    "the local CA is made for a wildcard below a domain, and for a name of one label, which may be a container's",
    arguments: ["*.example.com", "*.name.de", "*.abc.com", "*.a.co.uk", "*.push.svc.local", "pushpit", "com"])
  func acceptsNarrowWildcards(name: String) throws {
    let leaf = try Fixtures.authority(names: [name]).issueLeaf(
      names: [name], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(try Certificate(pem: leaf.certificatePEM, from: "tls.pem").names == [name])
  }

  @Test("the local CA is distinguished from one of an earlier Pushpit, one without constraints, and other certificates")
  func standing() throws {
    let made = try Fixtures.authority()
    let leaf = try made.issueLeaf(names: ["localhost"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(made.certificate.standing == .current)
    #expect(try Certificate(pem: made.certificatePEM, from: "ca.pem").standing == .current)
    #expect(try Certificate(pem: leaf.certificatePEM, from: "ca.pem").standing == .noAuthority)
    #expect(try Certificate(pem: Fixtures.unlimited, from: "ca.pem").standing == .unlimited)
    for pem in [Fixtures.limitedByAddress, Fixtures.withoutUsage] {
      let old = try Certificate(pem: pem, from: "ca.pem")
      #expect(old.standing == .outdated)
      #expect(old.permittedNames == ["localhost", "push.apple.com", "old.test"])
    }
    #expect(ERR_peek_error() == 0)
  }

  @Test(
    "the local CA makes a leaf that a strict client accepts under every default name", arguments: Identity.defaultNames)
  func leafServesDefaults(name: String) throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(
      names: Identity.defaultNames, notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(leaf, for: name, trusting: authority) == X509_V_OK)
    #expect(try Certificate(pem: leaf.certificatePEM, from: "leaf").names == Identity.defaultNames)
  }

  @Test("the local CA makes no leaf for a name outside its constraints, and lists the permitted ones")
  func refusesOutsideNames() throws {
    let authority = try Fixtures.authority()
    for name in ["example.com", "apple.com", "notpush.apple.com", "*.apple.com"] {
      let failure = SigningFailure.nameNotPermitted(name: name, permitted: CertificateAuthority.alwaysPermitted)
      #expect(throws: failure) {
        try authority.issueLeaf(names: ["localhost", name], notBefore: Fixtures.begin, notAfter: Fixtures.end)
      }
      #expect(failure.description.contains("push.apple.com"))
    }
  }

  @Test(
    "the local CA is not trusted for a host outside its constraints, even when made to sign",
    arguments: ["example.com", "apple.com", "*.apple.com", "evillocalhost", "localhost.evil.com", "invalid"])
  func constraintsBind(name: String) throws {
    let authority = try Fixtures.authority()
    let leaf = try authority.issueLeaf(
      names: [name], notBefore: Fixtures.begin, notAfter: Fixtures.end, evenIfNotPermitted: true)
    let host = name.replacing("*", with: "www")
    #expect(verdict(leaf, for: host, trusting: authority) == X509_V_ERR_PERMITTED_VIOLATION)

    // The same leaf passes under a CA that permits the name: nothing else is wrong with it.
    let wider = try Fixtures.authority(names: [name])
    let sound = try wider.issueLeaf(names: [name], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(sound, for: host, trusting: wider) == X509_V_OK)
  }

  @Test(
    "the local CA is not trusted for e-mail addresses and URIs, even when made to sign",
    arguments: [
      "email:a@evil.com", "email:a@localhost", "email:a@push.apple.com", "URI:https://evil.com/",
      "URI:https://localhost/", "URI:urn:evil",
    ])
  func otherKindsAreBound(name: String) throws {
    let authority = try Fixtures.authority()
    let leaf = { (names: String) throws in
      try authority.issueLeaf(
        alternativeName: names, notBefore: Fixtures.begin, notAfter: Fixtures.end, key: try SigningKey.generate())
    }
    #expect(verdict(try leaf("DNS:localhost"), for: "localhost", trusting: authority) == X509_V_OK)
    let refused = verdict(try leaf("DNS:localhost," + name), for: "localhost", trusting: authority)
    // A URI without a host cannot be compared, which is no better.
    #expect([X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX].contains(refused))
  }

  @Test("the local CA makes the flaws that clients must notice: expired, not yet valid, another name, an unknown CA")
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

  @Test("the local CA makes a leaf of addresses alone, or with a wildcard, that clients accept")
  func servesAddressesAndWildcards() throws {
    let authority = try Fixtures.authority()
    let plain = try authority.issueLeaf(
      names: ["127.0.0.1", "::1"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(plain, for: "::1", trusting: authority) == X509_V_OK)
    let wild = try authority.issueLeaf(
      names: ["*.push.apple.com"], notBefore: Fixtures.begin, notAfter: Fixtures.end)
    #expect(verdict(wild, for: "api.push.apple.com", trusting: authority) == X509_V_OK)
  }

  @Test("the local CA makes no leaf without a name, with a bad one, or with dates in the wrong order")
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

  private func verdict(
    _ leaf: Identity, for host: String, trusting authority: CertificateAuthority, at seconds: Int64 = Fixtures.between
  ) -> Int32 {
    Chain.verdict(leaf.certificatePEM, for: host, trusting: authority.certificatePEM, at: seconds)
  }
}

import Signing
import TestSupport
import Testing

/// Tests of our certificates with programs that we did not write.
@Suite("Other programs")
struct OutsideJudgesTests {
  @Test("openssl verify trusts the leaf only within the CA's constraints")
  func opensslVerifies() throws {
    let stage = try Stage()
    for host in ["localhost", "api.sandbox.push.apple.com"] {
      let verdict = try Program.openssl(
        "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", stage.authority, "-verify_hostname", host,
        "-attime", "\(Fixtures.between)", stage.leaf)
      #expect(verdict.status == 0, "\(verdict.text)")
    }
    let verify = { (leaf: String) in
      try Program.openssl("verify", "-CAfile", stage.authority, "-attime", "\(Fixtures.between)", leaf)
    }
    let mismatch = try Program.openssl(
      "verify", "-CAfile", stage.authority, "-verify_hostname", "example.com", "-attime", "\(Fixtures.between)",
      stage.leaf)
    #expect(mismatch.status != 0 && mismatch.text.contains("hostname mismatch"))
    for outsider in [stage.outsider, try stage.leaf("email:a@evil.com"), try stage.leaf("URI:https://evil.com/")] {
      let outside = try verify(outsider)
      #expect(outside.status != 0 && outside.text.contains("permitted subtree violation"), "\(outside.text)")
    }
    #expect(try verify(try stage.leaf("DNS:localhost,IP:127.0.0.1")).status == 0)
  }

  @Test("openssl x509 reads the extensions as intended")
  func opensslReads() throws {
    let stage = try Stage()
    let authority = try Program.openssl("x509", "-in", stage.authority, "-noout", "-text").text
    for line in [
      "Version: 3 (0x2)", "Subject: CN = Pushpit local CA, O = Pushpit", "X509v3 Basic Constraints: critical",
      "CA:TRUE, pathlen:0", "X509v3 Key Usage: critical", "Certificate Sign, CRL Sign",
      "X509v3 Subject Key Identifier", "X509v3 Name Constraints: critical", "DNS:localhost", "DNS:push.apple.com",
      "email:invalid", "URI:invalid", "TLS Web Server Authentication", "ASN1 OID: prime256v1", "ecdsa-with-SHA256",
    ] { #expect(authority.contains(line), "\(line) in \(authority)") }
    #expect(!authority.contains("IP:"))
    let leaf = try Program.openssl("x509", "-in", stage.leaf, "-noout", "-text").text
    for line in [
      "X509v3 Authority Key Identifier", "TLS Web Server Authentication", "Digital Signature",
      "DNS:api.sandbox.push.apple.com", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1",
    ] { #expect(leaf.contains(line), "\(line) in \(leaf)") }
  }

  @Test(
    "Python's ssl connects by name and by address, and not outside the CA's constraints")
  func pythonShakesHands() throws {
    let stage = try Stage()
    for host in ["localhost", "api.push.apple.com", "127.0.0.1", "::1"] {
      let verdict = try handshake(stage, stage.leaf, stage.leafKey, host)
      #expect(verdict.status == 0, "\(verdict.text)")
    }
    let mismatch = try handshake(stage, stage.leaf, stage.leafKey, "example.com")
    #expect(mismatch.status == 1 && mismatch.text.contains("Hostname mismatch"), "\(mismatch.text)")
    let outside = try handshake(stage, stage.outsider, stage.outsiderKey, "example.com")
    #expect(outside.status == 1 && outside.text.contains("permitted subtree violation"), "\(outside.text)")
  }

  /// Two ends of a TLS connection in one Python process, strict as Python 3.13 is by default.
  private func handshake(
    _ stage: Stage, _ leaf: String, _ key: String, _ host: String
  ) throws -> Program.End {
    let script = """
      import ssl, sys
      ca, leaf, key, host = sys.argv[1:]
      server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); server.load_cert_chain(leaf, key)
      client = ssl.create_default_context(cafile=ca); client.verify_flags |= ssl.VERIFY_X509_STRICT
      up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
      ends = [client.wrap_bio(down, up, server_hostname=host), server.wrap_bio(up, down, server_side=True)]
      for _ in range(6):
        for end in ends:
          try: end.do_handshake()
          except ssl.SSLWantReadError: pass
          except ssl.SSLCertVerificationError as error: print(error); sys.exit(1)
      print(ends[0].version())
      """
    return try Program.python("-c", script, stage.authority, leaf, key, host)
  }

  /// A CA, a leaf within its limits and one outside, as files. Valid by any clock until 2100.
  private struct Stage {
    private static let end: Int64 = 4_102_444_800
    let folder: TemporaryFolder
    private let made: CertificateAuthority
    let authority: String
    let leaf: String
    let leafKey: String
    let outsider: String
    let outsiderKey: String

    init() throws {
      let end = Self.end
      folder = try TemporaryFolder()
      made = try CertificateAuthority.make(names: [], notBefore: 0, notAfter: end)
      let sound = try made.issueLeaf(names: Identity.defaultNames, notBefore: 0, notAfter: end)
      let outside = try made.issueLeaf(
        names: ["example.com"], notBefore: 0, notAfter: end, evenIfNotPermitted: true)
      authority = try folder.file("ca.pem", made.certificatePEM)
      leaf = try folder.file("leaf.pem", sound.certificatePEM)
      leafKey = try folder.file("leaf.key", sound.privateKeyPEM)
      outsider = try folder.file("outside.pem", outside.certificatePEM)
      outsiderKey = try folder.file("outside.key", outside.privateKeyPEM)
    }

    /// A file with a leaf for an alternative name of any kind.
    func leaf(_ alternativeName: String) throws -> String {
      let leaf = try made.issueLeaf(
        alternativeName: alternativeName, notBefore: 0, notAfter: Self.end, key: try SigningKey.generate())
      return try folder.file("other-\(alternativeName.count).pem", leaf.certificatePEM)
    }
  }
}

import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Signing

@Suite("A provider's certificate")
struct PushCertificateTests {
  /// A valid universal certificate; a test changes one value.
  static var request: PushCertificateRequest {
    var request = PushCertificateRequest(
      uid: "com.example.app", commonName: "Apple Push Services: com.example.app", teamID: "PUSHPIT001",
      notBefore: Fixtures.between, notAfter: Fixtures.end)
    request.isForDevelopment = true
    request.isForProduction = true
    request.topics = [("com.example.app", "app"), ("com.example.app.voip", "voip")]
    return request
  }

  static func authority() throws -> ProviderAuthority {
    try ProviderAuthority.make(notBefore: Fixtures.between, notAfter: Fixtures.end)
  }

  /// The key of most certificates here: making one takes a tenth of a second of processor time.
  static let key = Result { try RSAKey.generate() }

  private func issued(_ change: (inout PushCertificateRequest) -> Void = { _ in }) throws -> PushCertificate {
    var request = Self.request
    change(&request)
    return try Self.authority().issue(request, for: Self.key.get()).certificate
  }

  @Test("a provider's certificate shows its topics, its environments and its owner")
  func tells() throws {
    let authority = try Self.authority()
    let certificate = try authority.issue(Self.request).certificate
    #expect(certificate.topics == ["com.example.app", "com.example.app.voip"] && certificate.voipTopics.isEmpty)
    #expect(certificate.uid == "com.example.app")
    #expect(certificate.commonName == "Apple Push Services: com.example.app")
    #expect(certificate.isForDevelopment && certificate.isForProduction && certificate.hasAppleExtension)
    #expect(certificate.keyFlaw == nil)
    #expect(certificate.certificate.notBefore == Fixtures.between && certificate.certificate.notAfter == Fixtures.end)
    #expect(certificate.certificate.isSigned(by: authority.certificate))
    #expect(!certificate.certificate.isSigned(by: try Self.authority().certificate))
    #expect(ERR_peek_error() == 0)
  }

  @Test("a provider's certificate distinguishes the marks of each environment")
  func environments() throws {
    let development = try issued { $0.isForProduction = false }
    #expect(development.isForDevelopment && !development.isForProduction)
    let production = try issued { $0.isForDevelopment = false }
    #expect(!production.isForDevelopment && production.isForProduction)
  }

  @Test("a certificate for VoIP names its topic in a separate extension")
  func voip() throws {
    let certificate = try issued {
      $0.topics = []
      $0.voipTopic = "com.example.app.voip"
    }
    #expect(certificate.topics.isEmpty && certificate.voipTopics == ["com.example.app.voip"])
  }

  @Test("a provider's certificate without Apple's extensions lists nothing, and still has its UID")
  func noExtension() throws {
    let certificate = try issued { $0.hasAppleExtensions = false }
    #expect(!certificate.hasAppleExtension && certificate.topics.isEmpty && certificate.uid == "com.example.app")
    #expect(!certificate.isForDevelopment && !certificate.isForProduction)
  }

  @Test("a provider's certificate has a separate fingerprint, equal however often it is read")
  func fingerprint() throws {
    let (one, other) = (try issued(), try issued())
    #expect(one.fingerprint.count == 64 && one.fingerprint != other.fingerprint)
    let again = try Certificate(pem: one.certificate.pem, from: "x")
    #expect(again.pem == one.certificate.pem)
  }

  @Test(
    "a provider's certificate names many topics, also in a list of more than 127 and more than 255 bytes",
    arguments: [3, 6, 40])
  func manyTopics(count: Int) throws {
    let topics = (0..<count).map { "com.example.app-number-\($0).voip" }
    let certificate = try issued { $0.topics = topics.map { ($0, "voip") } }
    #expect(certificate.topics == topics)
  }

  @Test(
    "bytes that are no certificate are unreadable as one",
    arguments: [[], [0x30], [0x30, 0x00], [UInt8](repeating: 0x30, count: 300), Array("-----BEGIN".utf8)])
  func unreadable(der: [UInt8]) {
    #expect(throws: SigningFailure.self) { try PushCertificate(der: der, from: "x") }
    #expect(ERR_peek_error() == 0)
  }

  @Test("openssl reads the subject, the key and the extensions as those of Apple's certificates")
  func opensslReads() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/provider.pem"
    try Self.authority().issue(Self.request).pem.write(toFile: path, atomically: false, encoding: .utf8)
    let text = try Program.openssl("x509", "-in", path, "-noout", "-text", "-nameopt", "RFC2253").text
    for line in [
      "Subject: C=US,O=Pushpit,OU=PUSHPIT001,CN=Apple Push Services: com.example.app,UID=com.example.app",
      "Public-Key: (2048 bit)", "1.2.840.113635.100.6.3.1: \n", "1.2.840.113635.100.6.3.2: \n",
      "1.2.840.113635.100.6.3.6: \n", "TLS Web Client Authentication",
    ] { #expect(text.contains(line), "\(line) in \(text)") }
    let asn1 = try Program.openssl("asn1parse", "-in", path).text
    #expect(asn1.contains("1.2.840.113635.100.6.3.6"))
    let check = try Program.openssl("rsa", "-in", path, "-check", "-noout")
    #expect(check.status == 0, "\(check.text)")
  }
}

@Suite("Strings in an extension")
struct ObjectStringsTests {
  @Test(
    "the strings in an extension are one string or those of a list; lists within it are left out",
    arguments: [
      ([0x0C, 1, 0x61], ["a"]), ([0x13, 1, 0x61], ["a"]), ([0x16, 1, 0x61], ["a"]), ([0x05, 0], []), ([0x30, 0], []),
      ([0x30, 6, 0x0C, 1, 0x61, 0x0C, 1, 0x62], ["a", "b"]),
      ([0x30, 8, 0x0C, 1, 0x61, 0x30, 3, 0x0C, 1, 0x62], ["a"]),
      ([0x30, 0x81, 3, 0x0C, 1, 0x61], ["a"]), ([0x0C, 0x82, 0, 1, 0x61], ["a"]),
      ([], nil), ([0x0C], nil), ([0x0C, 2, 0x61], nil), ([0x0C, 1, 0x61, 0], nil), ([0x0C, 0x80], nil),
      ([0x0C, 0x84, 0, 0, 0, 1, 0x61], nil), ([0x0C, 0x83, 0xFF, 0xFF, 0xFF], nil), ([0x0C, 1, 0xFF], nil),
      ([0x30, 3, 0x0C, 5, 0x61], nil), ([0x30, 3, 0x0C, 1, 0xFF], nil),
    ] as [([UInt8], [String]?)])
  func read(bytes: [UInt8], strings: [String]?) { #expect(ObjectStrings.read(bytes) == strings) }
}

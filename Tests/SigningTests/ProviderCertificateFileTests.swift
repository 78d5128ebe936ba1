import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Signing

@Suite("The file of a provider's certificate")
struct ProviderCertificateFileTests {
  private let folder: TemporaryFolder
  private let authority: ProviderAuthority
  private let identity: ProviderIdentity

  init() throws {
    folder = try TemporaryFolder()
    authority = try PushCertificateTests.authority()
    identity = try authority.issue(PushCertificateTests.request, for: PushCertificateTests.key.get())
  }

  private func read(_ text: String, password: String = "") throws -> PushCertificate {
    try read(Array(text.utf8), password: password)
  }

  private func read(_ bytes: [UInt8], password: String) throws -> PushCertificate {
    try ProviderCertificateFile.read(bytes, password: password, from: "/club/provider")
  }

  private func failure(_ text: String) -> String? { failure { try read(text) } }

  private func failure(_ body: () throws -> PushCertificate) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func identity(_ change: (inout PushCertificateRequest) -> Void) throws -> ProviderIdentity {
    var request = PushCertificateTests.request
    change(&request)
    return try authority.issue(request, for: PushCertificateTests.key.get())
  }

  @Test("a provider certificate file is PEM with the certificate alone, with its key, its authority, or text around it")
  func pem() throws {
    let (leaf, key, top) = (identity.certificate.certificate.pem, identity.key.pem, authority.certificate.pem)
    for text in [leaf, leaf + key, key + leaf, leaf + key + top, leaf + top + key, "Bag Attributes\n" + leaf + "end\n"]
    { #expect(try read(text).fingerprint == identity.certificate.fingerprint) }
    #expect(ERR_peek_error() == 0)
  }

  @Test(
    "a provider certificate file is PKCS#12 with its password, an empty one too",
    arguments: ["pushpit", "", "päß wörd"])
  func pkcs12(password: String) throws {
    let bytes = try identity.pkcs12(password: password)
    #expect(try read(bytes, password: password).fingerprint == identity.certificate.fingerprint)
    let wrong = failure { try read(bytes, password: "other") }
    #expect(wrong?.contains("does not open with this password") == true, "\(wrong ?? "")")
    #expect(ERR_peek_error() == 0)
  }

  @Test("openssl opens the PKCS#12 file, which has nothing that needs its legacy provider")
  func opensslOpens() throws {
    let path = folder.path + "/provider.p12"
    try Data(try identity.pkcs12(password: "secret")).write(to: URL(fileURLWithPath: path))
    let told = try Program.openssl("pkcs12", "-in", path, "-passin", "pass:secret", "-nodes", "-info")
    #expect(told.status == 0 && told.text.contains("friendlyName: Apple Push Services: com.example.app"))
    #expect(told.text.contains("pbeWithSHA1And3-KeyTripleDES-CBC") && told.text.contains("BEGIN PRIVATE KEY"))
    #expect(try Program.openssl("pkcs12", "-in", path, "-passin", "pass:other", "-nodes").status != 0)
  }

  @Test("an export of Keychain Access's old kind is named, with the command that helps")
  func oldEncryption() throws {
    let (pem, p12) = (folder.path + "/old.pem", folder.path + "/old.p12")
    try identity.pem.write(toFile: pem, atomically: false, encoding: .utf8)
    let made = try Program.openssl(
      "pkcs12", "-export", "-legacy", "-in", pem, "-out", p12, "-passout", "pass:secret")
    try #require(made.status == 0, "\(made.text)")
    let failure = failure { try read(try folder.bytes("old.p12"), password: "secret") }
    #expect(failure?.contains("openssl pkcs12 -legacy") == true, "\(failure ?? "none")")
  }

  @Test("a file with its authority first is in the wrong order, and so is one with the key of a later certificate")
  func order() throws {
    let (leaf, key, top) = (identity.certificate.certificate.pem, identity.key.pem, authority.certificate.pem)
    for text in [top + leaf, top + leaf + key] {
      let sentence = failure(text)
      #expect(sentence?.contains("wrong order: Pushpit provider CA comes first") == true, "\(sentence ?? "none")")
    }
    let other = try authority.issue(PushCertificateTests.request)
    let sentence = failure(other.certificate.certificate.pem + leaf + key)
    #expect(sentence?.contains("wrong order") == true, "\(sentence ?? "none")")
  }

  @Test("a provider certificate file with a key of another certificate is named")
  func otherKey() throws {
    let sentence = failure(identity.certificate.certificate.pem + (try RSAKey.generate().pem))
    #expect(sentence?.contains("a key that does not belong to its certificate") == true, "\(sentence ?? "none")")
  }

  @Test("a provider certificate file without Apple's extensions is no push certificate")
  func noExtension() throws {
    let sentence = failure(try identity { $0.hasAppleExtensions = false }.pem)
    #expect(sentence?.contains("none of Apple's extensions") == true, "\(sentence ?? "none")")
  }

  @Test("a provider certificate file with a key of another kind is named, with that kind")
  func otherKind() throws {
    var template = CertificateTemplate(
      subject: [("UID", "com.example.app"), ("CN", "x")], notBefore: Fixtures.between, notAfter: Fixtures.end,
      extensions: [(NID_basic_constraints, "critical,CA:FALSE")])
    template.foreignExtensions = [(PushCertificate.Extension.production.rawValue, [5, 0])]
    let key = try SigningKey.generate()
    let made = try template.certificate(for: key.verifyingKey, signedBy: authority.certificate, with: authority.key)
    for text in [made.pem, made.pem + key.p8] {
      let sentence = failure(text)
      #expect(sentence?.contains("a key of the type EC of 256 bits") == true, "\(sentence ?? "none")")
    }
  }

  @Test("a provider certificate file without a certificate, or of neither kind, is named")
  func nothing() throws {
    #expect(failure(identity.key.pem)?.contains("holds no certificate") == true)
    for bytes in [[], [0x30, 0x03, 0x02, 0x01, 0x03], [0xFF, 0xFE]] as [[UInt8]] {
      #expect(failure { try read(bytes, password: "") }?.contains("neither PEM nor PKCS#12") == true)
    }
    let cut = String(identity.certificate.certificate.pem.dropLast(200))
    #expect(failure(cut)?.contains("truncated or damaged") == true)
  }
}

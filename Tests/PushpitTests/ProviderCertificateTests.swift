import APNs
import Foundation
import Grammar
import Signing
import TestSupport
import Testing
import Timeline
import Transport
import WireFormats

@testable import Pushpit

@Suite("Certificates of providers in a state folder")
struct ProviderCertificateTests {
  private let keeper: TemporaryFolder
  private let folder: StateFolder
  private let now = Instant(seconds: SystemClock.now.seconds)

  /// A key for all certificates that these tests make in `folder`: making it takes longer than anything else here.
  private static let key = Result { try RSAKey.generate() }

  init() throws {
    keeper = try TemporaryFolder()
    folder = StateFolder(keeper.path + "/state")
  }

  private func make(
    _ kind: String, topic: String? = "com.example.app", flaw: String? = nil, password: String = "secret"
  ) throws -> ProviderCertificateRegistry.Entry {
    let order = try ProviderCertificateOrder(kind: kind, topic: topic, password: password, flaw: flaw)
    var registry = try ProviderCertificateRegistry(folder)
    return try registry.make(order, for: try Self.key.get())
  }

  /// As a server reads it when a client presents it.
  private func read(_ entry: ProviderCertificateRegistry.Entry) throws -> ProviderCertificate {
    let pem = try KeyFile.read(try #require(entry.file))
    return try reader().read(ClientCertificate(der: try Self.der(pem), subject: "CN=x"))
  }

  private func reader() throws -> ProviderCertificateReader { try ProviderCertificateReader(folder) }

  private static func der(_ pem: String) throws -> [UInt8] {
    let lines = pem.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN CERTIFICATE") }.dropFirst()
    return Array(try #require(Data(base64Encoded: lines.prefix { !$0.hasPrefix("-----END") }.joined())))
  }

  @Test("a certificate for which the list has no room is refused, and those of the list can still be revoked")
  func full() throws {
    let first = try make("development")
    let list = try JSONValue.parse(Array(try KeyFile.read(folder.providerListPath).utf8))
    let entry = try #require(list["certificates"]?.elements?.first).text
    let others = (0..<(1 << 19) / entry.utf8.count - 1).map { number in
      let start = "\(1_000_000 + number)"
      return entry.replacingOccurrences(of: first.fingerprint, with: start + first.fingerprint.dropFirst(start.count))
    }
    let text = #"{"certificates":[\#(([entry] + others).joined(separator: ","))]}"#
    try KeyFile.write(text, to: folder.providerListPath)
    let problem = #expect(throws: ProviderCertificateProblem.self) {
      for number in 0..<20 { _ = try make("development", topic: "com.example.app\(number)") }
    }
    #expect(problem?.description.contains("provider-certificates.json would be longer than 524288 bytes") == true)
    var registry = try ProviderCertificateRegistry(folder)
    #expect(registry.entries.count > others.count)
    #expect(try registry.revoke(first.fingerprint).isRevoked)
    #expect(try ProviderCertificateRegistry(folder).entries[0].isRevoked)
  }

  @Test(
    "provider certificates are made of each kind as Apple's portal makes them",
    arguments: [
      ("universal", ["com.example.app", "com.example.app.voip", "com.example.app.complication"], "sandbox production"),
      ("development", ["com.example.app"], "sandbox"), ("production", ["com.example.app"], "production"),
      ("voip", ["com.example.app.voip"], "sandbox production"),
    ])
  func kinds(kind: String, topics: [String], environments: String) throws {
    let entry = try make(kind)
    #expect(entry.topics == topics && entry.environments.joined(separator: " ") == environments)
    let read = try read(entry)
    #expect(read.topics == topics && read.flaw == nil && read.subject == "CN=x")
    #expect(read.environments.map(\.rawValue).sorted().reversed().joined(separator: " ") == environments)
    #expect(read.notBefore < now && now < read.notAfter)
    let p12 = String(try #require(entry.file).dropLast(4)) + ".p12"
    let opened = try ProviderCertificateFile.read(KeyFile.readBytes(p12), password: "secret", from: p12)
    #expect(opened.fingerprint == entry.fingerprint)
  }

  @Test("provider certificates for device management have a topic of Apple's form, drawn where none is given")
  func management() throws {
    let (one, other) = (try make("mdm", topic: nil), try make("mdm", topic: nil))
    #expect(one.topics != other.topics && one.environments == ["production"])
    let form = /com\.apple\.mgmt\.External\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
    #expect(try form.wholeMatch(in: try #require(one.topics.first)) != nil, "\(one.topics)")
    #expect(try read(one).topics == one.topics)
  }

  @Test("provider certificates with a flaw are rejected for it")
  func flaws() throws {
    #expect(try read(try make("universal", flaw: "revoked")).flaw == .revoked)
    #expect(try read(try make("universal", flaw: "unknownAuthority")).flaw == .unknownAuthority)
    #expect(try read(try make("universal", flaw: "noExtension")).flaw == .noAppleExtension)
    let expired = try read(try make("universal", flaw: "expired"))
    #expect(expired.flaw == nil && expired.notAfter < now && expired.notBefore < expired.notAfter)
  }

  @Test("a running server accepts a provider certificate that is made later, until it is revoked")
  func atOnce() throws {
    let reader = try reader()
    let entry = try make("production")
    let presented = ClientCertificate(der: try Self.der(try KeyFile.read(try #require(entry.file))), subject: "CN=x")
    #expect(reader.read(presented).flaw == nil)
    var registry = try ProviderCertificateRegistry(folder)
    #expect(try registry.revoke(String(entry.fingerprint.prefix(8)).uppercased()).isRevoked)
    #expect(reader.read(presented).flaw == .revoked)
    try KeyFile.write("{", to: folder.providerListPath)
    #expect(reader.read(presented).flaw == .revoked, "a list that cannot be read changes nothing")
    #expect(throws: ProviderCertificateProblem.self) { try ProviderCertificateReader(folder) }
  }

  @Test("provider certificates of others are accepted once they are registered, from PEM or PKCS#12")
  func registered() throws {
    let elsewhere = StateFolder(keeper.path + "/other")
    var others = try ProviderCertificateRegistry(elsewhere)
    let order = try ProviderCertificateOrder(kind: "voip", topic: "com.example.app", password: "secret", flaw: nil)
    let entry = try others.make(order)
    #expect(try read(entry).flaw == .unknownAuthority)
    let file = try #require(entry.file)
    var registry = try ProviderCertificateRegistry(folder)
    #expect(throws: ProviderCertificateProblem.self) {
      try registry.register(file: file.dropLast(4) + ".p12", password: "wrong")
    }
    for name in [file.dropLast(4) + ".p12", file] {
      #expect(try registry.register(file: name, password: "secret").fingerprint == entry.fingerprint)
    }
    #expect(registry.entries.map(\.isRegistered) == [true])
    #expect(try read(entry).flaw == nil)
  }

  @Test("provider certificates are revoked by either of their files; a name of none is reported")
  func revoking() throws {
    let (one, two) = (try make("universal"), try make("voip"))
    var registry = try ProviderCertificateRegistry(folder)
    #expect(try registry.revoke(try #require(one.file)).fingerprint == one.fingerprint)
    #expect(try registry.revoke(try #require(two.file).dropLast(4) + ".p12").fingerprint == two.fingerprint)
    for name in ["", "abc", "zzzzzzzz", "/nowhere/x.pem"] {
      #expect(throws: ProviderCertificateProblem.self) { try registry.revoke(name) }
    }
    let again = try make("universal")
    #expect(try ProviderCertificateRegistry(folder).entries.filter { $0.file == again.file }.count == 1)
    #expect(try read(again).flaw == nil && again.fingerprint != one.fingerprint)
  }

  @Test("a file without a readable certificate is reported as such")
  func unreadable() throws {
    let read = try reader().read(ClientCertificate(der: [1, 2, 3], subject: "CN=y"))
    #expect(read.flaw == .unreadable && read.subject == "CN=y" && read.topics.isEmpty)
  }

  @Test(
    "an order that makes no sense is refused at its flag",
    arguments: [
      ("apple", "com.example.app", nil, "--kind"), ("universal", nil, nil, "--topic"),
      ("voip", "com.example.app.voip", nil, "--topic"), ("universal", "no topic", nil, "--topic"),
      ("universal", "", nil, "--topic"), ("universal", "com.apple.mgmt.External.x", nil, "--topic"),
      ("mdm", "com.example.app", nil, "--topic"), ("universal", "com.example.app", "stolen", "--flaw"),
    ] as [(String, String?, String?, String)])
  func senseless(kind: String, topic: String?, flaw: String?, place: String) {
    #expect {
      try ProviderCertificateOrder(kind: kind, topic: topic, password: "", flaw: flaw)
    } throws: {
      ($0 as? InputProblem)?.place == place
    }
  }
}

import Signing
import TestSupport
import Testing
import Timeline

@testable import Pushpit

@Suite("The certificates of a state folder") struct StateCertificatesTests {
  private static let day: Int64 = 86_400

  /// A folder with certificates that end so many days from now.
  private func folder(ending days: Int64) throws -> (StateFolder, keeper: TemporaryFolder) {
    let keeper = try TemporaryFolder()
    let folder = StateFolder(keeper.path)
    let now = SystemClock.now.seconds
    let (begin, end) = (now - 2 * Self.day, now + days * Self.day)
    let names = Identity.defaultNames + ["alpha.test", "10.1.2.3"]
    let authority = try CertificateAuthority.make(names: names, notBefore: begin, notAfter: end)
    let key = try SigningKey.generate()
    let leaf = try authority.issueLeaf(names: names, notBefore: begin, notAfter: end, key: key)
    var files = ["ca": authority.certificatePEM, "tls": leaf.certificatePEM, "tls-key": leaf.privateKeyPEM]
    for flaw in CertificateFlaw.ofTheAuthority {
      files["tls-\(flaw.rawValue)"] =
        try authority.issueLeaf(flaw, names: names, now: now, notAfter: end, key: key).certificatePEM
    }
    for (name, pem) in files { try KeyFile.write(pem, to: "\(keeper.path)/\(name).pem") }
    return (folder, keeper)
  }

  @Test("certificates of an earlier version for a whole top-level domain are replaced, without that name")
  func narrowed() throws {
    let keeper = try TemporaryFolder()
    let folder = StateFolder(keeper.path)
    let now = SystemClock.now.seconds
    let (begin, end) = (now - Self.day, now + 100 * Self.day)
    let names = Identity.defaultNames + ["alpha.test"]
    let authority = try CertificateAuthority.make(names: names + ["com"], notBefore: begin, notAfter: end)
    let key = try SigningKey.generate()
    let alternatives = names.map { ($0.contains(":") || $0.first?.isNumber == true ? "IP:" : "DNS:") + $0 }
    let leaf = try authority.issueLeaf(
      alternativeName: (alternatives + ["DNS:*.com"]).joined(separator: ","), notBefore: begin, notAfter: end, key: key)
    var files = ["ca": authority.certificatePEM, "tls": leaf.certificatePEM, "tls-key": leaf.privateKeyPEM]
    for flaw in CertificateFlaw.ofTheAuthority {
      files["tls-\(flaw.rawValue)"] =
        try authority.issueLeaf(flaw, names: names, now: now, notAfter: end, key: key).certificatePEM
    }
    for (name, pem) in files { try KeyFile.write(pem, to: "\(keeper.path)/\(name).pem") }
    let made = try folder.certificates(names: [])
    #expect(made.replacement?.contains("the name *.com, which covers domains of others") == true)
    #expect(made.names == names)
    #expect(
      try Certificate(pem: KeyFile.read(folder.authorityPath), from: "ca.pem").permittedNames.contains("com") == false)
    #expect(throws: SigningFailure.wildcardTooWide(text: "*.com")) { try folder.certificates(names: ["*.com"]) }
  }

  @Test("the certificates of a state folder are used unchanged while they are valid")
  func taken() throws {
    let (folder, keeper) = try folder(ending: 31)
    defer { withExtendedLifetime(keeper) {} }
    let before = try KeyFile.read(keeper.path + "/ca.pem")
    let (certificates, use) = try folder.certificatesInUse(names: ["10.1.2.3", "ALPHA.test"])
    #expect(certificates.authority.pem == before && certificates.replacement == nil)
    #expect(certificates.flawed.count == CertificateFlaw.ofTheAuthority.count)
    withExtendedLifetime(use) {}
  }

  @Test("certificates are renewed in their last month, with their names; under a running server once they have expired")
  func renewed() throws {
    let (worn, its) = try folder(ending: 29)
    defer { withExtendedLifetime(its) {} }
    let made = try worn.certificates(names: [])
    #expect(made.replacement?.contains("about to expire") == true)
    #expect(made.names.suffix(2) == ["alpha.test", "10.1.2.3"])
    #expect(made.authority.notAfter > SystemClock.now.seconds + 800 * Self.day)
    #expect(try worn.certificates(names: []).replacement == nil)

    for (days, isKept) in [(29, true), (-1, false)] as [(Int64, Bool)] {
      let (folder, keeper) = try folder(ending: days)
      defer { withExtendedLifetime(keeper) {} }
      let before = try KeyFile.read(keeper.path + "/ca.pem")
      let use = try FolderUse.begin(keeper.path)
      if isKept {
        #expect(try folder.certificates(names: []).authority.pem == before)
      } else {
        #expect(throws: SigningFailure.self) { try folder.certificates(names: []) }
      }
      #expect(try KeyFile.read(keeper.path + "/ca.pem") == before)
      #expect(use != nil)
    }
  }

  @Test("A use is shared by servers, and ends with the last of them")
  func use() throws {
    let keeper = try TemporaryFolder()
    defer { withExtendedLifetime(keeper) {} }
    #expect(try !FolderUse.isInUse(keeper.path))
    var uses = [try FolderUse.begin(keeper.path), try FolderUse.begin(keeper.path)]
    #expect(!uses.contains { $0 == nil })
    uses.removeLast()
    #expect(try FolderUse.isInUse(keeper.path))
    uses.removeLast()
    #expect(try !FolderUse.isInUse(keeper.path))
  }
}

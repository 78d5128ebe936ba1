import Signing
import Simulation
import TestSupport
import Testing
import Timeline

@testable import Pushpit

@Suite("The second certificate authority of a state folder") struct SecondRootTests {
  private func withFolder(_ body: (StateFolder) throws -> Void) throws {
    let keeper = try TemporaryFolder()
    defer { withExtendedLifetime(keeper) {} }
    try body(StateFolder(keeper.path))
  }

  private func second(_ folder: StateFolder) throws -> Certificate {
    try Certificate(pem: try KeyFile.read(folder.secondAuthorityPath), from: "ca-second.pem")
  }

  @Test("signs a valid certificate with the names and the key of the server's certificate")
  func signs() throws {
    try withFolder { folder in
      let certificates = try folder.certificates(names: ["alpha.test"])
      let identity = try certificates.presented(.secondRoot)
      let leaf = try Certificate(pem: identity.certificatePEM, from: "leaf")
      #expect(leaf.isSigned(by: try second(folder)) && !leaf.isSigned(by: certificates.authority))
      #expect(leaf.names == certificates.names && leaf.names.contains("alpha.test"))
      #expect(identity.privateKeyPEM == certificates.identity.privateKeyPEM)
      #expect(leaf.isValid(at: SystemClock.now.seconds))
    }
  }

  @Test("the second authority is kept from start to start")
  func kept() throws {
    try withFolder { folder in
      let first = try folder.certificates(names: []).presented(.secondRoot)
      let authority = try second(folder).pem
      #expect(try folder.certificates(names: []).presented(.secondRoot) == first)
      #expect(try second(folder).pem == authority)
    }
  }

  @Test(
    "the second authority is made again if a file of it is missing or damaged; the first authority stays",
    arguments: ["ca-second.pem", "tls-secondRoot.pem"], [nil, "half a certificate"])
  func repaired(file: String, content: String?) throws {
    try withFolder { folder in
      let before = try folder.certificates(names: [])
      try KeyFile.remove("\(folder.path)/\(file)")
      if let content { try KeyFile.write(content, to: "\(folder.path)/\(file)") }
      let after = try folder.certificates(names: [])
      #expect(after.authority.pem == before.authority.pem && after.replacement == nil)
      let leaf = try Certificate(pem: try after.presented(.secondRoot).certificatePEM, from: "leaf")
      #expect(leaf.isSigned(by: try second(folder)))
    }
  }

  @Test("the second authority is made again with the first one, because the server's key is new")
  func renewed() throws {
    try withFolder { folder in
      let before = try folder.certificates(names: []).presented(.secondRoot)
      let after = try folder.certificates(names: [], renewed: true)
      #expect(try after.presented(.secondRoot).privateKeyPEM == after.identity.privateKeyPEM)
      #expect(try after.presented(.secondRoot) != before)
    }
  }
}

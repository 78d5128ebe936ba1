import Foundation
import Signing
import Simulation
import TestSupport
import Testing

@testable import Pushpit

@Suite("A list of the state folder")
struct StateListTests {
  private let temporary: TemporaryFolder
  private var folder: StateFolder { StateFolder(temporary.path) }

  init() throws { temporary = try TemporaryFolder() }

  /// The sentence about a list of keys with these contents.
  private func sentence(keys bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(filePath: folder.keyListPath))
    let problem = #expect(throws: KeyProblem.self) { try KeyRegistry(folder) }
    #expect(problem?.kind == .failed)
    return problem?.description ?? ""
  }

  @Test(
    "a broken list of the state folder is named with its flaw and the remedy",
    arguments: [
      ("garbage", "invalid JSON"), ("", "invalid JSON"), ("[]", "must be a JSON object with the array keys"),
      ("5", "must be a JSON object with the array keys"), (#"{"keys": 5}"#, "the array keys"), ("{}", "the array keys"),
      (#"{"keys": [], "keys": []}"#, "the array keys only"), (#"{"keys": [], "kyes": []}"#, "the array keys only"),
      (#"{"keys": [{}]}"#, "keys[0] needs keyId, a string."), (#"{"keys": [5]}"#, "keys[0] must be an object with"),
      (#"{"keys": [{"keyId": 1}]}"#, "keys[0] has a wrong keyId: it must be a string."),
      (#"{"keys": [{"keyId": "AB"}]}"#, "keys[0] needs environment, a string."),
      (#"{"keys": [{"keyId": "A B", "environment": "both", "p8": "/x"}]}"#, "letters and digits"),
      (#"{"keys": [{"keyId": "AB", "environment": "moon", "p8": "/x"}]}"#, "sandbox, production or both"),
      (#"{"keys": [{"keyId": "AB", "environment": "both"}]}"#, "keys[0] (the key AB) needs p8 or publicKey"),
    ])
  func broken(text: String, flaw: String) throws {
    let sentence = try sentence(keys: Array(text.utf8))
    #expect(sentence.hasPrefix(folder.keyListPath + ":") && sentence.contains(flaw), "\(sentence)")
    #expect(sentence.hasSuffix("`pushpit keys` writes this file; repair it, or move it away to start with a new key."))
  }

  private static let key = #""keyId": "AB", "environment": "both", "p8": "/x""#

  @Test(
    "an entry of a key with a member as Pushpit never writes it is not read as a key with fewer restrictions",
    arguments: [
      (#""topics": "com.example.app""#, "wrong topics: it must be a list of strings"),
      (#""topics": null"#, "wrong topics"),
      (#""topics": [1]"#, "wrong topics"), (#""topics": ["com.example.app", null]"#, "wrong topics"),
      (#""topics": {}"#, "wrong topics"), (#""tpics": []"#, #"has no member "tpics"; valid are keyId"#),
      (#""topics": ["a"], "topics": []"#, "has topics more than once"), (#""teamId": 7"#, "wrong teamId"),
      (#""teamId": ["T"]"#, "wrong teamId"), (#""related": 5"#, "wrong related"),
      (#""publicKey": 5"#, "wrong publicKey"),
      (#""made": "x""#, "wrong made: it must be true or false"), (#""made": 1"#, "wrong made"),
    ])
  func wrongMember(member: String, flaw: String) throws {
    let text = #"{"keys": [{"keyId": "OK", "environment": "both", "p8": "/x"}, {\#(Self.key), \#(member)}]}"#
    let sentence = try sentence(keys: Array(text.utf8))
    #expect(sentence.hasPrefix(folder.keyListPath + ": keys[1] ") && sentence.contains(flaw), "\(sentence)")
  }

  @Test("a list with an id twice is an error, because its entries may contradict each other")
  func twice() throws {
    let keys = try sentence(keys: Array(#"{"keys": [{\#(Self.key)}, {\#(Self.key), "topics": ["a"]}]}"#.utf8))
    #expect(keys.contains("keys[1] has the keyId AB of an entry before it: each must be there once."), "\(keys)")
    let certificates = try sentence(certificates: "{\(Self.certificate)}, {\(Self.certificate)}")
    #expect(certificates.contains("certificates[1] has the fingerprint "), "\(certificates)")
  }

  private static let digits = String(repeating: "0123456789abcdef", count: 4)
  private static let certificate =
    #""fingerprint": "\#(digits)", "notAfter": 5, "registered": true, "revoked": true"#

  /// The sentence about a list of certificates with these entries.
  private func sentence(certificates entries: String) throws -> String {
    try Data(#"{"certificates": [\#(entries)]}"#.utf8).write(to: URL(filePath: folder.providerListPath))
    let problem = #expect(throws: ProviderCertificateProblem.self) { try ProviderCertificateRegistry(folder) }
    #expect(problem?.kind == .failed)
    return problem?.description ?? ""
  }

  @Test(
    "a list of certificates with a member as Pushpit never writes it is not read as one of valid certificates",
    arguments: [
      (#""revoked": true"#, #""revoked": "x""#, "wrong revoked: it must be true or false"),
      (#""revoked": true"#, #""revoked": 5"#, "wrong revoked"),
      (#""revoked": true"#, #""revoked": null"#, "wrong revoked"),
      (#", "revoked": true"#, "", "needs revoked"), (#""registered": true"#, #""registered": "x""#, "wrong registered"),
      (digits, "x", "wrong fingerprint: it must be 64 hexadecimal digits in lower case"),
      (digits, "../../etc/passwd", "wrong fingerprint"), (digits, digits.uppercased(), "wrong fingerprint"),
      ("5", #""5""#, "needs notAfter, a whole number"), ("5", "5.5", "needs notAfter"),
      ("5", #"5, "commonName": 5"#, "wrong commonName"), ("5", #"5, "topics": "a""#, "wrong topics"),
      ("5", #"5, "environments": ["moon"]"#, "wrong environments: it must be a list of"),
      ("5", #"5, "file": false"#, "wrong file"), ("5", #"5, "x": 1"#, #"has no member "x""#),
    ])
  func wrongCertificate(part: String, replacement: String, flaw: String) throws {
    let place = try #require(Self.certificate.range(of: part, options: .backwards))
    let sentence = try sentence(certificates: "{\(Self.certificate.replacingCharacters(in: place, with: replacement))}")
    #expect(sentence.hasPrefix(folder.providerListPath + ": certificates[0] "), "\(sentence)")
    #expect(sentence.contains(flaw), "\(sentence)")
  }

  @Test(
    "a list that is a symbolic link to nothing, or to itself, is no empty list, and is not replaced",
    arguments: [false, true])
  func links(loops: Bool) throws {
    for path in [folder.keyListPath, folder.providerListPath] {
      let target = loops ? path : temporary.path + "/nowhere"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
    let keys = #expect(throws: KeyProblem.self) {
      var registry = try KeyRegistry(folder)
      _ = try registry.make(keyID: "NEW", teamID: nil, environment: "both", topics: [], related: nil)
    }
    let certificates = #expect(throws: ProviderCertificateProblem.self) { try ProviderCertificateRegistry(folder) }
    for (path, sentence) in [
      (folder.keyListPath, keys?.description), (folder.providerListPath, certificates?.description),
    ] {
      #expect(
        sentence?.hasPrefix(path + ": it is a symbolic link that leads to no file (") == true, "\(sentence ?? "")")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path).isEmpty == false)
    }
    #expect(keys?.kind == .failed && certificates?.kind == .failed)
  }

  @Test("a list that is a symbolic link to a list is read")
  func goodLink() throws {
    let elsewhere = temporary.path + "/elsewhere.json"
    try Data(#"{"keys": [{\#(Self.key)}]}"#.utf8).write(to: URL(filePath: elsewhere))
    try FileManager.default.createSymbolicLink(atPath: folder.keyListPath, withDestinationPath: elsewhere)
    #expect(try KeyRegistry(folder).entries.map(\.keyID) == ["AB"])
  }

  @Test("a list that is not text, or a folder, is named once, and is not called a PEM file")
  func noText() throws {
    let binary = try sentence(keys: [0x80, 0xFF, 0x00])
    #expect(binary.hasPrefix(folder.keyListPath + ": invalid JSON") && !binary.contains("PEM"), "\(binary)")
    try FileManager.default.removeItem(atPath: folder.keyListPath)
    try FileManager.default.createDirectory(atPath: folder.keyListPath, withIntermediateDirectories: false)
    let problem = #expect(throws: KeyProblem.self) { try KeyRegistry(folder) }
    #expect(problem?.description.ranges(of: folder.keyListPath).count == 1, "\(problem?.description ?? "")")
    #expect(problem?.kind == .failed)
  }

  @Test(
    "a broken list of certificates is reported like one of keys",
    arguments: ["garbage", "[]", #"{"certificates": [{}]}"#])
  func certificates(text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.providerListPath))
    let problem = #expect(throws: ProviderCertificateProblem.self) { try ProviderCertificateRegistry(folder) }
    #expect(problem?.description.hasPrefix(folder.providerListPath + ": ") == true)
    #expect(problem?.description.hasSuffix("or move it away to start with an empty list.") == true)
    #expect(problem?.kind == .failed)
  }

  @Test("a key whose file is missing is named, with the command that unregisters the key")
  func lostKey() throws {
    var registry = try KeyRegistry(folder)
    let entry = try registry.make(keyID: "LOST", teamID: nil, environment: "both", topics: [], related: nil)
    try FileManager.default.removeItem(atPath: try #require(entry.p8))
    let problem = #expect(throws: KeyProblem.self) {
      try ProviderKeys(registry: try KeyRegistry(folder), settings: [], folder: folder)
    }
    let sentence = problem?.description ?? ""
    #expect(sentence.contains(folder.keyListPath) && sentence.contains(entry.p8 ?? "?"), "\(sentence)")
    #expect(sentence.contains("`pushpit keys remove LOST` unregisters it"), "\(sentence)")
  }

  @Test("a list that cannot be written is a problem of the machine, not of the order")
  func kinds() {
    let reason = "No space left on device"
    for failure in [
      SigningFailure.unwritable(file: "/x", reason: reason), .unreadable(file: "/x", reason: reason),
      .folderNotMade(path: "/x", reason: reason), .notAFile(file: "/x"), .unremovable(file: "/x", reason: reason),
    ] {
      #expect(failure.kind == .failed)
    }
    #expect(SigningFailure.folderLocked(folder: "/x").kind == .busy)
    #expect(SigningFailure.unsoundKey(file: "pem").kind == .impossible)
  }
}

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
    "that is broken in any way is named with its flaw and with what to do",
    arguments: [
      ("garbage", "invalid JSON"), ("", "invalid JSON"), ("[]", "must be a JSON object with the array keys"),
      ("5", "must be a JSON object with the array keys"), (#"{"keys": 5}"#, "the array keys"), ("{}", "the array keys"),
      (#"{"keys": [{"keyId": 1}]}"#, "an entry of keys needs keyId and environment"),
      (#"{"keys": [{"keyId": "A B", "environment": "both", "p8": "/x"}]}"#, "letters and digits"),
      (#"{"keys": [{"keyId": "AB", "environment": "moon", "p8": "/x"}]}"#, "sandbox, production or both"),
      (#"{"keys": [{"keyId": "AB", "environment": "both"}]}"#, "the key AB needs p8 or publicKey"),
    ])
  func broken(text: String, flaw: String) throws {
    let sentence = try sentence(keys: Array(text.utf8))
    #expect(sentence.hasPrefix(folder.keyListPath + ":") && sentence.contains(flaw), "\(sentence)")
    #expect(sentence.hasSuffix("`pushpit keys` writes this file; repair it, or move it away to start with a new key."))
  }

  @Test("that is not text, or a folder, is named once, and is not said to be a PEM file")
  func noText() throws {
    let binary = try sentence(keys: [0x80, 0xFF, 0x00])
    #expect(binary.hasPrefix(folder.keyListPath + ": invalid JSON") && !binary.contains("PEM"), "\(binary)")
    try FileManager.default.removeItem(atPath: folder.keyListPath)
    try FileManager.default.createDirectory(atPath: folder.keyListPath, withIntermediateDirectories: false)
    let problem = #expect(throws: KeyProblem.self) { try KeyRegistry(folder) }
    #expect(problem?.description.ranges(of: folder.keyListPath).count == 1, "\(problem?.description ?? "")")
    #expect(problem?.kind == .failed)
  }

  @Test("of certificates is told in the same way", arguments: ["garbage", "[]", #"{"certificates": [{}]}"#])
  func certificates(text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.providerListPath))
    let problem = #expect(throws: ProviderCertificateProblem.self) { try ProviderCertificateRegistry(folder) }
    #expect(problem?.description.hasPrefix(folder.providerListPath + ": ") == true)
    #expect(problem?.description.hasSuffix("or move it away to start with an empty list.") == true)
    #expect(problem?.kind == .failed)
  }

  @Test("that lists a key whose file has gone is named, with the command that unregisters the key")
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

  @Test("that cannot be written is a problem of the machine, not of the order")
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

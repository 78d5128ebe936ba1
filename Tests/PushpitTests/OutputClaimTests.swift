import Foundation
import TestSupport
import Testing

@testable import Pushpit

@Suite("A file that is claimed for output")
struct OutputClaimTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/output" }

  init() throws { folder = try TemporaryFolder() }

  private func contents() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test("a file is taken once at a time, and taking it changes nothing in it")
  func isTakenOnce() throws {
    try "precious".write(toFile: path, atomically: false, encoding: .utf8)
    let file = try OutputClaim.take(path)
    let problem = #expect(throws: OutputProblem.self) { try OutputClaim.take(path) }
    #expect([.inUse(by: .thisProcess), .inUse(by: nil)].contains(problem))
    #expect(throws: OutputProblem.self) { try OutputClaim.takeExisting(path) }
    #expect(OutputClaim.isInUse(path))
    #expect(try contents() == "precious")
    close(file)
    #expect(!OutputClaim.isInUse(path))
    let next = try OutputClaim.take(path)
    try OutputClaim.truncate(next)
    #expect(try contents() == "")
    close(next)
  }

  @Test("a file that has replaced another one can be taken while the other one is still open")
  func isTheFileOfTheName() throws {
    let first = try OutputClaim.take(path)
    unlink(path)
    let second = try OutputClaim.take(path)
    #expect(OutputClaim.leads(path, to: second) && !OutputClaim.leads(path, to: first))
    close(first)
    close(second)
  }

  @Test("a special file can be taken by several processes")
  func special() throws {
    let files = [try OutputClaim.take("/dev/null"), try OutputClaim.take("/dev/null")]
    for file in files {
      try OutputClaim.truncate(file)
      close(file)
    }
  }

  @Test("a file that the command reads is not taken, by whatever name")
  func isNoInput() throws {
    try "precious".write(toFile: path, atomically: false, encoding: .utf8)
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for (output, input) in [(path, path), (link, path), (path, link)] {
      #expect(throws: OutputProblem.input) { try OutputClaim.take(output, reading: [input]) }
    }
    #expect(try contents() == "precious")
  }

  @Test("a missing file is made by a claim for output, and not by one for replacement")
  func missing() throws {
    #expect(try OutputClaim.takeExisting(path) == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
    close(try OutputClaim.take(path, mode: 0o600))
    #expect(try folder.mode(of: "output") == 0o600)
    #expect(throws: OutputProblem.system("Is a directory")) { try OutputClaim.take(folder.path) }
  }
}

import Foundation

/// A program of the system that judges what we made.
struct Command {
  let program: String

  static let openssl = Command(program: "openssl")
  static let python = Command(program: "python3")

  /// What it printed on both streams, and its exit status.
  func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}

import Foundation
import Transport

/// A program of the system that plays the client.
struct Command {
  let status: Int32
  let output: [UInt8]
  var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs it to its end. Both of its outputs come back as one.
  static func run(_ arguments: String..., input: [UInt8] = []) async throws -> Command {
    let running = try Running(arguments, input: input)
    running.closeInput()
    return await running.end()
  }
}

/// A client that is still running.
final class Running: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let ended: AsyncStream<Int32>

  init(_ arguments: [String], input bytes: [UInt8] = []) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    process.terminationHandler = {
      continuation.yield($0.terminationStatus)
      continuation.finish()
    }
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: bytes)
  }

  func closeInput() { try? input.fileHandleForWriting.close() }

  func stop() { kill(process.processIdentifier, SIGKILL) }

  /// Reads what it says until it ends.
  func end() async -> Command {
    let handle = output.fileHandleForReading
    let output = await aside { Array(handle.readDataToEndOfFile()) }
    var status: Int32 = -1
    for await code in ended { status = code }
    return Command(status: status, output: output)
  }
}

/// Does on a thread of its own what blocks: the threads of the tests are as few as the cores.
func aside<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    let thread = LoopThread { continuation.resume(returning: work()) }
    guard let thread else { return continuation.resume(returning: work()) }
    thread.detach()
  }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import RunCommands

/// The log of each test is a pipe that every process of the backend holds open for writing; its end is the event that
/// all of them have ended.
@Suite("The process of a backend", .timeLimit(.minutes(15)))
struct BackendProcessTests {
  private let folder: TemporaryFolder
  private var pipe: String { folder.path + "/log" }

  init() throws {
    // A server does so when it starts.
    signal(SIGPIPE, SIG_IGN)
    folder = try TemporaryFolder()
    try #require(mkfifo(folder.path + "/log", 0o600) == 0)
  }

  /// Starts a child that has ignored the signal to terminate from its beginning.
  private static let stubborn = "trap '' TERM; (echo begun; exec sleep 300) & trap - TERM; "

  private func order(_ script: String, grace: Duration) -> BackendProcess.LaunchOptions {
    BackendProcess.LaunchOptions(
      command: ["/bin/sh", "-c", script], directory: folder.path, environment: [:], log: pipe, grace: grace,
      folder: folder.path + "/run")
  }

  /// Starts a backend, and waits until a process of it has written a line.
  ///
  /// - Returns: also a value for each change of its state from then on.
  private func begin(
    _ script: String, grace: Duration
  ) async throws -> (BackendProcess, Output, changes: AsyncStream<Void>) {
    let output = try Output(pipe)
    let (changes, changing) = AsyncStream.makeStream(of: Void.self)
    let backend = BackendProcess(order(script, grace: grace)) { changing.yield() }
    for await _ in changes { break }
    #expect(await output.line() == "begun\n")
    return (backend, output, changes)
  }

  @Test(
    "a child that ignores SIGTERM is killed after the grace period, whether the backend obeys, ignores it too, or ends",
    arguments: ["exec sleep 300", "trap '' TERM; sleep 300", "exit 7"])
  func killsStubbornChildren(end: String) async throws {
    let (backend, output, changes) = try await begin(Self.stubborn + end, grace: .milliseconds(200))
    if !end.hasPrefix("exit") { backend.stop() }
    #expect(await output.rest() == "")
    if !backend.isOver { for await _ in changes where backend.isOver { break } }
  }

  @Test("a child that obeys SIGTERM is not waited for until the grace period is over")
  func awaitsObedientChildren() async throws {
    let (backend, output, _) = try await begin("sleep 300 & echo begun; exit 0", grace: .seconds(3600))
    #expect(await output.rest() == "")
    await Self.blocking { backend.end() }
    #expect(backend.state == .over("ended with exit code 0"))
  }

  @Test("a watcher whose pipe closes without a word ends the processes, and removes the folder of the run")
  func watches() async throws {
    let run = folder.path + "/run"
    try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
    let (backend, output, _) = try await begin(Self.stubborn + "exec sleep 300", grace: .seconds(3600))
    guard case .running(let group) = backend.state else {
      Issue.record("the backend is not running: \(backend.state)")
      return
    }
    // The backend's own watcher waits an hour; this one stands for that of a program that is killed.
    let watcher = try #require(await BackendWatcher.start(grace: .milliseconds(200), folder: run))
    watcher.watch(group)
    #expect(kill(-group, 0) == 0)
    await watcher.abandon()
    #expect(await output.rest() == "")
    #expect(!FileManager.default.fileExists(atPath: run))
    await Self.blocking { backend.end() }
  }

  @Test("a watcher that is released ends nothing")
  func isReleased() async throws {
    let (backend, output, _) = try await begin("echo begun; exec sleep 300", grace: .milliseconds(200))
    guard case .running(let group) = backend.state else {
      Issue.record("the backend is not running: \(backend.state)")
      return
    }
    let watcher = try #require(await BackendWatcher.start(grace: .milliseconds(200), folder: folder.path + "/run"))
    watcher.watch(group)
    await watcher.release()
    #expect(kill(-group, 0) == 0)
    #expect(!backend.isOver)
    await Self.blocking { backend.end() }
    #expect(await output.rest() == "")
  }

  /// Runs what blocks outside the threads of tasks, on which the backend's task runs.
  fileprivate static func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
  }

  /// The reading end of a pipe.
  private final class Output: Sendable {
    private let file: Int32

    init(_ path: String) throws {
      file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      try #require(file >= 0)
    }

    deinit { close(file) }

    /// The first line; empty if every writer has ended.
    func line() async -> String { await read { $0.contains(0x0A) } }

    /// The remainder, once every writer has ended.
    func rest() async -> String { await read { _ in false } }

    private func read(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) async -> String {
      await BackendProcessTests.blocking { [file] in
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while !isEnough(bytes) {
          var place = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
          // Until a writer has opened the pipe, nothing is reported.
          guard poll(&place, 1, 600_000) == 1 else { return "nothing is written, and the pipe does not end" }
          let count = Glibc.read(file, &part, part.count)
          guard count > 0 else { break }
          bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }
}

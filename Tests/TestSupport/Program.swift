import Foundation
import Synchronization

/// A program of the system that runs beside a test and inherits nothing but its three streams. It ends with the value.
///
/// Not Foundation's `Process`: to find what a program must not inherit, that copies 256 bytes of each name in
/// /proc/self/fd, however short the name, and so reads beyond the buffer of readdir. Observed with Swift 6.3.1.
package final class Program: Sendable {
  package struct NotStarted: Error {
    let program: String
    let reason: String
  }

  package struct End: Sendable {
    /// Exit status, or the number of the signal that ended it.
    package let status: Int32
    /// Both of its outputs, as one.
    package let output: [UInt8]

    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  private let input = Pipe()
  private let output = Pipe()
  /// Nil once it has been waited for: the number may then be that of another process.
  private let process: Mutex<pid_t?>

  /// - Parameter arguments: its name, which is looked up in `PATH`, and what follows it.
  package init(_ arguments: [String], input bytes: [UInt8] = []) throws {
    let (reading, writing) = (input.fileHandleForReading, output.fileHandleForWriting)
    process = Mutex(try Self.spawn(arguments, from: reading.fileDescriptor, to: writing.fileDescriptor))
    try reading.close()
    try writing.close()
    // It may end before it has read everything, as a client does whose server closes the connection.
    signal(SIGPIPE, SIG_IGN)
    try? input.fileHandleForWriting.write(contentsOf: bytes)
  }

  deinit {
    stop()
    _ = wait()
  }

  /// Runs a program to its end, and blocks meanwhile.
  package static func blockingRun(_ arguments: [String], input: [UInt8] = []) throws -> End {
    let program = try Program(arguments, input: input)
    program.closeInput()
    return program.blockingEnd()
  }

  package func closeInput() { try? input.fileHandleForWriting.close() }

  package func stop() { process.withLock { if let process = $0 { kill(process, SIGKILL) } } }

  /// Reads what it says until it ends; once.
  package func blockingEnd() -> End {
    let output = Array(output.fileHandleForReading.readDataToEndOfFile())
    return End(status: wait(), output: output)
  }

  private func wait() -> Int32 {
    guard let number = process.withLock({ $0 }) else { return -1 }
    var facts = siginfo_t()
    // Keeps the number taken, so that `stop` may use it meanwhile.
    while waitid(P_PID, id_t(number), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return process.withLock { process in
      var status: Int32 = 0
      waitpid(number, &status, 0)
      process = nil
      return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
    }
  }

  private static func spawn(_ arguments: [String], from input: Int32, to output: Int32) throws -> pid_t {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
      let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
      let flags = POSIX_SPAWN_SETSIGMASK
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (own, place) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (output, STDERR_FILENO)] {
      posix_spawn_file_actions_adddup2(&actions, own, place)
    }
    #if !canImport(Darwin)
      try closeOthers(&actions)
    #endif
    // The threads of the pool block signals, and a program inherits what is blocked.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = arguments.map { strdup($0) }
    let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
    defer { for text in words + environment { free(text) } }
    var number = pid_t()
    let failure = posix_spawnp(&number, arguments[0], &actions, &attributes, words + [nil], environment + [nil])
    guard failure == 0 else { throw NotStarted(program: arguments[0], reason: String(cString: strerror(failure))) }
    return number
  }

  #if !canImport(Darwin)
    /// Found by its name, because Swift imports no header with the extensions of GNU.
    private static func closeOthers(_ actions: inout posix_spawn_file_actions_t) throws {
      typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
      let name = "posix_spawn_file_actions_addclosefrom_np"
      guard let symbol = dlsym(nil, name) else { throw NotStarted(program: name, reason: "it needs glibc 2.34") }
      _ = unsafeBitCast(symbol, to: Function.self)(&actions, STDERR_FILENO + 1)
    }
  #endif
}

import Dispatch
import Subprocess
import Synchronization
import Timeline

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The backend under test as a child process in its own session, so that everything it starts ends with it.
final class BackendProcess: Sendable {
  /// How to start it.
  struct LaunchOptions: Sendable {
    /// The first word is looked up in PATH.
    var command: [String]
    var directory: String
    /// Variables in addition to those of this process.
    var environment: [String: String]
    /// Where its standard output and standard error go.
    var log: String
    /// Time from the signal to terminate until it is killed.
    var grace: Duration
  }

  enum State: Hashable, Sendable {
    case starting
    case running(Int32)
    /// The end of a sentence: `ended with 1`.
    case over(String)
  }

  /// Number of output lines that are shown when it dies.
  private static let shown = 15

  private let held = Mutex(State.starting)
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let order: LaunchOptions
  private let gone = DispatchSemaphore(value: 0)

  /// - Parameter changed: called from any thread when its state has changed.
  init(_ order: LaunchOptions, changed: @escaping @Sendable () -> Void) {
    self.order = order
    let begun = Task.detached { [self] in
      let last = await Self.run(order) { pid in
        held.withLock { $0 = .running(pid) }
        changed()
      }
      held.withLock { $0 = .over(last) }
      gone.signal()
      changed()
    }
    task.withLock { $0 = begun }
  }

  var state: State { held.withLock { $0 } }

  var isOver: Bool { if case .over = state { true } else { false } }

  /// Terminates it, and kills it after its grace period.
  func stop() { task.withLock { $0?.cancel() } }

  /// Terminates it, and waits until it has ended.
  func end() {
    stop()
    if isOver { return }
    let milliseconds = Int(order.grace / .milliseconds(1)) + 2000
    _ = gone.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  /// The last lines of its output; may be empty.
  var lastLines: [String] {
    guard let file = try? FileDescriptor.open(FilePath(order.log), .readOnly) else { return [] }
    defer { try? file.close() }
    let size: Int64 = (try? file.seek(offset: 0, from: .end)) ?? 0
    let wanted = min(size, 16 << 10)
    var bytes = [UInt8](repeating: 0, count: Int(wanted))
    let count = bytes.withUnsafeMutableBytes { (try? file.read(fromAbsoluteOffset: size - wanted, into: $0)) ?? 0 }
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    return lines.suffix(Self.shown)
  }

  /// - Returns: how it ended.
  private static func run(_ order: LaunchOptions, began: @Sendable (Int32) -> Void) async -> String {
    guard let program = order.command.first else { return "could not be started: its command is empty" }
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: order.grace)]
    var environment: [Environment.Key: String?] = [:]
    for (name, value) in order.environment {
      if let key = Environment.Key(rawValue: name) { environment[key] = value }
    }
    do {
      let log = try FileDescriptor.open(
        FilePath(order.log), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
      let result = try await Subprocess.run(
        program.contains("/") ? .path(FilePath(program)) : .name(program),
        arguments: Arguments(Array(order.command.dropFirst())), environment: .inherit.updating(environment),
        workingDirectory: FilePath(order.directory), platformOptions: options, input: .none,
        output: .fileDescriptor(log, closeAfterSpawningProcess: true), error: .combinedWithOutput
      ) { execution in
        began(execution.processIdentifier.value)
      }
      return switch result.terminationStatus {
      case .exited(let code): "ended with exit code \(code)"
      case .signaled(let signal): "was ended by signal \(signal)"
      }
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return "could not be started: there is no program \(program) in PATH"
    } catch let error as SubprocessError where error.code == .failedToChangeWorkingDirectory {
      return "could not be started: \(order.directory) is not a folder that this user can enter"
    } catch {
      return "could not be started: \(error)"
    }
  }
}

import Dispatch
import Subprocess
import Synchronization
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// The backend under test as a child process in its own session, so that everything it starts ends with it: the process
/// group is killed after the grace period even if the backend itself has obeyed or died before, and a `BackendWatcher`
/// ends it if this process is killed. Only a process that leaves the group, with setsid(2), can stay.
final class BackendProcess: Sendable {
  /// Options with which the backend is started.
  struct LaunchOptions: Sendable {
    /// The first word is looked up in PATH.
    var command: [String]
    var directory: String
    /// Variables in addition to those of this process.
    var environment: [String: String]
    /// Path of the file for its standard output and standard error.
    var log: String
    /// Time from the signal to terminate until it is killed.
    var grace: Duration
    /// The files of the run, which the watcher removes if this process is killed.
    var folder: String
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
  /// True after `kill`, which may come before the process is there.
  private let killed = Mutex(false)
  /// Time of the order to end the backend; nil before it.
  private let stopped = Mutex<ContinuousClock.Instant?>(nil)
  private let order: LaunchOptions
  /// Left when all its processes have ended.
  private let gone = DispatchGroup()

  /// - Parameter changed: called from any thread when its state has changed.
  init(_ order: LaunchOptions, changed: @escaping @Sendable () -> Void) {
    self.order = order
    gone.enter()
    let begun = Task.detached { [self] in
      await run { state in
        held.withLock { $0 = state }
        changed()
      }
      gone.leave()
    }
    task.withLock { $0 = begun }
  }

  var state: State { held.withLock { $0 } }

  var isOver: Bool { if case .over = state { true } else { false } }

  /// Terminates it, and kills it after its grace period.
  func stop() {
    stopped.withLock { $0 = $0 ?? .now }
    task.withLock { $0?.cancel() }
  }

  /// Kills it and all its processes.
  func kill() {
    killed.withLock { $0 = true }
    if case .running(let group) = state { _ = Self.signal(-group, SIGKILL) }
  }

  /// True if all its processes have ended.
  var isGone: Bool { gone.wait(timeout: .now()) == .success }

  /// Terminates it, and waits until all its processes have ended.
  func end() {
    stop()
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

  /// Runs until all its processes have ended.
  private func run(changed: @Sendable (State) -> Void) async {
    guard let program = order.command.first else { return changed(.over("could not be started: its command is empty")) }
    var environment: [Environment.Key: String?] = [:]
    for (name, value) in order.environment {
      if let key = Environment.Key(rawValue: name) { environment[key] = value }
    }
    let watcher = await BackendWatcher.start(grace: order.grace, folder: order.folder)
    let (ending, group) = await launch(program, environment) { group in
      watcher?.watch(group)
      changed(.running(group))
      if killed.withLock({ $0 }) { kill() }
    }
    changed(.over(ending))
    if let group { await endGroup(group) }
    await watcher?.release()
  }

  /// Starts the backend, and waits until it ends.
  ///
  /// - Returns: the way in which the backend ended, and its process group.
  private func launch(
    _ program: String, _ environment: [Environment.Key: String?], began: @Sendable (Int32) -> Void
  ) async -> (ending: String, group: Int32?) {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: order.grace)]
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
      let ending =
        switch result.terminationStatus {
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
      return (ending, result.processIdentifier.value)
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return ("could not be started: there is no program \(program) in PATH", nil)
    } catch let error as SubprocessError where error.code == .failedToChangeWorkingDirectory {
      return ("could not be started: \(order.directory) is not a folder that this user can enter", nil)
    } catch {
      return ("could not be started: \(error)", nil)
    }
  }

  /// Terminates the processes that the backend has left in its group, and kills them when the grace period is over.
  ///
  /// No other group can have the number: while a process of this group lives, the system does not use it again.
  private func endGroup(_ group: Int32) async {
    guard Self.signal(-group, SIGTERM) else { return }
    let deadline = (stopped.withLock { $0 } ?? .now) + order.grace
    // In a task of its own, because in the task that `stop` has cancelled nothing sleeps.
    await Task.detached {
      // No event tells that a group is empty. Without an init process, orphans are children of this process, and stay
      // until it waits for them.
      while Self.isThere(group), ContinuousClock.now < deadline { try? await Task.sleep(for: Self.glance) }
    }.value
    _ = Self.signal(-group, SIGKILL)
  }

  /// Interval between two checks for processes, which cannot be awaited unless they are children of this process.
  private static let glance: Duration = .milliseconds(10)

  private static func isThere(_ group: Int32) -> Bool {
    while waitpid(-group, nil, WNOHANG) > 0 {}
    return signal(-group, 0)
  }

  private static func signal(_ process: Int32, _ number: Int32) -> Bool {
    #if canImport(Glibc)
      Glibc.kill(process, number) == 0
    #else
      Darwin.kill(process, number) == 0
    #endif
  }
}

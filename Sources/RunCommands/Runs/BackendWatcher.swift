import Subprocess

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

/// A shell that ends the backend's processes if this process dies, however it dies: it reads from a pipe whose other
/// end only this process has.
final class BackendWatcher: Sendable {
  /// Reads the number of the process group, and then an empty line if it is not needed any more. Only the death of this
  /// process closes the pipe without that line.
  private static let script = """
    read -r group || exit 0
    if read -r _; then exit 0; fi
    kill -s TERM -- "-$group" 2>/dev/null
    n=0
    while [ "$n" -lt "$1" ] && kill -s 0 -- "-$group" 2>/dev/null; do sleep 0.1; n=$((n + 1)); done
    kill -s KILL -- "-$group" 2>/dev/null
    rm -rf -- "$2"
    """

  private let pipe: FileDescriptor
  private let shell: Task<Void, Never>

  private init(_ pipe: FileDescriptor, _ shell: Task<Void, Never>) {
    self.pipe = pipe
    self.shell = shell
  }

  /// Starts the shell, and returns when it runs. Nil if it cannot be started: then a backend outlives this process if
  /// that is killed.
  ///
  /// - Parameters:
  ///   - grace: time from the signal to terminate until the processes are killed.
  ///   - folder: removed with the processes.
  static func start(grace: Duration, folder: String) async -> BackendWatcher? {
    guard let (reading, writing) = closedOnExec() else { return nil }
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    let tenths = max(1, Int(min(grace, .seconds(86400)) / .milliseconds(100)))
    let shell = Task.detached {
      var options = PlatformOptions()
      // Not interrupted together with this process.
      options.createSession = true
      _ = try? await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", script, "pushpit-watcher", "\(tenths)", folder], platformOptions: options,
        input: .fileDescriptor(reading, closeAfterSpawningProcess: true), output: .discarded, error: .discarded
      ) { _ in starting.finish() }
      starting.finish()
    }
    for await _ in started {}
    return BackendWatcher(writing, shell)
  }

  /// Names the process group to end.
  func watch(_ group: Int32) { write("\(group)\n") }

  /// Ends the shell, because the group has ended.
  func release() async {
    write("\n")
    await abandon()
  }

  /// Closes the pipe, as the death of this process does, and waits until the shell has ended.
  func abandon() async {
    try? pipe.close()
    await shell.value
  }

  /// A shell that has died reads nothing; this process ignores SIGPIPE, as every server does.
  private func write(_ line: String) { _ = try? pipe.writeAll(line.utf8) }

  /// A pipe that no other child process inherits.
  private static func closedOnExec() -> (reading: FileDescriptor, writing: FileDescriptor)? {
    guard let ends = try? FileDescriptor.pipe() else { return nil }
    // Before this, a run starts no process.
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    return (ends.readEnd, ends.writeEnd)
  }
}

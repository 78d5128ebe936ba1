import Configuration
import Grammar

/// Options for playing scenarios with a real backend.
package struct LiveOptions: Sendable {
  /// URL for app reports; overrides the file.
  package var backend: String?
  /// Program and arguments that start the backend; overrides the file.
  package internal(set) var command: [String] = []
  /// Arguments to append to the command.
  package var extra: [String] = []
  /// The speed of the world's clock compared with the machine's, if the backend has no tick.
  package var speed = 1.0
  /// File for the backend's output; nil for a temporary file that is shown if the backend dies.
  package var log: String?
  /// The state folder of the environment; overrides the file.
  package var state = AbsolutePath.variable("PUSHPIT_STATE")
  /// Receives messages for people besides the report, from any thread.
  package var say: @Sendable (String) -> Void = { _ in }

  package init() {}

  /// Parses the command that starts the backend, with quotes as in a shell.
  package mutating func setCommand(_ text: String) throws(InputProblem) {
    do throws(ShellWords.Problem) {
      command = try ShellWords.split(text)
    } catch {
      throw InputProblem("--exec", "\(error): \(text)")
    }
    guard !command.isEmpty else {
      throw InputProblem("--exec", "a program with its arguments, such as --exec 'python3 server.py'.")
    }
  }

  /// The equivalent flags, for the command that repeats the run.
  package var words: [String] {
    var words: [String] = []
    if let backend { words += ["--backend", backend] }
    if !command.isEmpty { words += ["--exec", ShellWords.join(command)] }
    if speed != 1 { words += ["--speed", "\(speed)"] }
    return extra.isEmpty ? words : words + ["--"] + extra
  }

  func applied(to plan: BackendPlan?) -> BackendPlan? {
    guard plan != nil || backend != nil || !command.isEmpty else { return nil }
    var plan = plan ?? BackendPlan(directory: AbsolutePath.of("."))
    if let backend { plan.url = backend }
    if !command.isEmpty {
      plan.command = command
      plan.directory = AbsolutePath.of(".")
    }
    if !plan.command.isEmpty { plan.command += extra }
    return plan
  }
}

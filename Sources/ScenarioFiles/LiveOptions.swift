import Configuration
import Grammar

/// How scenarios are played beside a real backend.
package struct LiveOptions: Sendable {
  /// Where apps report, in place of the file's word.
  package var backend: String?
  /// What starts the backend, in place of the file's word: a program and its arguments.
  package internal(set) var command: [String] = []
  /// Words after the command.
  package var extra: [String] = []
  /// How fast the world's clock runs beside the machine's, where no tick sets the pace.
  package var speed = 1.0
  /// Where the backend's output goes; nil for a file that is shown if it dies, and removed.
  package var log: String?
  /// Takes lines for people that are no part of the report, from any thread.
  package var say: @Sendable (String) -> Void = { _ in }

  package init() {}

  /// Reads what starts the backend from one text, with quotes as a shell has them.
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

  /// The flags that say the same, for the command that plays again.
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

import Transport

/// The exit codes of all commands: docs/exit-codes.md.
package enum CommandExit: Int32, Sendable {
  case done = 0
  /// The answer is no: a finding, a failed expectation, a rejected push, an unhealthy server.
  case no = 1
  /// The question was wrong: a flag, a file or a value, also one that the server has refused as invalid.
  case invalid = 2
  /// No answer can be given: the backend of a run failed, or a tape is damaged.
  case unjudged = 3
  /// No running Pushpit was found where the command looked for it.
  case noServer = 4
  case interrupted = 130
}

/// The reason for which a command has not done what it was asked for, and its exit code.
package struct CommandFailure: Error, Sendable, CustomStringConvertible {
  package let description: String
  package let exit: CommandExit

  package init(_ sentence: String, _ exit: CommandExit = .no) {
    description = sentence
    self.exit = exit
  }

  /// A request to a listener has failed.
  init(noAnswer listener: String, _ failure: WebCall.Failure) {
    self.init(
      "\(listener) did not answer: \(failure.description). For details, run `pushpit doctor`.",
      failure.kind == .cannotConnect ? .noServer : .no)
  }
}

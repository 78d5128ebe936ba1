import ArgumentParser
import ClientCommands
import Configuration
import Grammar
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The `pushpit` command.
struct PushpitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pushpit",
    abstract: "A local APNs server with a fleet of virtual iPhones.",
    discussion: """
      Begin with `pushpit serve` and, in a second terminal, `pushpit send --to d0` and
      `pushpit phone d0`. `pushpit help send` explains a command with examples, and
      docs/exit-codes.md lists the exit codes.
      """,
    version: Version.text,
    groupedSubcommands: [
      CommandGroup(name: "start", subcommands: [Serve.self, Run.self, Simulate.self, HuntCommand.self]),
      CommandGroup(
        name: "look",
        subcommands: [
          DevicesCommand.self, PhoneCommand.self, PushCommand.self, Tail.self, SessionsCommand.self, CallsCommand.self,
          FindingsCommand.self, Doctor.self, HealthCommand.self,
        ]),
      CommandGroup(
        name: "do",
        subcommands: [
          Send.self, DoCommand.self, FaultCommand.self, ClockCommand.self, Channels.self, Load.self,
        ]),
      CommandGroup(
        name: "prepare",
        subcommands: [
          TokensCommand.self, Keys.self, Certs.self, Profile.self, ListSettings.self, Lint.self, Check.self,
        ]),
      CommandGroup(
        name: "more", subcommands: [ReplayCommand.self, ReportCommand.self, ExportCommand.self, Cells.self]),
    ])

  /// The help of the program on one screen: each group of commands, with a line for each command.
  ///
  /// The help of the library would have a heading for each group and more than 40 lines.
  static var overview: String {
    let groups = configuration.groupedSubcommands
    let names = groups.map(\.name).map(\.count).max() ?? 0
    let commands = configuration.subcommands.map { $0._commandName.count }.max() ?? 0
    func padded(_ text: String, to width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let listed = groups.map { group in
      group.subcommands.enumerated().map { number, command in
        "  \(padded(number == 0 ? group.name : "", to: names))  \(padded(command._commandName, to: commands))"
          + "  \(command.configuration.abstract)"
      }.joined(separator: "\n")
    }
    return ([configuration.abstract] + listed + [configuration.discussion]).joined(separator: "\n\n")
  }
}

@main
enum Program {
  static func main() {
    Terminal.openClosedStreams()
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      // A shell that completes a word shows what is written to standard error.
      if words.first != "---completion" {
        for warning in Settings.misspeltVariables { Terminal.say("Warning: \(warning)") }
      }
      try Misspelling.checkCommands(words)
      // A list of files takes everything after --, but these need it for the backend.
      let end = ["run", "hunt"].contains(words.first) ? words.firstIndex(of: "--") ?? words.endIndex : words.endIndex
      if words.first != "---completion" { try checkDashes(words[..<end]) }
      var command = try PushpitCommand.parseAsRoot(Array(words[..<end]))
      do {
        if let starting = command as? any BackendWordsCommand {
          try starting.play(extra: Array(words[end...].dropFirst()))
        } else {
          try command.run()
        }
      } catch let error as ValidationError {
        // The library would add the usage of the whole program, because it does not know which command ran.
        fail("Error: \(error.message)", .invalid)
      }
    } catch {
      leave(error, words)
    }
  }

  /// Rejects a positional value that begins with a dash: the library would read `-5h` as the flags `-5` and `-h`, and
  /// print the help. The only flag of one letter is `-h`.
  private static func checkDashes(_ words: ArraySlice<String>) throws {
    var previous = ""
    for word in words.prefix(while: { $0 != "--" }) {
      if word.hasPrefix("-"), !word.hasPrefix("--"), !["-", "-h"].contains(word), !previous.hasPrefix("--") {
        throw InputProblem("\(word) is no flag, and no value here may begin with a dash.")
      }
      previous = word
    }
  }

  /// Ends the process: requested output goes to standard output, errors go to standard error.
  private static func leave(_ error: any Error, _ words: [String]) -> Never {
    switch error {
    case let problem as InputProblem: fail("Error: \(problem)", .invalid)
    case let failure as CommandFailure: fail("Error: \(failure)", failure.exit)
    case let problem as KeyProblem: fail("Error: \(problem)", problem.isOfState ? .no : .invalid)
    case let problem as ProviderCertificateProblem: fail("Error: \(problem)", problem.isOfState ? .no : .invalid)
    case let failure as StartFailure: fail("Error: \(failure)", failure.isOfInput ? .invalid : .no)
    case is TapeFailure: fail("Error: \(error)", .no)
    default: break
    }
    let message = PushpitCommand.fullMessage(for: error)
    switch PushpitCommand.exitCode(for: error) {
    case .success:
      print(message == PushpitCommand.helpMessage() ? PushpitCommand.overview : message)
      exit(0)
    case .validationFailure:
      let isExplained = message.lowercased().contains("did you mean")
      fail(isExplained ? message : Misspelling.unknownFlag(words) ?? message, .invalid)
    case let code:
      if !message.isEmpty { Terminal.say(message) }
      exit(code.rawValue)
    }
  }

  private static func fail(_ sentence: String, _ code: CommandExit) -> Never {
    Terminal.say(sentence)
    exit(code.rawValue)
  }
}

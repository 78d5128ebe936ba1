import ArgumentParser
import Commands
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
      Point your push client at https://localhost:2197 instead of api.sandbox.push.apple.com, trust the printed \
      certificate authority, sign with the printed key, and send to the tokens that the admin API lists.

        pushpit serve                start the server; it prints a command to try
        pushpit send --to d0         send one push, with a generated provider token
        pushpit load --rate 5000     send many, and report what the limit was
        pushpit channels create      create a broadcast channel
        pushpit phone d0             draw the screen of a phone
        pushpit push show            show what happened to the newest push, and why
        pushpit push list            list pushes, newest first
        pushpit tail                 follow pushes and phones as things happen
        pushpit fault set --lose     make something go wrong; fault list, fault delete
        pushpit clock advance 8h     let time pass
        pushpit lint update.json     find what iOS would silently drop in a payload
        pushpit run story.yaml       play a scenario against your backend
        pushpit simulate story.yaml  the same in virtual time, without a backend
        pushpit check story.yaml     check a scenario without playing it
        pushpit replay run.tape      repeat a recorded run, and compare
        pushpit report run.tape      explain a recorded run: rates, latencies, fates
        pushpit export run.tape      write a recorded run as tables, for SQL
        pushpit cells env --of 4     print the URLs of several servers with one fleet
        pushpit cells run story.yaml play a scenario on all of them
        pushpit settings             list all settings
        pushpit doctor               find out why a client cannot connect
        pushpit health               check whether the server is up

      Exit codes: 0 done; 1 the answer is no; 2 a flag, a file or a value is wrong; 3 it could not be judged; 4 no \
      server; 130 interrupted. docs/exit-codes.md has an example of each.
      """,
    version: Version.text,
    subcommands: [
      Serve.self, Send.self, Load.self, Channels.self, PhoneCommand.self, PushCommand.self, Tail.self,
      FaultCommand.self, ClockCommand.self, Lint.self, Run.self, Simulate.self, Check.self, ReplayCommand.self,
      ReportCommand.self, ExportCommand.self, Cells.self, ListSettings.self,
      Profile.self, Keys.self, Certs.self, Doctor.self, HealthCommand.self,
    ])
}

@main
enum Program {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      // A shell that completes a word shows what is written to standard error.
      if words.first != "---completion" {
        for warning in Settings.misspeltVariables { Terminal.say("Warning: \(warning)") }
      }
      try Misspelling.checkCommands(words)
      // A list of files takes everything after --, but run needs it for the backend.
      let end = words.first == "run" ? words.firstIndex(of: "--") ?? words.endIndex : words.endIndex
      if words.first != "---completion" { try checkDashes(words[..<end]) }
      var command = try PushpitCommand.parseAsRoot(Array(words[..<end]))
      do {
        if let run = command as? Run {
          try run.play(extra: Array(words[end...].dropFirst()))
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
      print(message)
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

import ArgumentParser
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
    abstract: "A local APNs with a fleet of virtual iPhones behind it.",
    discussion: """
      Point your push client at https://localhost:2197 instead of api.sandbox.push.apple.com, trust the printed \
      certificate authority, sign with the printed key, and send to the tokens that the admin API lists.

        pushpit serve                start; prints a line of JSON and a curl line
        pushpit send --to d0         one push, with the provider token made for you
        pushpit lint update.json     what iOS would silently drop of a payload
        pushpit run story.yaml       play a scenario against your backend
        pushpit simulate story.yaml  the same in virtual time, without a backend
        pushpit check story.yaml     what a scenario says, without playing it
        pushpit replay run.tape      play a recorded run again, and compare
        pushpit settings             everything that can be set
        pushpit doctor               why a client cannot connect
        pushpit health               whether the server is up, as an exit code

      Exit codes: 0 done, 1 something failed, 2 invalid usage or configuration.
      """,
    version: Version.text,
    subcommands: [
      Serve.self, Send.self, Lint.self, Run.self, Simulate.self, Check.self, ReplayCommand.self, ListSettings.self,
      Profile.self, Keys.self, Certs.self, Doctor.self, HealthCommand.self,
    ])
}

@main
enum Program {
  static func main() {
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      for warning in Settings.misspeltVariables { Terminal.say("Warning: \(warning)") }
      try checkCommand(words.first)
      // A list of files takes all that stands after --, and run wants it for the backend.
      let end = words.first == "run" ? words.firstIndex(of: "--") ?? words.endIndex : words.endIndex
      var command = try PushpitCommand.parseAsRoot(Array(words[..<end]))
      if let run = command as? Run {
        try run.play(extra: Array(words[end...].dropFirst()))
      } else {
        try command.run()
      }
    } catch {
      leave(error)
    }
  }

  /// The parser itself reports an unknown command as "Unexpected argument".
  private static func checkCommand(_ word: String?) throws {
    guard let word, !word.hasPrefix("-") else { return }
    let known = PushpitCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    guard !known.contains(word) else { return }
    let near = Settings.nearest(to: word, among: known).map { "did you mean \($0)?" }
    throw ValidationError("there is no command \(word); \(near ?? "there are \(known.joined(separator: ", ")).")")
  }

  /// Ends the process as the error asks: what was asked for on standard output, what went wrong on standard error.
  private static func leave(_ error: any Error) -> Never {
    switch error {
    case let problem as InputProblem: fail("Error: \(problem)", 2)
    case let failure as Failed: fail("Error: \(failure.sentence)", 1)
    case is StartFailure, is KeyProblem, is ProviderCertificateProblem, is TapeFailure: fail("Error: \(error)", 1)
    default: break
    }
    let message = PushpitCommand.fullMessage(for: error)
    switch PushpitCommand.exitCode(for: error) {
    case .success:
      print(message)
      exit(0)
    case .validationFailure: fail(message, 2)
    case let code:
      if !message.isEmpty { Terminal.say(message) }
      exit(code.rawValue)
    }
  }

  private static func fail(_ sentence: String, _ code: Int32) -> Never {
    Terminal.say(sentence)
    exit(code)
  }
}

/// A command could not do what it was asked; the sentence says why.
struct Failed: Error {
  let sentence: String
  init(_ sentence: String) { self.sentence = sentence }
}

import ArgumentParser
import Testing

@testable import CLI

@Suite("Mistyped commands and flags")
struct MisspellingTests {
  private static func sentence(_ words: String) -> String? {
    do {
      try Misspelling.checkCommands(words.split(separator: " ").map(String.init))
      return nil
    } catch {
      return PushpitCommand.message(for: error)
    }
  }

  @Test(
    "a mistyped command is suggested on each level",
    arguments: [
      ("sned --to d0", "there is no command sned; did you mean send?"),
      ("help sned", "there is no command sned; did you mean send?"),
      ("certs provder", "there is no command certs provder; did you mean certs provider?"),
      ("keys mkae", "there is no command keys mkae; did you mean keys make?"),
      ("help keys mkae", "there is no command keys mkae; did you mean keys make?"),
      ("push lst", "there is no command push lst; did you mean push list?"),
      ("token d0", "there is no command token; did you mean tokens?"),
      ("dvices", "there is no command dvices; did you mean devices?"),
      ("clock advnace 8h", "there is no command clock advnace; did you mean clock advance?"),
      ("fault zzzzzz", "there is no command fault zzzzzz; the commands are fault set, fault list, fault delete."),
    ])
  func commands(_ words: String, _ sentence: String) {
    #expect(Self.sentence(words) == sentence)
  }

  @Test(
    "commands that exist, their arguments and flags pass",
    arguments: [
      "", "help", "help send", "help keys make", "send --to d0", "keys", "keys --state x", "keys make", "phone d0",
      "certs --name x", "certs provider", "fault delete sned", "check a.yaml", "--verison", "---completion phone -- x",
    ])
  func right(_ words: String) {
    #expect(Self.sentence(words) == nil)
  }

  @Test(
    "an unknown flag is named, with the flag that resembles it, also where the parser reports another mistake first",
    arguments: [
      ("--verison", "'--verison'. Did you mean '--version'?"), ("send --too d0", "'--too'. Did you mean '--to'?"),
      ("keys --stat x", "'--stat'. Did you mean '--state'?"), ("phone --jsn", "'--jsn'. Did you mean '--json'?"),
      ("push list --statsu=410", "'--statsu'. Did you mean '--status'?"),
      ("serve --flet 5", "'--flet'. Did you mean '--fleet'?"), ("clock --hlep", "'--hlep'. Did you mean '--help'?"),
      ("fault set --lose --tx d1", "'--tx'.\n  See 'pushpit fault set --help'"),
    ])
  func flags(_ words: String, _ says: String) {
    let message = Misspelling.unknownFlag(words.split(separator: " ").map(String.init))
    #expect(message?.contains(says) == true, "\(message ?? "nothing")")
  }

  @Test(
    "flags that exist, and words after --, are not suggestions",
    arguments: ["send --to d0", "run a.yaml -- --too", "--version", "serve --ports 0"])
  func noFlags(_ words: String) {
    #expect(Misspelling.unknownFlag(words.split(separator: " ").map(String.init)) == nil)
  }

  @Test("the help of the program fits one screen of 40 lines and 80 columns, and lists every command once")
  func help() {
    let lines = PushpitCommand.overview.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 40 && lines.allSatisfy { $0.count <= 80 }, "\(PushpitCommand.overview)")
    let shown = lines.compactMap { $0.wholeMatch(of: #/  (?:[a-z]+ +|  +)([a-z]+) +[A-Z].*\./#).map { String($0.1) } }
    #expect(shown == PushpitCommand.configuration.subcommands.map { $0._commandName })
    let groups = lines.compactMap { $0.prefixMatch(of: #/  ([a-z]+) +[a-z]+ +[A-Z]/#).map { String($0.1) } }
    #expect(groups == PushpitCommand.configuration.groupedSubcommands.map(\.name))
  }
}

import ArgumentParser
import Configuration

/// Mistyped commands and flags. The parser calls an unknown command an unexpected argument, and reports other mistakes
/// before an unknown flag.
enum Misspelling {
  /// - Throws: `ValidationError` if a word in the place of a command is not a command, on any level or after `help`.
  static func checkCommands(_ words: [String]) throws {
    let (command, path, rest) = walk(words)
    let known = names(command, isRoot: path.isEmpty)
    guard let word = rest.first, !word.hasPrefix("-"), !known.isEmpty else { return }
    let above = path.map { "\($0) " }.joined()
    let near = Settings.nearest(to: word, among: known).map { "did you mean \(above)\($0)?" }
    let all = known.map { above + $0 }.joined(separator: ", ")
    throw ValidationError("there is no command \(above)\(word); \(near ?? "the commands are \(all).")")
  }

  /// The error about the first flag that the command does not have, with the flag that resembles it most.
  static func unknownFlag(_ words: [String]) -> String? {
    let (command, path, rest) = walk(words)
    let help = PushpitCommand.helpMessage(
      for: command.configuration.defaultSubcommand ?? command, includeHidden: true, columns: 500)
    let known =
      help.matches(of: /(?m)^ +(?:-[a-z], )?(--[a-z][a-z-]*)/).map { String($0.1) } + ["--help", "--version"]
    for word in rest.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
      let flag = String(word.prefix { $0 != "=" })
      if known.contains(flag) || help.contains("\(flag)/") || help.contains("/\(flag)") { continue }
      let near = Settings.nearest(to: flag, among: known).map { " Did you mean '\($0)'?" } ?? ""
      let name = (["pushpit"] + path).joined(separator: " ")
      return "Error: Unknown option '\(flag)'.\(near)\n  See '\(name) --help' for more information."
    }
    return nil
  }

  /// The command that the first words name, their names, and the words after them.
  private static func walk(
    _ words: [String]
  ) -> (command: any ParsableCommand.Type, path: [String], rest: ArraySlice<String>) {
    var command: any ParsableCommand.Type = PushpitCommand.self
    var rest = words[...]
    var path: [String] = []
    if rest.first == "help" { rest = rest.dropFirst() }
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0._commandName == word })
    {
      command = next
      path.append(word)
      rest = rest.dropFirst()
    }
    return (command, path, rest)
  }

  private static func names(_ command: any ParsableCommand.Type, isRoot: Bool) -> [String] {
    let names = command.configuration.subcommands.map { $0._commandName }
    return isRoot ? names + ["help"] : names
  }
}

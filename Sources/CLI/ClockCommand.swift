import ArgumentParser
import ClientCommands

/// `pushpit clock`
struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Show the simulated time, advance it, stop it.",
    discussion: """
      Phones, activities and lifetimes follow this clock. Everything that is due in between happens before the command \
      returns. Time never goes backwards.

        pushpit clock
        pushpit clock advance 8h
        pushpit clock advance --next
        pushpit clock mode manual
      """,
    subcommands: [Show.self, Advance.self, Mode.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the time, and when the next thing is due.")
    @OptionGroup var answer: AnswerOptions

    func run() throws { try answer.show(AdminAPI.Order("v1", "clock")) { ClockLines($0.value).lines } }
  }

  struct Advance: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Advance the clock by a duration such as 90s, 15m, 1h30m or 2d, or to the next thing that is due.")
    @Argument(help: ArgumentHelp("At most \(ClockOrder.longest).", valueName: "duration"))
    var duration: String?
    @Flag(name: .customLong("next"), help: "To the next thing that is due.")
    var isToNext = false
    @OptionGroup var answer: AnswerOptions

    func validate() throws {
      guard (duration == nil) == isToNext else {
        throw ValidationError("Use either a duration such as 8h, or --next.")
      }
    }

    func run() throws {
      let length = try duration ?? ClockOrder.untilNext(try answer.server.api())
      try answer.show(ClockOrder.advance(by: length)) { ClockLines($0.value).lines }
    }
  }

  struct Mode: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mode", abstract: "Stop the clock (manual), or let it run from where it is (wall).")
    @Argument(help: "\(ClockOrder.modes.joined(separator: " or ")).", completion: .list(ClockOrder.modes))
    var mode: String
    @OptionGroup var answer: AnswerOptions

    func run() throws { try answer.show(ClockOrder.mode(mode)) { ClockLines($0.value).lines } }
  }
}

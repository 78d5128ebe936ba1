import ArgumentParser
import ClientCommands

/// `pushpit sessions`
struct SessionsCommand: ParsableCommand {
  /// Values of the filter `open`.
  enum State: String, EnumerableFlag {
    case open
    case closed

    static func help(for value: State) -> ArgumentHelp? { "Only \(value.rawValue) sessions." }
  }

  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List the sessions of tests, and what each has seen.",
    discussion: """
        pushpit sessions --open
        pushpit push list --session checkout
      """)

  @Flag(exclusivity: .exclusive)
  var state: State?
  @OptionGroup var page: PageOptions

  func run() throws {
    let open = state.map { $0 == .open ? "true" : "false" }
    try page.show("sessions", filters: [("open", open)], nothing: "There is no such session.") {
      Table(ListRows.sessions($0.value)).lines(columns: $1)
    }
  }
}

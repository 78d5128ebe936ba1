import ArgumentParser
import ClientCommands

/// `pushpit sessions`
struct SessionsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List the sessions of tests, and what each has seen.",
    discussion: """
        pushpit sessions --open
        pushpit push list --session checkout
      """)

  static let list = "sessions"
  static let heading = ["session", "state", "opened", "pushes", "calls", "findings", "faults", "expectations"]
  static let nothing = "There is no such session."

  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @OptionGroup var page: PageOptions

  static func cells(of session: ListRow) -> [String] {
    let counts = session.row("counts")
    let failed = session.rows("expectations").count { $0.isFalse("passed") }
    let verdict = session.isTrue("passed") ? "passed" : failed > 0 ? "\(failed) failed" : "-"
    return [
      session.text("name"), session.isTrue("open") ? "open" : "closed", session.time("openedAt"),
      counts.text("pushes"), counts.text("calls"), counts.text("findings"), session.text("faults"), verdict,
    ]
  }
}

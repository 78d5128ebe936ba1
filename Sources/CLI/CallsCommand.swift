import ArgumentParser
import ClientCommands

/// `pushpit calls`
struct CallsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "List calls of the apps to your backend, newest first.",
    discussion: """
        pushpit calls --failed
        pushpit calls --device d0 --event deviceToken
        pushpit calls --status 500 --json | jq '.calls[].body'
      """)

  @Option(help: ArgumentHelp("Calls of this device.", valueName: "device"), completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("Calls of this app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("The event of the profile, such as deviceToken.", valueName: "name"))
  var event: String?
  @Option(help: ArgumentHelp("The status that the backend returned.", valueName: "code"))
  var status: String?
  @Option(help: ArgumentHelp("Why there was no answer, such as timedOut.", valueName: "word"))
  var failure: String?
  @Flag(name: .customLong("failed"), help: "Only calls that were not answered with 2xx.")
  var isFailed = false
  @Option(help: ArgumentHelp("Calls of this session.", valueName: "name"))
  var session: String?
  @OptionGroup var page: PageOptions

  func run() throws {
    let filters = [
      ("device", device), ("app", app), ("event", event), ("status", status), ("failure", failure),
      ("failed", isFailed ? "true" : nil), ("session", session),
    ]
    try page.show("calls", filters: filters, nothing: "No call matches.") {
      Table(ListRows.calls($0.value)).lines(columns: $1)
    }
  }
}

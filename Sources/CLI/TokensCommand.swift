import ArgumentParser
import ClientCommands

/// `pushpit tokens`
struct TokensCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "List tokens, or print one for a script.",
    discussion: """
      With a device and --kind, prints bare tokens, one a line: those of --app, or of the first app that has any. \
      Without such a token, ends with exit code 1.

        pushpit tokens d0
        token=$(pushpit tokens d0 --kind device)
        pushpit tokens --kind update
      """)

  @Argument(help: "Device of the fleet, such as d0. Default: all.", completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("All phones of this person, such as u17.", valueName: "user"))
  var user: String?
  @Option(help: ArgumentHelp("device, pushToStart, update, voip, …", valueName: "kind"))
  var kind: String?
  @Option(help: ArgumentHelp("Bundle id of the app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("sandbox or production.", valueName: "name"))
  var environment: String?
  @OptionGroup var page: PageOptions

  func validate() throws {
    guard device != "" else { throw ValidationError("The name of the device is empty.") }
  }

  func run() throws {
    let filters = [("device", device), ("user", user), ("kind", kind), ("app", app), ("environment", environment)]
    guard let device, let kind, !page.answer.isJSON else {
      return try page.show("tokens", filters: filters, nothing: "No token matches.") {
        Table(ListRows.tokens($0.value)).lines(columns: $1)
      }
    }
    let order = page.order("tokens", filters + [("live", "true")])
    let tokens = BareTokens(try page.answer.server.api().perform(order).value)
    guard !tokens.all.isEmpty else {
      let owner = app.map { "\($0) on \(device)" } ?? device
      throw CommandFailure("\(owner) has no token of the kind \(kind); `pushpit tokens \(device)` lists its tokens.")
    }
    for token in tokens.all { Terminal.announce(token) }
  }
}

import ArgumentParser
import ClientCommands

/// `pushpit devices`
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the phones of the fleet, with their state and apps.",
    discussion: """
        pushpit devices
        pushpit devices --offline --os 26
        pushpit devices --app com.example.app --json | jq -r '.devices[].id'
      """)

  @OptionGroup(title: "Filters") var filters: DeviceFilters
  @OptionGroup var page: PageOptions

  func run() throws {
    try page.show("devices", filters: filters.given, nothing: "No device matches.") {
      Table(ListRows.devices($0.value)).lines(columns: $1)
    }
  }
}

/// Conditions that select devices.
struct DeviceFilters: ParsableArguments {
  /// Values of the filter `online`.
  enum Reachability: String, EnumerableFlag {
    case online
    case offline

    static func help(for value: Reachability) -> ArgumentHelp? { "Only devices that are \(value.rawValue)." }
  }

  @Option(help: ArgumentHelp("Only devices with this app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("Only devices with this version of iOS, such as 26 or 18.5.", valueName: "version"))
  var os: String?
  @Option(help: ArgumentHelp("Only phones of this person, such as u17.", valueName: "user"))
  var user: String?
  @Flag(exclusivity: .exclusive)
  var reachability: Reachability?

  var given: [(name: String, value: String?)] {
    [("app", app), ("os", os), ("user", user), ("online", reachability.map { $0 == .online ? "true" : "false" })]
  }
}

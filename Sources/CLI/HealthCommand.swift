import ArgumentParser
import Commands

/// `pushpit health`
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Check whether the server is up: exit code 0 if it is, 1 if not.",
    discussion: """
      For containers and scripts. Requests /health of the admin API. The address is the first one given of: --admin, \
      --ready-file, PUSHPIT_ADMIN_PORT, the last server of the state folder, the default port.
      """)

  @OptionGroup var state: Keys.StateOptions
  @Option(help: ArgumentHelp("URL of the admin API.", valueName: "url"))
  var admin: String?
  @Option(name: .customLong("ready-file"), help: ArgumentHelp("The server's ready file.", valueName: "file"))
  var readyFile: String?

  func run() throws {
    let health = Health(of: try Health.find(admin: admin, readyFile: readyFile, folder: try state.folder()))
    if let problem = health.problem { throw Failed(problem) }
    print("\(health.admin) is up")
  }
}

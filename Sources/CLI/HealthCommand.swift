import ArgumentParser
import Commands

/// `pushpit health`
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Check whether the server is up: exit code 0 if it is, 1 if not.",
    discussion: """
      For containers and scripts. Requests /health of the admin API. The address is the first of these that is given: \
      --admin, --ready-file, PUSHPIT_ADMIN_PORT, the last server of the state folder, the default port.
      """)

  @OptionGroup var running: AdminOptions
  @Option(name: .customLong("ready-file"), help: ArgumentHelp("The server's ready file.", valueName: "file"))
  var readyFile: String?

  func run() throws {
    let folder = try running.state.folder()
    let health = Health(of: try Health.find(admin: running.admin, readyFile: readyFile, folder: folder))
    if let problem = health.problem { throw Failed(problem) }
    print("\(health.admin) is up")
  }
}

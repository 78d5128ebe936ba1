import ArgumentParser
import Commands

/// `pushpit health`
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Say whether the server is up: exit code 0 when it is, 1 when it is not.",
    discussion: """
      For containers and scripts. It asks /health of the admin API: of --admin, of the server whose --ready-file is \
      named, of PUSHPIT_ADMIN_PORT, of the last server on the state folder, or of the standard port: the first of \
      these that is there.
      """)

  @OptionGroup var state: Keys.StateOptions
  @Option(help: ArgumentHelp("The admin API.", valueName: "url"))
  var admin: String?
  @Option(name: .customLong("ready-file"), help: ArgumentHelp("The server's ready file.", valueName: "file"))
  var readyFile: String?

  func run() throws {
    let health = Health(of: try Health.find(admin: admin, readyFile: readyFile, folder: try state.folder()))
    if let problem = health.problem { throw Failed(problem) }
    print("\(health.admin) is up")
  }
}

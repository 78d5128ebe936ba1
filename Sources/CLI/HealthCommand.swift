import ArgumentParser
import ClientCommands

/// `pushpit health`
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Check whether the server is up.",
    discussion: """
      For containers and scripts. Requests /health of the admin API of --ready-file, or of the server that other \
      commands would use.

      Exit codes: 0 it is up, 1 it is not, 2 invalid usage.
      """)

  @OptionGroup var running: AdminOptions
  @Option(name: .customLong("ready-file"), help: ArgumentHelp("The server's ready file.", valueName: "file"))
  var readyFile: String?

  func run() throws {
    let health = Health(of: try admin())
    if let problem = health.problem { throw CommandFailure(problem) }
    Terminal.announce("\(health.admin) is up")
  }

  /// Returns the URL of the admin API. Where no server is found, the exit code is that of a server that is not up:
  /// containers know only 0 and 1.
  private func admin() throws -> String {
    do {
      return try running.admin == nil && readyFile != nil
        ? ReadyFile.admin(in: readyFile ?? "") : running.address().admin
    } catch let failure as CommandFailure {
      throw CommandFailure(failure.description)
    }
  }
}

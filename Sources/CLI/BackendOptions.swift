import ArgumentParser
import Pushpit
import RunCommands
import ScenarioFiles

/// Flags of the commands that play with the backend under test.
struct BackendOptions: ParsableArguments {
  @Option(help: ArgumentHelp("URL for app reports; overrides the file's backend.", valueName: "url"))
  var backend: String?
  @Option(
    help: ArgumentHelp(
      "Command that starts the backend, in this folder; overrides the file's. It is split and quoted as in a shell.",
      valueName: "command"))
  var exec: String?

  func validate() throws {
    if let backend, !BackendURL.isValid(backend) {
      throw ValidationError("--backend must be a URL such as http://127.0.0.1:8080, not \(backend).")
    }
  }

  /// - Parameter extra: words after `--`, which are appended to the backend's command.
  func live(_ extra: [String]) throws -> LiveOptions {
    var options = LiveOptions()
    options.backend = backend
    if let exec { try options.setCommand(exec) }
    options.extra = extra
    return options
  }
}

import Configuration
import Grammar

/// The options of a server: tests with equal options share a server.
struct ServerOptions: Hashable, Sendable {
  /// Nil for the number in `settings`, or else the default.
  var fleet: Int?
  /// YAML, as in a settings file.
  var settings = ""

  /// The settings of a server on free ports whose phones show every push at once; `settings` may change anything.
  func made(state folder: String) throws(InputProblem) -> Settings {
    var made = Settings()
    made.isForTests = true
    made.takesFreePorts = true
    // When a test stops its server, nobody waits for requests that are still open.
    made.wire.drainTime = .seconds(1)
    try SettingsFile.apply(settings, named: "settings", to: &made)
    if let fleet { try made.set("fleet.devices", to: "\(fleet)") }
    if made.state == nil { made.state = folder }
    return made
  }
}

import Grammar
import Scenarios
import Simulation
import WireFormats

/// The settings of the server.
enum SettingRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/settings", id: "listSettings", tag: .about,
      summary: "the settings with their values, defaults and meanings", answer: settings
    )
    .meaning(
      """
      As `pushpit settings` lists them, with the values with which the server was started. Keys of
      `fleet.apps` are not included.
      """
    )
    .takes(prefix("Only settings whose key begins with this text.", example: "fleet.mix."))
    .answers(.json("All settings, group by group.", .object([.init("settings", .list(of: setting))])))
  ]

  private static let prefix = Parameter("prefix", as: .text)

  /// A setting, as `SettingsListing` writes it.
  private static let setting = Schema.object([
    .init("key", .string, meaning: "Its path in the settings file, such as `fleet.mix.offline`."),
    .init("group", .string), .init("value", .string, meaning: "The value in force, as it is written; empty for none."),
    .init("default", .string),
    .init("form", .string, meaning: "The valid values or their unit, such as `duration` or `true|false`."),
    .init("flag", .string.orNull), .init("variable", .string.orNull, meaning: "The environment variable."),
    .init("help", .string, meaning: "What it does."), .init("evidence", .evidence.orNull),
    .init("source", .string.orNull, meaning: "How the imitated behavior is known."),
  ]).named("Setting")

  static func settings(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let (server, prefix) = (context.server, try context.query.value(prefix) ?? "")
    return .json(["settings": .array(server().settings(prefix))])
  }
}

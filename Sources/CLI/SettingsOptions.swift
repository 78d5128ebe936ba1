import ArgumentParser
import Configuration
import Grammar

/// The settings of a server on the command line: flags from the table of `Setting`, and those of whole lists.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("YAML file of settings. [PUSHPIT_CONFIG]", valueName: "file"))
  var config: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Any setting (`pushpit settings`). [PUSHPIT_SET]", valueName: "key=value"))
  var pairs: [String] = []

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp("App of the fleet, instead of the default apps.", valueName: "bundle"))
  var apps: [String] = []

  @Option(
    name: .customLong("profile"),
    help: ArgumentHelp("App with a profile that calls a backend.", valueName: "name|file"))
  var profiles: [String] = []

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "Provider key in addition to those of `pushpit keys`; may be repeated. The file is a .p8 or a public key in PEM.",
      valueName: "id:team:environment:file", visibility: .hidden))
  var keys: [String] = []

  @OptionGroup var flags: DerivedFlags<SettingFlags>

  func gathered() throws(InputProblem) -> Settings {
    var flags = flags.given.map { Settings.Flag(key: $0.key, value: $0.value) }
    for pair in pairs { flags.append(try Settings.Flag(pair: pair, place: "--set")) }
    return try Settings.gathered(file: config, flags: flags, apps: apps, profiles: profiles, keys: keys)
  }
}

import ArgumentParser
import Configuration

/// `pushpit settings`
struct ListSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "List all settings with their defaults and evidence.",
    discussion: """
      Use a key in the YAML file of --config, or with --set of `pushpit serve`:

        pushpit serve --ideal --set fleet.mix.offline=5%
      """)

  @Argument(help: ArgumentHelp("Only keys with this prefix, such as budgets or fleet.mix.", valueName: "prefix"))
  var prefix = ""
  @Flag(help: "Print the tables of docs/settings.md.")
  var markdown = false

  func run() throws {
    let catalogue = SettingsListing(prefix: prefix)
    guard !catalogue.isEmpty else {
      let near = catalogue.nearest.map { "did you mean \($0)?" } ?? "`pushpit settings` lists all."
      throw ValidationError("no setting begins with \(prefix); \(near)")
    }
    Terminal.announce(markdown ? catalogue.markdown : catalogue.text)
  }
}

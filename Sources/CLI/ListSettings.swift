import ArgumentParser
import Configuration

/// `pushpit settings`
struct ListSettings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "List everything that can be set, with its default and how we know it.",
    discussion: """
      A key stands in the YAML file of --config, or after --set of `pushpit serve`:

        pushpit serve --ideal --set fleet.mix.offline=5%
      """)

  @Argument(help: ArgumentHelp("Only keys that begin so, such as budgets or fleet.mix.", valueName: "prefix"))
  var prefix = ""
  @Flag(help: "As the tables of docs/settings.md.")
  var markdown = false

  func run() throws {
    let catalogue = SettingsListing(prefix: prefix)
    guard !catalogue.isEmpty else {
      throw ValidationError("there is no setting that begins with \(prefix); `pushpit settings` lists all.")
    }
    print(markdown ? catalogue.markdown : catalogue.text)
  }
}

import ArgumentParser
import Commands
import Configuration

/// `pushpit lint`
struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say what iOS would silently drop or change of a Live Activity payload.",
    discussion: """
      Offline: the same decoder and the same rules as the virtual phones. The schemas of attributes and content state \
      come from the settings file, under fleet.apps:

        attributesTypes:
          - name: MatchAttributes
            attributes: {type: object, properties: {home: string}}
            contentState:
              type: object
              properties: {score: int, striker: string?, updatedAt: date}

      Exits with 1 when something would be lost.
      """)

  @Argument(
    help: ArgumentHelp("The payload: a file, - for standard input, or JSON as it stands.", valueName: "file|-|json"))
  var payload: String
  @Option(help: ArgumentHelp("YAML file of settings with the app; also PUSHPIT_CONFIG.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("Bundle id of the app; the first with any type if left out.", valueName: "bundle"))
  var app: String?
  @Option(
    help: ArgumentHelp("Type of the activity that is updated or ended; the app's first if left out.", valueName: "name")
  )
  var type: String?
  @Option(help: ArgumentHelp("Version of iOS.", valueName: "version"))
  var os = "26.1"

  func run() throws {
    guard let bytes = payload.first == "{" ? Array(payload.utf8) : InputFile.read(payload) else {
      throw Failed("\(payload) cannot be read: lint takes a file, - for standard input, or JSON as it stands.")
    }
    let order = try LintRequest(bytes, try Settings.gathered(file: config, flags: []), app: app, type: type, os: os)
    for finding in order.findings {
      let place = finding.path.isEmpty ? "" : finding.path + ": "
      let weight =
        switch finding.weight {
        case .lost: "LOST     "
        case .changed: "CHANGED  "
        case .unchecked: "UNKNOWN  "
        }
      print(weight + place + finding.sentence)
    }
    if order.findings.isEmpty {
      print("Nothing would be lost or changed.")
    } else if order.findings.allSatisfy({ $0.weight == .unchecked }) {
      print("Nothing else would be lost or changed. Schemas stand in the settings file (--config), under fleet.apps.")
    }
    if order.loses { throw ExitCode(1) }
  }
}

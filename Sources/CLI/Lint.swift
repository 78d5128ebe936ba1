import ArgumentParser
import ClientCommands
import Configuration

/// `pushpit lint`
struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Find what iOS would silently drop or change in a payload.",
    discussion: """
      Works offline, with the decoder and rules of the virtual phones. A payload with an event, a timestamp, \
      attributes or a content state is for a Live Activity, any other for a notification or a background push, unless \
      --push-type says otherwise. The schemas of attributes and content state \
      come from the settings file, under fleet.apps:

        attributesTypes:
          - name: MatchAttributes
            attributes: {type: object, properties: {home: string}}
            contentState:
              type: object
              properties: {score: int, striker: string?, updatedAt: date}

      Exit codes: 0 nothing would be lost, 1 something would, 2 the payload or a flag is not valid.
      """)

  @Argument(
    help: ArgumentHelp("The payload: a file, - for standard input, or the JSON itself.", valueName: "file|-|json"))
  var payload: String
  @Option(help: ArgumentHelp("YAML file of settings with the app; also PUSHPIT_CONFIG.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("Bundle id of the app. Default: the first with an attributes type.", valueName: "bundle"))
  var app: String?
  @Option(
    help: ArgumentHelp("Attributes type of the activity. Default: the app's first.", valueName: "name")
  )
  var type: String?
  @Option(
    help: ArgumentHelp("Push type, such as alert or background. Default: as the payload looks.", valueName: "type"))
  var pushType: String?
  @Option(help: ArgumentHelp("Version of iOS.", valueName: "version"))
  var os = LintRequest.usualOS

  func run() throws {
    guard let bytes = LintRequest.payload(payload, reading: InputFile.read) else {
      throw CommandFailure(
        "\(payload) cannot be read: lint needs a file, - for standard input, or the JSON itself.", .invalid)
    }
    let order = try LintRequest(
      bytes, as: pushType, try Settings.gathered(file: config, flags: []), app: app, type: type, os: os)
    if let guess = order.guess { Terminal.announce("Checked as a push of type \(guess); --push-type changes that.") }
    for finding in order.findings {
      let place = finding.path.isEmpty ? "" : finding.path + ": "
      let weight =
        switch finding.weight {
        case .lost: "LOST     "
        case .changed: "CHANGED  "
        case .unchecked: "UNKNOWN  "
        }
      Terminal.announce(TerminalText.clean(weight + place + finding.sentence))
    }
    if order.findings.isEmpty {
      Terminal.announce("Nothing would be lost or changed.")
    } else if order.findings.allSatisfy({ $0.weight == .unchecked }) {
      Terminal.announce(
        "Nothing else would be lost or changed. Schemas are in the settings file (--config), under fleet.apps.")
    }
    if order.loses { throw ExitCode(.no) }
  }
}

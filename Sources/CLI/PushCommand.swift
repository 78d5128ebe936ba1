import ArgumentParser
import ClientCommands

/// `pushpit push`
struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "List the pushes that were received, or explain one.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List pushes, newest first.",
      discussion: """
        Each line shows the time, the first digits of the apns-id, the device, APNs's answer, what was sent instead \
        if that differs, the push type, and what the phone did. All filters must match.

          pushpit push list --device d0
          pushpit push list --status 410 --limit 100
          pushpit push list --outcome dropped --json | jq '.pushes[].why.sentence'
        """)

    @OptionGroup(title: "Filters") var filters: PushFilters
    @OptionGroup var page: PageOptions

    func run() throws {
      try page.show("pushes", filters: filters.given, nothing: "No push matches.") {
        PushListLines($0.value, columns: $1).lines
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one push: APNs's answer, what the phone did, and why.",
      discussion: """
          pushpit push show                  the newest push
          pushpit push show 2477F8A4         the newest push whose apns-id begins with these digits
        """)

    @Argument(help: "The apns-id or apns-unique-id, or its first digits. Default: the newest push.")
    var id: String?
    @OptionGroup var answer: AnswerOptions

    func validate() throws {
      guard id != "" else { throw ValidationError("The id is empty.") }
    }

    func run() throws {
      let push = try PushLookup(try answer.server.api()).find(id)
      guard !answer.isJSON else { return answer.print(push) }
      Terminal.announce(PushReport(push.value).lines)
    }
  }
}

/// The filters of `GET /v1/pushes`.
struct PushFilters: ParsableArguments {
  @Option(help: ArgumentHelp("Pushes to a token of this device.", valueName: "device"), completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("Pushes to a token of this app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("The status that APNs decided.", valueName: "code"))
  var status: String?
  @Option(help: ArgumentHelp("The answer that was sent: a status, reset, nothing, pending, …", valueName: "word"))
  var sent: String?
  @Option(help: ArgumentHelp("The reason of a rejection, such as Unregistered.", valueName: "reason"))
  var reason: String?
  @Option(help: ArgumentHelp("The fate in Apple's words, such as \"Delivered to Device\".", valueName: "words"))
  var fate: String?
  @Option(help: ArgumentHelp("The phone's reaction, such as updated or dropped.", valueName: "word"))
  var outcome: String?
  @Option(help: ArgumentHelp("Why it was dropped or stored, such as stale-timestamp.", valueName: "word"))
  var cause: String?
  @Option(help: ArgumentHelp("Pushes that this fault struck.", valueName: "name"), completion: .faults)
  var fault: String?
  @Option(help: ArgumentHelp("alert, background, liveactivity, …", valueName: "word"))
  var pushType: String?
  @Option(help: ArgumentHelp("10, 5 or 1.", valueName: "n"))
  var priority: String?
  @Option(help: ArgumentHelp("The apns-topic.", valueName: "topic"))
  var topic: String?
  @Option(help: ArgumentHelp("The device token.", valueName: "hex"))
  var token: String?
  @Option(help: ArgumentHelp("device, pushToStart, update, voip, …", valueName: "kind"))
  var tokenKind: String?
  @Option(help: ArgumentHelp("sandbox or production.", valueName: "name"))
  var environment: String?
  @Option(help: ArgumentHelp("Number of the provider's connection.", valueName: "n"))
  var connection: String?
  @Option(name: .customLong("apns-id"), help: ArgumentHelp("The apns-id.", valueName: "uuid"))
  var apnsID: String?
  @Option(help: ArgumentHelp("Pushes of this session.", valueName: "name"))
  var session: String?

  /// Parameters of the query.
  var given: [(name: String, value: String?)] {
    [
      ("device", device), ("app", app), ("status", status), ("sent", sent), ("reason", reason), ("fate", fate),
      ("outcome", outcome), ("cause", cause), ("fault", fault), ("pushType", pushType), ("priority", priority),
      ("topic", topic), ("token", token), ("tokenKind", tokenKind), ("environment", environment),
      ("connection", connection), ("apnsId", apnsID), ("session", session),
    ]
  }
}

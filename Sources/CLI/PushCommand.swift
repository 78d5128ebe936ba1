import ArgumentParser
import ClientCommands

/// `pushpit push`
struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "List the pushes that were received, or explain one.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: FilteringCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List pushes, newest first.",
      discussion: """
        Each line shows the time, the first digits of the apns-id, the device, APNs's answer, what was sent instead \
        if that differs, the push type, and what the phone did. All filters must match.

          pushpit push list --device d0
          pushpit push list --status 410 --limit 100
          pushpit push list --outcome dropped --json | jq '.pushes[].why.sentence'
        """)

    static let list = "pushes"

    @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
    @OptionGroup var page: PageOptions

    func run() throws {
      try page.show(Self.list, filters: filters.given, of: Self.flags, nothing: "No push matches.") {
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

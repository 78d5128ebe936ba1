import ArgumentParser
import ClientCommands

/// `pushpit channels`
struct Channels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels", abstract: "Create, list and delete the broadcast channels of an app.",
    discussion: """
      Sends requests to the channel management of a running server, as your backend would, with a generated provider \
      token.

        pushpit channels create
        pushpit channels list
        pushpit send --channel "$CHANNEL" --payload update.json

      With --cells, each request goes to every cell of a fleet, where a new channel gets the same id (docs/cells.md).

      Exit codes: 0 done, 1 the request was rejected, 2 invalid usage, 4 no server.
      """,
    subcommands: [Create.self, List.self, Show.self, Delete.self], defaultSubcommand: List.self)

  struct Target: ParsableArguments {
    @Option(help: ArgumentHelp("Bundle id of the app. Default: the fleet's first.", valueName: "bundle"))
    var app: String?
    @Flag(help: "Channels of production instead of the sandbox.")
    var production = false
    @Option(name: .customLong("key-id"), help: "The key to sign with. Default: the first one here.")
    var keyID: String?
    @Option(
      help: ArgumentHelp(
        "URL of the channel management. Default: that of the server.", valueName: "url"))
    var server: String?
    @Option(
      help: ArgumentHelp("URLs of the admin APIs of all cells, to ask each of them.", valueName: "url,…"))
    var cells: String?
    @OptionGroup var running: AdminOptions

    func validate() throws {
      guard !production || server == nil else {
        throw ValidationError("--production and --server cannot be combined: the URL already names an environment.")
      }
      guard cells == nil || server == nil && running.admin == nil else {
        throw ValidationError("--cells cannot be combined with --server or --admin: it names all cells.")
      }
    }

    func perform(_ order: ChannelRequest.Order) throws {
      var request = ChannelRequest(order)
      request.app = app
      request.production = production
      request.server = server
      request.keyID = keyID
      try GatewayURL.check(server)
      let targets = try running.servers(cells, production: production)
      let outcome = try request.send(toAll: targets)
      guard outcome.isSuccess else {
        Terminal.announce(([String(outcome.status)] + outcome.lines).joined(separator: " "))
        if let story = outcome.story { Terminal.say(story) }
        throw ExitCode(.no)
      }
      for line in outcome.lines { Terminal.announce(line) }
    }
  }

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a channel, and print its id.")
    @Flag(help: "Store the most recent message for phones that are offline.")
    var stores = false
    @OptionGroup var target: Target

    func run() throws { try target.perform(.create(stores: stores)) }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Print the ids of all channels.")
    @OptionGroup var target: Target

    func run() throws { try target.perform(.list) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the settings of a channel.")
    @Argument(help: "Its id.")
    var id: String
    @OptionGroup var target: Target

    func run() throws { try target.perform(.show(id)) }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a channel permanently.")
    @Argument(help: "Its id.")
    var id: String
    @OptionGroup var target: Target

    func run() throws {
      try target.perform(.delete(id))
      Terminal.say("Deleted the channel \(id).")
    }
  }
}

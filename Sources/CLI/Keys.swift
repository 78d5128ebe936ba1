import ArgumentParser
import ClientCommands
import Configuration
import Grammar
import Pushpit

/// `pushpit keys`
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Manage provider keys, as in Apple's developer portal.",
    subcommands: [List.self, Make.self, Add.self, Remove.self, Token.self], defaultSubcommand: List.self)

  struct StateOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Folder for certificates and keys [PUSHPIT_STATE].", valueName: "folder"))
    var state: String?

    func folder() throws(InputProblem) -> StateFolder { StateFolder.of(try ServerAddress.settings(state: state)) }

    /// Tells the folder's servers, if any run, of a change; returns the end of a sentence about it.
    ///
    /// - Parameter tell: returns whether a server has taken the change over.
    func toldServers(_ tell: (FolderServers) -> Bool) throws(InputProblem) -> String {
      tell(FolderServers(try folder())) ? "; the running server has applied the change" : ""
    }
  }

  struct KeyOptions: ParsableArguments {
    @Option(name: .customLong("team-id"), help: "Team that owns the key and its apps.")
    var teamID: String?
    @Option(help: "Environments in which it is valid: sandbox, production or both.")
    var environment = "both"
    @Option(
      name: .customLong("topic"),
      help: ArgumentHelp(
        "Bundle id to which it is limited; may be repeated. Default: all apps of its team.", valueName: "bundle"))
    var topics: [String] = []
    @Option(help: ArgumentHelp("The other key that may be used on the same connection.", valueName: "key-id"))
    var related: String?
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the registered keys.")
    @OptionGroup var state: StateOptions

    func run() throws {
      let registry = try KeyRegistry(try state.folder())
      if registry.entries.isEmpty {
        Terminal.say("No key is registered; `pushpit serve` makes one on its first start, `pushpit keys make` now.")
      }
      for entry in registry.entries {
        let topics = entry.topics.isEmpty ? "all topics" : entry.topics.joined(separator: ",")
        let columns = [entry.keyID, entry.teamID, entry.environment, topics, entry.p8 ?? entry.publicKey ?? ""]
        Terminal.announce(columns.joined(separator: "\t"))
      }
    }
  }

  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "make", abstract: "Make and register a key, like the portal.")
    @OptionGroup var state: StateOptions
    @OptionGroup var key: KeyOptions
    @Option(name: .customLong("key-id"), help: "Its id of ten letters and digits. Default: random.")
    var keyID: String?

    func run() throws {
      try KeyRegistry.checkWords(keyID: keyID, teamID: key.teamID, environment: key.environment)
      var registry = try KeyRegistry(try state.folder())
      let entry = try registry.make(
        keyID: keyID, teamID: key.teamID, environment: key.environment, topics: key.topics, related: key.related)
      Terminal.say(
        "Made key \(entry.keyID) of team \(entry.teamID) for \(entry.environment)"
          + "\(try state.toldServers { $0.takeOverKeys() }).")
      Terminal.announce(entry.p8 ?? "")
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Register a key you have: a .p8 file, or only its public half in PEM.")
    @OptionGroup var state: StateOptions
    @OptionGroup var key: KeyOptions
    @Option(name: .customLong("key-id"), help: "Its id, the kid of your provider tokens.")
    var keyID: String
    @Argument(help: "The file.")
    var file: String

    func run() throws {
      try KeyRegistry.checkWords(keyID: keyID, teamID: key.teamID, environment: key.environment)
      var registry = try KeyRegistry(try state.folder())
      let entry = try registry.register(
        file: file, keyID: keyID, teamID: key.teamID, environment: key.environment, topics: key.topics,
        related: key.related)
      Terminal.say(
        "Registered key \(entry.keyID) of team \(entry.teamID) for \(entry.environment)"
          + "\(try state.toldServers { $0.takeOverKeys() }).")
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Unregister a key, as if revoked.",
      discussion: "The file of a key that Pushpit made is deleted; a file that you registered is kept.")
    @OptionGroup var state: StateOptions
    @Argument(help: "Its id.")
    var keyID: String

    func run() throws {
      var registry = try KeyRegistry(try state.folder())
      try registry.remove(keyID)
      Terminal.say("Unregistered key \(keyID)\(try state.toldServers { $0.takeOverKeys() }).")
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token", abstract: "Print a provider token that is valid for an hour, for use after `bearer`.")
    @OptionGroup var state: StateOptions
    @Option(name: .customLong("key-id"), help: "The key to sign with. Default: the first one here.")
    var keyID: String?

    func run() throws { Terminal.announce(try ProviderSigner(try state.folder(), keyID: keyID).token()) }
  }
}

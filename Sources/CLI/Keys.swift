import ArgumentParser
import Configuration
import Grammar
import Pushpit

/// `pushpit keys`
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Provider keys: what Apple's developer portal would list.",
    subcommands: [List.self, Make.self, Add.self, Remove.self, Token.self], defaultSubcommand: List.self)

  struct StateOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Folder for certificates and keys [PUSHPIT_STATE].", valueName: "folder"))
    var state: String?

    func folder() throws(InputProblem) -> StateFolder {
      let flags = state.map { [Settings.Flag(key: "state", value: $0)] } ?? []
      return StateFolder.of(try Settings.gathered(file: nil, flags: flags))
    }
  }

  struct KeyOptions: ParsableArguments {
    @Option(name: .customLong("team-id"), help: "Team that owns the key and its apps.")
    var teamID: String?
    @Option(help: "Where it may be used: sandbox, production or both.")
    var environment = "both"
    @Option(
      name: .customLong("topic"),
      help: ArgumentHelp(
        "Bundle id it is limited to; may be repeated. Without any, all of its team.", valueName: "bundle"))
    var topics: [String] = []
    @Option(help: ArgumentHelp("The one other key that may share a connection with it.", valueName: "key-id"))
    var related: String?
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the registered keys.")
    @OptionGroup var state: StateOptions

    func run() throws {
      let registry = try KeyRegistry(try state.folder())
      if registry.entries.isEmpty {
        Terminal.say("No key is registered yet; `pushpit serve` makes one on its first start, `pushpit keys make` now.")
      }
      for entry in registry.entries {
        let topics = entry.topics.isEmpty ? "all topics" : entry.topics.joined(separator: ",")
        print(entry.keyID, entry.teamID, entry.environment, topics, entry.p8 ?? entry.publicKey ?? "", separator: "\t")
      }
    }
  }

  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a key, as the portal would, and register it.")
    @OptionGroup var state: StateOptions
    @OptionGroup var key: KeyOptions
    @Option(name: .customLong("key-id"), help: "Its id; ten letters and digits, drawn if left out.")
    var keyID: String?

    func run() throws {
      try KeyRegistry.checkWords(keyID: keyID, teamID: key.teamID, environment: key.environment)
      var registry = try KeyRegistry(try state.folder())
      let entry = try registry.make(
        keyID: keyID, teamID: key.teamID, environment: key.environment, topics: key.topics, related: key.related)
      Terminal.say(
        "Made key \(entry.keyID) of team \(entry.teamID) for \(entry.environment); a running server must be restarted.")
      print(entry.p8 ?? "")
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Register a key you have: a .p8 file, or only its public half in PEM.")
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
        "Registered key \(entry.keyID) of team \(entry.teamID) for \(entry.environment); restart a running server."
      )
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Forget a key, as if it were revoked. Its file stays.")
    @OptionGroup var state: StateOptions
    @Argument(help: "Its id.")
    var keyID: String

    func run() throws {
      var registry = try KeyRegistry(try state.folder())
      try registry.remove(keyID)
      Terminal.say("Forgot key \(keyID); a running server must be restarted.")
    }
  }

  struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token", abstract: "Print a provider token, good for an hour: what goes after `bearer`.")
    @OptionGroup var state: StateOptions
    @Option(name: .customLong("key-id"), help: "The key to sign with; the first one here if left out.")
    var keyID: String?

    func run() throws { print(try ProviderSigner(try state.folder(), keyID: keyID).token()) }
  }
}

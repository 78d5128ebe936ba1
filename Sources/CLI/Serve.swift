import ArgumentParser
import Commands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Start the gateways, the fleet and the admin API.")

  @OptionGroup var options: SettingsOptions

  @Option(help: ArgumentHelp("Write a tape, for `pushpit replay`.", valueName: "file"))
  var tape: String?

  @Option(
    name: .customLong("ready-file"),
    help: ArgumentHelp(
      "Write the ready line to this file as well, whole or not at all; it is removed at the end.", valueName: "file",
      visibility: .hidden))
  var readyFile: String?

  @Flag(name: .customLong("help-all"), help: "Show all flags, and a settings file.")
  var isHelpWanted = false

  /// What `--help-all` says after the flags.
  private static let manual = """
    When all is ready, standard output gets exactly one line of JSON (ports,
    certificate authority, keys, fleet); everything for people goes to standard
    error. SIGTERM, SIGINT and SIGHUP finish what is in flight and exit with 0.

    --app and --profile may be repeated. An app is
    BUNDLE[:sandbox|production|mixed[:AttributesType,…]]; --profile stands for an
    app with what it reports to its backend. PUSHPIT_SET holds several settings,
    separated by semicolons.

    A tape has everything that happens. It holds provider tokens: only you may
    read it.

    A setting may stand in a YAML file, in the environment or on the command line;
    later ones override earlier ones. `pushpit settings` says of each how we know
    its default. In the file:

      listen: {sandbox: 2197, production: 2198, admin: 2190}
      fleet:
        devices: 1000
        seed: 1
        apps:
          - bundleId: com.example.app
            environment: sandbox
            attributesTypes: [MatchAttributes]
      keys:
        - keyId: ABCDE12345
          teamId: PUSHPIT001
          environment: both
          p8: AuthKey_ABCDE12345.p8

    """

  func validate() throws {
    guard isHelpWanted else { return }
    let flags = PushpitCommand.helpMessage(for: Self.self, includeHidden: true)
    throw CleanExit.message(flags + "\n" + Self.manual)
  }

  /// How long a reader of standard error may hold up the ready line, and the end.
  private static let patience: Duration = .seconds(1)

  func run() throws {
    let log = LineWriter(STDERR_FILENO)
    defer { log.settle(within: Self.patience) }
    let settings = try options.gathered()
    let server = try ServerLoop(settings, tape: tape) { log.say($0) }
    var files: [ReadyFile] = []
    if let readyFile { files.append(try ReadyFile(readyFile, server.ready)) }
    if let file = ReadyFile(in: StateFolder.of(settings), server.ready) { files.append(file) }
    defer { for file in files { file.remove() } }
    log.say(StartupMessage(server).text)
    log.settle(within: Self.patience)
    server.watchSignals()
    Terminal.announce(server.ready.text)
    server.run()
  }
}

import ArgumentParser
import ClientCommands
import Pushpit
import RunCommands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit serve`
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Start the gateways, the fleet and the admin API.")

  @OptionGroup var options: SettingsOptions

  @Option(help: ArgumentHelp("Write a tape for `pushpit replay`.", valueName: "file"))
  var tape: String?

  @OptionGroup(visibility: .hidden) var report: ReportFiles

  @Option(
    help: ArgumentHelp(
      "Continue where a tape of this server ends, and append to the tape.", valueName: "file", visibility: .hidden))
  var resume: String?

  @Option(
    name: .customLong("ready-file"),
    help: ArgumentHelp(
      "Also write the ready line to this file, atomically; it is removed when the server ends.", valueName: "file",
      visibility: .hidden))
  var readyFile: String?

  @Flag(name: .customLong("help-all"), help: "Show all flags and an example of a settings file.")
  var isHelpWanted = false

  /// The text after the flags in `--help-all`.
  private static let manual = """
    When the server is ready, it writes one line of JSON to standard output (ports,
    certificate authority, keys, fleet); all other messages go to standard error.
    After SIGTERM, SIGINT or SIGHUP it finishes open requests and exits with 0.

    --app, --profile, --key and --set may be repeated. An app is
    BUNDLE[:sandbox|production|mixed[:AttributesType,…[:TEAM]]]. --profile adds an app
    with its reports to the backend; `pushpit profile` lists the profiles. PUSHPIT_SET
    contains several settings, separated by semicolons.

    A tape records everything that happens. It contains provider tokens, so only you
    can read it. --resume plays the tape of a server that was killed, and goes on with
    its phones as they were; the settings and the state folder must be the same.

    A setting may be in a YAML file, in the environment or on the command line;
    later ones override earlier ones. `pushpit settings` lists all settings, and how
    we know each default. In the file:

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

  /// The longest time by which a slow reader of standard error may delay the ready line and the exit.
  private static let patience: Duration = .seconds(1)

  func run() throws {
    let log = LineWriter(STDERR_FILENO)
    defer { log.settle(within: Self.patience) }
    let settings = try options.gathered()
    let outputs = try report.claimed()
    // Before anything is opened or written for a server that cannot start.
    if let readyFile { try ReadyFile.checkFree(readyFile) }
    let server = try ServerLoop(settings, tape: tape, resume: resume, reports: report.isWanted) { log.say($0) }
    let file = try readyFile.map { path throws(StartFailure) in try ReadyFile(path, server.ready) }
    let announcement = Announcement(server.ready, in: StateFolder.of(settings))
    defer {
      announcement?.remove()
      file?.remove()
    }
    log.say(StartupMessage(server).text)
    if settings.backend != nil, !settings.apps.contains(where: { $0.reports != nil }) {
      log.say(
        "Nothing calls the backend: no app has a profile with reports. Name one, such as --profile sightscreen"
          + " (docs/profiles.md).")
    }
    log.settle(within: Self.patience)
    server.watchSignals()
    Terminal.announce(server.ready.text)
    server.run()
    guard report.isWanted else { return }
    let numbers = ReportFile(server.report(command: "pushpit serve"))
    try outputs.write(numbers)
    log.say(numbers.summary)
  }
}

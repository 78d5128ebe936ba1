import ArgumentParser
import Commands
import Grammar

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit load`
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Send many pushes, and report what the limit was.",
    discussion: """
      For load tests without a backend. Sends to this machine only, unless --allow-host names another one, and never \
      to Apple. Ctrl-C ends the run and prints the results so far.

        pushpit load                                  10 seconds, as fast as possible
        pushpit load --rate 5000 --for 1m
        pushpit load --count 1000000 --devices 1000000
        pushpit load --push-type liveactivity --payload update.json

      A payload may have the placeholders {{number}} and {{timestamp}}.

      Exit codes: 0 every push was answered, 1 some were not, or the run was aborted, 2 invalid usage, 4 no server, \
      130 interrupted.
      """)

  @Option(help: ArgumentHelp("Pushes a second. Default: as fast as possible.", valueName: "n"))
  var rate: Double?
  @Option(help: ArgumentHelp("End after this many pushes.", valueName: "n"))
  var count: UInt64?
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this time. Default without --count: 10s.", valueName: "time"))
  var duration: String?
  @Option(help: ArgumentHelp("Connections.", valueName: "n"))
  var connections = 4
  @Option(help: ArgumentHelp("Streams of each connection, each for a push that waits for its answer.", valueName: "n"))
  var streams = 100
  @Option(help: ArgumentHelp("Threads, each with a part of the connections.", valueName: "n"))
  var threads = 1
  @Option(help: ArgumentHelp("alert, background or liveactivity.", valueName: "word"))
  var pushType = "alert"
  @Option(help: "10, 5 or 1. Default: only if the push type needs one.")
  var priority: String?
  @Option(
    help: ArgumentHelp(
      "The body: a file, - for standard input, or the JSON itself. With event start, it goes to push-to-start tokens.",
      valueName: "file|-|json"))
  var payload: String?
  @Option(help: ArgumentHelp("Bundle id of the app. Default: the first.", valueName: "bundle"))
  var app: String?
  @Option(help: "Topic. Default: that of the tokens.")
  var topic: String?
  @Option(
    help: ArgumentHelp("Number of device tokens. Default: one for each push, at most 10000.", valueName: "n"))
  var devices: Int?
  @Option(
    help: ArgumentHelp("Device tokens, one per line, instead of those of the admin API.", valueName: "file|-"))
  var tokens: String?
  @Flag(help: "Send no apns-id; the server makes one.")
  var noIds = false
  @Option(name: .customLong("key-id"), help: "The key to sign with. Default: the first one here.")
  var keyID: String?
  @Flag(help: "Send to production instead of the sandbox.")
  var production = false
  @Option(
    help: ArgumentHelp(
      "URL of the gateway. Default: that of the server.",
      valueName: "url"))
  var server: String?
  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp("Another machine whose Pushpit may be loaded; may be repeated.", valueName: "host"))
  var allowedHosts: [String] = []
  @Flag(help: "Print the result as JSON.")
  var json = false
  @OptionGroup var running: AdminOptions

  func run() throws {
    var order = LoadOrder()
    (order.rate, order.count, order.duration) = (rate, count, try duration.map(LoadOrder.duration))
    (order.connections, order.streams, order.threads) = (connections, streams, threads)
    (order.pushType, order.priority, order.payload) = (pushType, priority, try body())
    (order.app, order.topic, order.tokens, order.devices) = (app, topic, tokens, devices)
    (order.keyID, order.isProduction, order.hasIDs) = (keyID, production, !noIds)
    order.allowedHosts = allowedHosts
    try LoadHost.admit(server, allowed: allowedHosts)
    try LoadHost.admit(running.admin, allowed: allowedHosts)
    try order.check()
    let address = try running.address()
    try LoadHost.admit(address.admin, allowed: allowedHosts)
    let run = try LoadRun(order, RunningServer(address, gateway: server, production: production))
    let isTerminal = isatty(STDERR_FILENO) == 1
    let report = try run.play(
      say: { Terminal.say($0) }, progress: { if isTerminal { Terminal.replaceLine($0) } else { Terminal.say($0) } })
    if isTerminal { Terminal.replaceLine("") }
    Terminal.announce(json ? report.json : report.text)
    if report.isInterrupted { throw ExitCode(.interrupted) }
    if !report.isComplete { throw ExitCode(.no) }
  }

  private func body() throws -> [UInt8]? {
    guard let payload else { return nil }
    if payload.first == "{" { return Array(payload.utf8) }
    guard let text = InputFile.read(payload) else {
      throw CommandFailure(
        "\(payload) cannot be read: --payload needs a file, - for standard input, or the JSON itself.", .invalid)
    }
    return text
  }
}

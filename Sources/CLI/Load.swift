import ArgumentParser
import ClientCommands
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
        pushpit load --rate 100..5000 --for 1m        a ramp
        pushpit load --count 1000000 --devices 1000000
        pushpit load --rate 500 --fail-if 'p99>50ms' --fail-if 'rejected>1%'
        pushpit load --kind live-activity --devices 1000
        pushpit load --kind broadcast --rate 2

      A payload may have the placeholders {{number}} and {{timestamp}}. `pushpit report A.json B.json` compares the \
      JSON of two runs.

      Exit codes: 0 every push was answered and every threshold held, 1 some were not or one did not, or the run was \
      aborted, 2 invalid usage, 4 no server, 130 interrupted.
      """)

  @Option(
    help: ArgumentHelp(
      "notification, background, live-activity (starts activities if none runs) or broadcast (to a channel).",
      valueName: "word"))
  var kind = LoadKind.notification.rawValue
  @Option(
    help: ArgumentHelp(
      "Pushes a second, or a ramp over the run. Default: as fast as possible; broadcasts 10.", valueName: "n|n..n"))
  var rate: String?
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
  @Option(
    name: .customLong("fail-if"),
    help: ArgumentHelp(
      "Exit with 1 if p50, p90, p99, p99.9, max, rejected, unanswered or rate is beyond a limit; may be repeated.",
      valueName: "condition"))
  var thresholds: [String] = []
  @Option(help: "10, 5 or 1. Default: only if the kind needs one.")
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
  @Option(
    help: ArgumentHelp(
      "Channel of broadcasts. Default: that with the most subscribers, or a new one.", valueName: "id"))
  var channel: String?
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
    (order.kind, order.rate) = (try LoadOrder.kind(kind), try rate.map(LoadOrder.rate))
    (order.count, order.duration) = (count, try duration.map(LoadOrder.duration))
    order.thresholds = try thresholds.map { try LoadThreshold($0) }
    (order.connections, order.streams, order.threads) = (connections, streams, threads)
    (order.priority, order.payload, order.channel) = (priority, try body(), channel)
    (order.app, order.topic, order.tokens, order.devices) = (app, topic, tokens, devices)
    (order.keyID, order.isProduction, order.hasIDs) = (keyID, production, !noIds)
    order.allowedHosts = allowedHosts
    try LoadHost.admit(gateway: server, allowed: allowedHosts)
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
    for breach in report.breaches { Terminal.say("Failed: \(breach)") }
    if report.isInterrupted { throw ExitCode(.interrupted) }
    if !report.isSound { throw ExitCode(.no) }
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

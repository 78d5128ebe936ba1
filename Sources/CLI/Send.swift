import ArgumentParser
import ClientCommands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit send`
struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Send one push, with a generated provider token.",
    discussion: """
      Prints the answer and the fate of the push. With --live-activity, the payload fits the app's types: a start has \
      an alert, an update differs from what the card shows, and after an end the card stays as long as iOS keeps it.

        pushpit send --to d0
        pushpit send --to d0 --live-activity start
        pushpit send --to d0 --push-type liveactivity --payload start.json
        pushpit send --token 00fc… --payload '{"aps":{"alert":"Hi"}}'
        pushpit send --channel tvI2UK0vEfEAAA6GFnjo2Q== --payload update.json

      Exit codes: 0 the answer is 200, 1 it is another one, 2 invalid usage, 4 no server.
      """)

  @Option(
    name: .customLong("to"), help: ArgumentHelp("Device of the fleet.", valueName: "device"), completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("Device token, instead of --to.", valueName: "hex"))
  var token: String?
  @Option(help: ArgumentHelp("Broadcast channel, instead of --to; see `pushpit channels`.", valueName: "id"))
  var channel: String?
  @Option(help: ArgumentHelp("Bundle id of the app. Default: the device's first.", valueName: "bundle"))
  var app: String?
  @Option(help: "Topic. Default: from the app and the push type.")
  var topic: String?
  @Option(
    help: ArgumentHelp(
      "alert, background, liveactivity, voip, … Default: alert; liveactivity to a channel.", valueName: "word"))
  var pushType: String?
  @Option(help: "10, 5 or 1. Default: only if the push type needs one.")
  var priority: String?
  @Option(help: ArgumentHelp("Seconds since 1970, or 0.", valueName: "seconds"))
  var expiration: String?
  @Option(name: .customLong("collapse-id"), help: "Pushes with the same collapse id replace each other.")
  var collapseID: String?
  @Option(help: ArgumentHelp("apns-id. Default: the server makes one.", valueName: "uuid"))
  var id: String?
  @Option(help: ArgumentHelp("The body: a file, - for standard input, or the JSON itself.", valueName: "file|-|json"))
  var payload: String?
  @Option(
    help: ArgumentHelp(
      "start, update or end: makes the payload of a Live Activity and chooses its token.", valueName: "event"),
    completion: .list(LiveActivityPush.Event.allCases.map(\.rawValue)))
  var liveActivity: String?
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
    help: ArgumentHelp(
      "URLs of the admin APIs of all cells, to send a broadcast to each of them.", valueName: "url,…"))
  var cells: String?
  @OptionGroup var running: AdminOptions

  func validate() throws {
    guard [device, token, channel].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Use either --to DEVICE, --token HEX or --channel ID.")
    }
    if liveActivity != nil {
      guard device != nil, payload == nil, pushType ?? "liveactivity" == "liveactivity" else {
        throw ValidationError(
          "--live-activity needs --to, and cannot be combined with --payload or --push-type: it makes both itself.")
      }
    }
    if channel != nil {
      guard payload != nil else {
        throw ValidationError("--channel needs --payload: a broadcast updates or ends Live Activities.")
      }
      guard topic == nil, collapseID == nil, id == nil else {
        throw ValidationError("--topic, --collapse-id and --id are not valid with --channel.")
      }
    }
    guard !production || server == nil else {
      throw ValidationError("--production and --server cannot be combined: the URL already names a gateway.")
    }
    if cells != nil {
      guard channel != nil, server == nil, running.admin == nil else {
        throw ValidationError(
          "--cells needs --channel, and no --server or --admin: a push belongs to one cell, a broadcast to all.")
      }
    }
  }

  func run() throws {
    try pushType.map(PushTypeWord.check)
    let event = try liveActivity.map(LiveActivityPush.Event.init)
    let targets = try running.servers(cells, gateway: server, production: production)
    var order = try event.map { try activityPush($0, targets) } ?? plain()
    order.push.topic = topic
    order.push.priority = priority
    order.push.expiration = expiration
    order.push.collapseID = collapseID
    order.push.id = id
    order.keyID = keyID
    var isDone = true
    for target in targets {
      let outcome = try order.send(to: target)
      Terminal.announce(
        ([String(outcome.status), outcome.id] + (outcome.body.isEmpty ? [] : [outcome.body])).joined(separator: " "))
      if let story = outcome.story { Terminal.say(story) }
      isDone = isDone && outcome.status == 200
    }
    if !isDone { throw ExitCode(.no) }
  }

  private func plain() throws -> SendRequest {
    var order = SendRequest(
      to: token.map { .token($0) } ?? channel.map { .channel($0) } ?? .device(device ?? ""), payload: try body())
    order.push.app = app
    order.givenType = pushType
    return order
  }

  private func activityPush(_ event: LiveActivityPush.Event, _ targets: [RunningServer]) throws -> SendRequest {
    var push = LiveActivityPush(event, on: device ?? "")
    push.app = app
    push.environment = server == nil ? production ? "production" : "sandbox" : nil
    guard let target = targets.first else { throw CommandFailure("No server was named.") }
    let prepared = try push.prepared(at: target)
    Terminal.say(prepared.sentence)
    return prepared.request
  }

  private func body() throws -> [UInt8] {
    guard let payload else {
      return Array(#"{"aps":{"alert":{"title":"Pushpit","body":"Hello from your own machine"}}}"#.utf8)
    }
    if payload.first == "{" { return Array(payload.utf8) }
    guard let text = InputFile.read(payload) else {
      throw CommandFailure(
        "\(payload) cannot be read: --payload needs a file, - for standard input, or the JSON itself.", .invalid)
    }
    return text
  }
}

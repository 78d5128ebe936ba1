import ArgumentParser
import Commands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit send`
struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send one push, with the provider token made for you.",
    discussion: """
      Prints the answer and what became of the push; exits with 0 when APNs said 200, with 1 otherwise.

        pushpit send --to d0
        pushpit send --to d0 --push-type liveactivity --payload start.json
        pushpit send --token 00fc… --payload '{"aps":{"alert":"Hi"}}'
      """)

  @Option(name: .customLong("to"), help: ArgumentHelp("Device of the fleet.", valueName: "device"))
  var device: String?
  @Option(help: ArgumentHelp("Device token, if not --to.", valueName: "hex"))
  var token: String?
  @Option(help: ArgumentHelp("Bundle id of the app; the device's first if left out.", valueName: "bundle"))
  var app: String?
  @Option(help: "Topic, if it is not to follow from the app and the push type.")
  var topic: String?
  @Option(help: ArgumentHelp("alert, background, liveactivity, voip, …", valueName: "word"))
  var pushType = "alert"
  @Option(help: "10, 5 or 1; left out unless the push type needs one.")
  var priority: String?
  @Option(help: ArgumentHelp("Seconds since 1970, or 0.", valueName: "seconds"))
  var expiration: String?
  @Option(name: .customLong("collapse-id"), help: "Pushes of one collapse id replace each other.")
  var collapseID: String?
  @Option(help: ArgumentHelp("apns-id; the server makes one if left out.", valueName: "uuid"))
  var id: String?
  @Option(help: ArgumentHelp("The body: a file, - for standard input, or JSON as it stands.", valueName: "file|-|json"))
  var payload: String?
  @Option(name: .customLong("key-id"), help: "The key to sign with; the first one here if left out.")
  var keyID: String?
  @Flag(help: "Send to production instead of the sandbox.")
  var production = false
  @Option(
    help: ArgumentHelp(
      "The gateway; else PUSHPIT_PORT, what --admin says, or the server running from the state folder.",
      valueName: "url"))
  var server: String?
  @Option(
    help: ArgumentHelp(
      "The admin API; else PUSHPIT_ADMIN_PORT, or the server running from the state folder.", valueName: "url"))
  var admin: String?
  @OptionGroup var state: Keys.StateOptions

  func validate() throws {
    guard (device == nil) != (token == nil) else {
      throw ValidationError("Say where to: either --to DEVICE or --token HEX.")
    }
    guard !production || server == nil else {
      throw ValidationError("Say either --production or --server: a URL names one gateway already.")
    }
  }

  func run() throws {
    let target = RunningServer(try state.folder(), gateway: server, production: production, admin: admin)
    var order = SendRequest(to: token.map { .token($0) } ?? .device(device ?? ""), payload: try body())
    order.app = app
    order.topic = topic
    order.pushType = pushType
    order.priority = priority
    order.expiration = expiration
    order.collapseID = collapseID
    order.id = id
    order.keyID = keyID
    let outcome = try order.send(to: target)
    print(([String(outcome.status), outcome.id] + (outcome.body.isEmpty ? [] : [outcome.body])).joined(separator: " "))
    if let story = outcome.story { Terminal.say(story) }
    if outcome.status != 200 { throw ExitCode(1) }
  }

  private func body() throws -> [UInt8] {
    guard let payload else {
      return Array(#"{"aps":{"alert":{"title":"Pushpit","body":"Hello from your own machine"}}}"#.utf8)
    }
    if payload.first == "{" { return Array(payload.utf8) }
    guard let text = InputFile.read(payload) else {
      throw Failed("\(payload) cannot be read: --payload takes a file, - for standard input, or JSON as it stands.")
    }
    return text
  }
}

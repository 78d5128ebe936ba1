import ArgumentParser
import ClientCommands

/// `pushpit tail`
struct Tail: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tail", abstract: "Follow pushes, phones and apps as things happen.",
    discussion: """
      Prints a line for each event, at most 20 a second, and then only how many more there were. Reconnects when the \
      server goes away, and continues where it stopped.

        pushpit tail
        pushpit tail --device d0 --types push,fate
        pushpit tail --json | jq .sentence

      Exit codes: 0 --count lines were printed, 1 a filter names something that is not there, 2 invalid usage, 4 no \
      server, 130 interrupted.
      """)

  @Option(
    help: ArgumentHelp(
      "push, fate, answer, broadcast, call, phone, or names of events on phones such as activityStarted.",
      valueName: "list"))
  var types: String?
  @Option(help: ArgumentHelp("Only events of this device.", valueName: "device"), completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("Only events of this app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("Only events of this open session.", valueName: "name"))
  var session: String?
  @Option(help: ArgumentHelp("Only pushes with this fate, such as \"Stored - Device Offline\".", valueName: "words"))
  var fate: String?
  @Option(help: ArgumentHelp("Begin after the event with this number; 0 for all events that are kept.", valueName: "n"))
  var after: Int?
  @Option(help: ArgumentHelp("End after this many lines.", valueName: "n"))
  var count: Int?
  @Flag(help: "Print JSON, one event per line.")
  var json = false
  @OptionGroup var server: AdminOptions

  func validate() throws {
    guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count must be 1 or more.") }
    guard after.map({ $0 >= 0 }) ?? true else { throw ValidationError("--after must be 0 or more.") }
  }

  func run() throws {
    var tail = EventTail()
    tail.asJSON = json
    tail.most = count
    let given = [
      ("types", types), ("device", device), ("app", app), ("session", session), ("fate", fate),
      ("after", after.map { String($0) }),
    ]
    tail.query = given.compactMap { name, value in value.map { (name: name, value: $0) } }
    try tail.follow(try server.api(), write: { Terminal.announce($0) }, say: { Terminal.say($0) })
  }
}

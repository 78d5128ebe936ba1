import ArgumentParser
import ClientCommands

/// `pushpit tail`
struct Tail: FilteringCommand {
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

  static let list = "events"

  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @Option(help: ArgumentHelp("End after this many lines.", valueName: "n"))
  var count: Int?
  @Flag(help: "Print JSON, one event per line.")
  var json = false
  @OptionGroup var server: AdminOptions

  func validate() throws {
    guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count must be 1 or more.") }
  }

  func run() throws {
    var tail = EventTail()
    tail.asJSON = json
    tail.most = count
    tail.query = filters.given.map { (name: $0.key, value: $0.value) }
    try tail.follow(try server.api(), write: { Terminal.announce($0) }, say: { Terminal.say($0) })
  }
}

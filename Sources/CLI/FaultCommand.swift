import ArgumentParser
import ClientCommands
import Pushpit

/// `pushpit fault`
struct FaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fault",
    abstract: "Make something go wrong: set, list and delete faults.",
    subcommands: [Set.self, List.self, Delete.self], defaultSubcommand: List.self)

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a fault, from a JSON file, as JSON, or by flags.",
      discussion: """
        docs/faults.md describes the JSON, which can express more than the flags. A fault replaces one of the same name.

          pushpit fault set --answer TooManyRequests --retry-after 5 --odds 30%
          pushpit fault set --delay 2s --push-type liveactivity --for 10m
          pushpit fault set '{"name": "bye", "then": {"goAway": "NO_ERROR"}}'
          pushpit fault set fault.json
        """)

    @Argument(help: ArgumentHelp("A JSON file, - for standard input, or the JSON itself.", valueName: "file|-|json"))
    var order: String?
    @OptionGroup var flags: FaultFlags
    @OptionGroup var answer: AnswerOptions

    func validate() throws {
      guard (order == nil) != flags.order.isEmpty else {
        throw ValidationError("Use either a file or JSON, or flags such as --answer TooManyRequests.")
      }
      guard order != nil || !flags.order.then.isEmpty else {
        throw ValidationError(
          "Choose what goes wrong: --answer, --delay, --lose, --lose-answer, --silence or --reset, or use JSON.")
      }
    }

    func run() throws {
      var request = AdminAPI.Order("v1", "faults")
      request.method = "POST"
      request.body = try body()
      let file = order.flatMap { isJSON($0) ? nil : $0 }
      do {
        try answer.show(request) { FaultLines($0.value, columns: Terminal.columns).lines }
      } catch let failure as CommandFailure {
        throw file.map { CommandFailure("\($0): \(failure)", failure.exit) } ?? failure
      }
    }

    private func isJSON(_ text: String) -> Bool { text.first == "{" }

    private func body() throws -> [UInt8] {
      guard let order else { return flags.order.body }
      guard !isJSON(order) else { return Array(order.utf8) }
      guard let bytes = InputFile.read(order) else {
        throw CommandFailure(
          "\(order) cannot be read: a fault is a JSON file, - for standard input, or JSON such as {…}.", .invalid)
      }
      guard !bytes.isEmpty else {
        throw CommandFailure("\(order) is empty; docs/faults.md describes the JSON of a fault.", .invalid)
      }
      return bytes
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the faults that are set.")

    @Option(help: ArgumentHelp("Only faults of this session.", valueName: "name"))
    var session: String?
    @OptionGroup var answer: AnswerOptions

    func run() throws {
      var order = AdminAPI.Order("v1", "faults")
      order.query = [("limit", "1000")] + (session.map { [("session", $0)] } ?? [])
      try answer.show(order) { list in
        let lines = FaultLines(list.value, columns: Terminal.columns)
        if lines.isEmpty { Terminal.say("No fault is set.") }
        return lines.isEmpty ? [] : lines.lines
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete",
      abstract: "Delete a fault, or all of them; their effects on phones and listeners are reverted.")

    @Argument(help: "Name of the fault.", completion: .faults)
    var name: String?
    @Flag(name: .customLong("all"), help: "Delete all faults.")
    var isAll = false
    @Option(help: ArgumentHelp("Only faults of this session.", valueName: "name"))
    var session: String?
    @OptionGroup var answer: AnswerOptions

    func validate() throws {
      guard (name == nil) == isAll else { throw ValidationError("Use either the name of a fault or --all.") }
      guard name != "" else { throw ValidationError("The name of a fault must not be empty.") }
    }

    func run() throws {
      let order = name.map { FaultOrder.removal(of: $0, session: session) } ?? FaultOrder.removal(session: session)
      try answer.show(order) { ["deleted: \(FaultLines.deleted($0.value))"] }
    }
  }
}

/// A fault in flags.
struct FaultFlags: ParsableArguments {
  @Option(help: "Name of the fault. Default: from what it does.")
  var name: String?
  @Option(
    name: .customLong("answer"),
    help: ArgumentHelp("Reject with this reason, such as TooManyRequests.", valueName: "reason"))
  var reason: String?
  @Option(help: ArgumentHelp("Retry-After of that answer.", valueName: "seconds"))
  var retryAfter: String?
  @Option(help: ArgumentHelp("Answer late.", valueName: "duration"))
  var delay: String?
  @Flag(help: "Answer 200, and lose the push.")
  var lose = false
  @Flag(help: "Deliver the push, and lose the answer.")
  var loseAnswer = false
  @Flag(help: "Neither deliver nor answer.")
  var silence = false
  @Option(help: ArgumentHelp("Reset the stream with this code, such as REFUSED_STREAM.", valueName: "code"))
  var reset: String?
  @Option(help: ArgumentHelp("Share of the pushes, such as 30% or 0.3.", valueName: "share"))
  var odds: String?
  @Option(help: ArgumentHelp("Maximum number of strikes.", valueName: "n"))
  var limit: String?
  @Option(help: ArgumentHelp("Begins after this duration.", valueName: "duration"))
  var from: String?
  @Option(name: .customLong("for"), help: ArgumentHelp("Ends after this duration.", valueName: "duration"))
  var length: String?
  @Option(help: ArgumentHelp("Pushes to this device.", valueName: "device"), completion: .devices)
  var device: String?
  @Option(help: ArgumentHelp("Pushes to this app.", valueName: "bundle"))
  var app: String?
  @Option(help: ArgumentHelp("Pushes of this type.", valueName: "word"))
  var pushType: String?
  @Option(help: ArgumentHelp("Live Activity pushes: start, update or end.", valueName: "word"))
  var event: String?
  @Option(help: ArgumentHelp("sandbox or production.", valueName: "name"))
  var environment: String?
  @Option(help: ArgumentHelp("A share of the devices, such as 10%.", valueName: "share"))
  var share: String?
  @Option(help: ArgumentHelp("Pushes and phones of this session.", valueName: "name"))
  var session: String?

  var order: FaultOrder {
    func given(_ pairs: [(String, String?)]) -> [(key: String, value: String)] {
      pairs.compactMap { key, value in value.map { (key: key, value: $0) } }
    }
    func flag(_ isGiven: Bool) -> String? { isGiven ? "true" : nil }
    var order = FaultOrder()
    order.name = name
    order.then = given([
      ("answer", reason), ("retryAfter", retryAfter), ("delay", delay), ("lose", flag(lose)),
      ("loseAnswer", flag(loseAnswer)), ("silence", flag(silence)), ("reset", reset),
    ])
    order.when = given([
      ("device", device), ("app", app), ("pushType", pushType), ("event", event), ("environment", environment),
      ("share", share),
    ])
    order.others = given([("odds", odds), ("limit", limit), ("from", from), ("for", length), ("session", session)])
    return order
  }
}

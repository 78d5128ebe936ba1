import ArgumentParser
import ClientCommands
import Pushpit

/// `pushpit fault`
struct FaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fault",
    abstract: "Make something go wrong: set, list and delete faults.",
    subcommands: [Set.self, List.self, Delete.self], defaultSubcommand: List.self)

  struct Set: ParsableCommand, FlagSource {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a fault, from a JSON file, as JSON, or by flags.",
      discussion: """
        docs/faults.md describes the JSON, which can express more than the flags. A fault replaces one of the same \
        name. Without --name, it is named after what it does.

          pushpit fault set --answer TooManyRequests --retry-after 5 --odds 30%
          pushpit fault set --delay 2s --push-type liveactivity --for 10m
          pushpit fault set '{"name": "bye", "then": {"goAway": "NO_ERROR"}}'
          pushpit fault set fault.json
        """)

    static let flags = FaultOrder.flags.map { DerivedFlag($0) }

    @Argument(help: ArgumentHelp("A JSON file, - for standard input, or the JSON itself.", valueName: "file|-|json"))
    var order: String?
    @OptionGroup var fault: DerivedFlags<Self>
    @OptionGroup var answer: AnswerOptions

    func validate() throws {
      guard (order == nil) != fault.given.isEmpty else {
        throw ValidationError("Use either a file or JSON, or flags such as --answer TooManyRequests.")
      }
      guard order != nil || FaultOrder(fault.given).isComplete else {
        let flags = FaultOrder.consequences.map { "--\($0.name)" }.joined(separator: ", ")
        throw ValidationError("Choose what goes wrong: \(flags), or use JSON.")
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
      guard let order else { return FaultOrder(fault.given).body }
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

import ArgumentParser
import ClientCommands

/// The running server that is meant.
struct AdminOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "URL of the server's admin API [PUSHPIT_ADMIN]. Default: the server of the state folder.", valueName: "url"))
  var admin: String?
  @OptionGroup var state: Keys.StateOptions

  func address() throws -> ServerAddress {
    let address = try ServerAddress(admin: admin, state: state.state)
    if let note = address.note { Terminal.say("Note: \(note)") }
    return address
  }

  func api() throws -> AdminAPI { AdminAPI(try address()) }

  func server(gateway: String?, production: Bool = false) throws -> RunningServer {
    try GatewayURL.check(gateway)
    return RunningServer(try address(), gateway: gateway, production: production)
  }

  /// All cells, if they are named, or the one server.
  func servers(_ cells: String?, gateway: String? = nil, production: Bool) throws -> [RunningServer] {
    guard let cells else { return [try server(gateway: gateway, production: production)] }
    do {
      let check = try CellCheck(cells.split(separator: ",").map(String.init))
      return try RunningServer.all(of: check, try state.folder(), production: production)
    } catch let problem as CellProblem {
      throw CommandFailure(problem.description)
    }
  }
}

/// The running server of commands that show an answer of the admin API.
struct AnswerOptions: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print the answer of the admin API as it is.")
  var isJSON = false
  @OptionGroup var server: AdminOptions

  /// Sends an order, and prints its answer: as it is, or as lines.
  func show(_ order: AdminAPI.Order, _ lines: (AdminAPI.Answer) -> [String]) throws {
    let answer = try server.api().perform(order)
    guard !isJSON else { return print(answer) }
    for line in lines(answer) { Terminal.announce(line) }
  }

  func print(_ answer: AdminAPI.Answer) {
    Terminal.announce(answer.body.hasSuffix("\n") ? String(answer.body.dropLast()) : answer.body)
  }
}

extension CompletionKind {
  /// Devices of the running server.
  static var devices: CompletionKind {
    .custom { words, _, text in Completions(words: words).devices(beginningWith: text) }
  }

  /// Faults of the running server.
  static var faults: CompletionKind {
    .custom { words, _, text in Completions(words: words).faults(beginningWith: text) }
  }
}

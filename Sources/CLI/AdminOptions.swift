import ArgumentParser
import Commands

/// Where the running server is.
struct AdminOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "URL of the admin API. Default: PUSHPIT_ADMIN_PORT, or the server of the state folder.", valueName: "url"))
  var admin: String?
  @OptionGroup var state: Keys.StateOptions

  func api() throws -> AdminAPI { AdminAPI(try state.folder(), url: admin) }

  func server(gateway: String?, production: Bool = false) throws -> RunningServer {
    RunningServer(try state.folder(), gateway: gateway, production: production, admin: admin)
  }

  /// All cells, if they are named, or the one server.
  func servers(_ cells: String?, gateway: String? = nil, production: Bool) throws -> [RunningServer] {
    guard let cells else { return [try server(gateway: gateway, production: production)] }
    do {
      let check = try CellCheck(cells.split(separator: ",").map(String.init), try state.folder())
      return RunningServer.all(of: check, try state.folder(), production: production)
    } catch let problem as CellProblem {
      throw Failed(problem.description)
    }
  }
}

/// The same for commands that show what the admin API answers.
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

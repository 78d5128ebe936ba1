import ArgumentParser
import ClientCommands

/// A page of a list of the admin API.
struct PageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Number of rows, 1 to 1000.", valueName: "n"))
  var limit = 20
  @Option(help: ArgumentHelp("Continue a list from the cursor at its end.", valueName: "cursor"))
  var cursor: String?
  @OptionGroup var answer: AnswerOptions

  /// Requests the page, and prints it: as it is, or as lines.
  ///
  /// - Parameters:
  ///   - path: of the list, such as `devices`.
  ///   - filters: parameters of the query; those without a value are left out.
  ///   - nothing: the sentence for an empty list.
  func show(
    _ path: String, filters: [(name: String, value: String?)], nothing: String,
    _ lines: (AdminAPI.Answer, Int?) -> [String]
  ) throws {
    try answer.show(order(path, filters)) { page in
      let shown = lines(page, Terminal.columns)
      if shown.isEmpty { Terminal.say(nothing) }
      if let next = page.next {
        Terminal.say("There are more: add --cursor \(next), or raise --limit.")
      }
      return shown
    }
  }

  func order(_ path: String, _ filters: [(name: String, value: String?)]) -> AdminAPI.Order {
    var order = AdminAPI.Order("v1", path)
    order.query =
      filters.compactMap { name, value in value.map { (name: name, value: $0) } } + [("limit", String(limit))]
      + (cursor.map { [("cursor", $0)] } ?? [])
    return order
  }
}

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
  ///   - list: the name of the list, such as `devices`.
  ///   - filters: parameters of the query.
  ///   - flags: the flags that set them.
  ///   - nothing: the sentence for an empty list.
  func show(
    _ list: String, filters: [(key: String, value: String)], of flags: [DerivedFlag], nothing: String,
    _ lines: (AdminAPI.Answer, Int?) -> [String]
  ) throws {
    try answer.show(order(list, filters: filters, of: flags)) { page in
      let shown = lines(page, Terminal.columns)
      if shown.isEmpty { Terminal.say(nothing) }
      if let next = page.next {
        Terminal.say("There are more: add --cursor \(next), or raise --limit.")
      }
      return shown
    }
  }

  func order(_ list: String, filters: [(key: String, value: String)], of flags: [DerivedFlag]) -> AdminAPI.Order {
    var order = AdminAPI.Order("v1", list)
    order.flags = ["limit": "limit", "cursor": "cursor"]
    for flag in flags { order.flags[flag.key] = flag.name }
    order.query =
      filters.map { (name: $0.key, value: $0.value) } + [("limit", String(limit))]
      + (cursor.map { [("cursor", $0)] } ?? [])
    return order
  }
}

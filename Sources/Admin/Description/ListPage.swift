import Grammar
import WireFormats

/// A page of a list: its rows, and the cursor of the next page.
struct ListPage: Sendable {
  private let list: String
  let schema: Schema

  /// - Parameter others: members of the page besides these two.
  init(_ list: String, of row: Schema, with others: [Schema.Member] = []) {
    self.list = list
    schema = .object([.init(list, .list(of: row))] + others + [.init("next", .next)])
  }

  func answer(_ meaning: String) -> Answer { .json(meaning, schema) }

  func json(_ rows: [JSONValue], with others: [JSONValue.Member] = [], next: String?) -> JSONValue {
    .object([.init(list, .array(rows))] + others + [.init("next", JSONValue(next))])
  }

  /// - Parameter next: the number from which the next page continues; nil on the last page.
  func json(_ rows: [JSONValue], with others: [JSONValue.Member] = [], next: (some BinaryInteger)?) -> JSONValue {
    json(rows, with: others, next: next.map { String($0) })
  }
}

import Grammar
import Orders
import Simulation
import WireFormats

/// The query parameters that several routes have.
enum Parameters {
  /// Number of rows on a page.
  private static let limits = 1...1000
  static let usualLimit = 100

  static let limit = Parameter<Int>(
    "limit",
    .integer.with([
      "minimum": JSONValue(limits.lowerBound), "maximum": JSONValue(limits.upperBound),
      "default": JSONValue(usualLimit),
    ])
  ) { (fields, name) throws(InputProblem) in try fields.whole(name, limits) }

  static let session = Parameter("session", as: .text)
  static let page = cursor(parts: 1)

  /// The position in a list: numbers separated by dots.
  static func cursor(parts: Int) -> Parameter<[Int]> {
    let number = "[0-9]{1,\(Digits.most)}"
    let pattern = "^" + Array(repeating: number, count: parts).joined(separator: #"\."#) + "$"
    return Parameter("cursor", .string.with(["pattern": .string(pattern)])) { (fields, name) throws(InputProblem) in
      guard let text = try fields.text(name) else { return nil }
      let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Digits.read(String($0)) }
      let read = numbers.compactMap(\.self)
      guard numbers.count == parts, read.count == parts else { throw unknownCursor }
      return read
    }
  }

  static let unknownCursor = InputProblem("cursor must be the value of `next` on the previous page.", field: "cursor")

  /// The parameters of a list that has pages.
  static func paging(_ cursor: Parameter<[Int]>) -> [RouteParameter] {
    [limit("Maximum number of rows on the page."), cursor("The `next` of the previous page.")]
  }

  /// Keys of filters as a query spells them.
  fileprivate static let filters: [String: Schema] = {
    var all = FilterReader.types.mapValues { Schema($0) }
    all["event"] = .string
    all["os"] = .versionText
    all["token"] = .string.with(["minLength": 1])
    all["sent"] = .string.with(["pattern": .string("^([1-5][0-9]{2}|\(SentAnswer.names.joined(separator: "|")))$")])
    return all
  }()
}

extension RouteParameter {
  /// A key of filters, which `Query.filter` reads.
  static func filter(
    _ name: String, _ meaning: String, example: JSONValue? = nil, opposite: String? = nil
  ) -> RouteParameter {
    RouteParameter(
      name, in: .query, Parameters.filters[name] ?? .any, meaning: meaning, example: example, opposite: opposite)
  }

  static func session(_ meaning: String) -> RouteParameter { Parameters.session(meaning) }

  static let device = path("id", .deviceID, meaning: "The id of a device.", example: "d3")
  static let push = path("apnsId", .apnsID, meaning: "The `apns-id` or `apns-unique-id` of the answer, ignoring case.")
}

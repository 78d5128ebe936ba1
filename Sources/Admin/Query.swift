import Grammar
import Timeline

/// The query parameters, each read as a type; invalid ones are answered 400.
struct Query {
  static let empty = Query()

  private let items: [(name: String, value: String)]

  /// Number of rows on a page.
  static let limits = 1...1000
  private static let usualLimit = 100

  private init() { items = [] }

  init(_ target: RequestTarget, allowed: [String]) throws(AdminProblem) {
    for item in target.query where !allowed.contains(item.name) {
      let known = allowed.isEmpty ? "\(target.path) has no parameters" : "\(target.path) has \(Wording.list(allowed))"
      throw AdminProblem(
        400,
        "There is no parameter \(Wording.quoted(item.name)): \(known)"
          + Wording.suggestion(for: item.name, among: allowed),
        field: item.name)
    }
    for name in allowed where target.query.count(where: { $0.name == name }) > 1 {
      throw AdminProblem(400, "The parameter \(name) must not be repeated.", field: name)
    }
    items = target.query
  }

  func text(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// The value with the name given by the parameter.
  func choice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value? {
    guard let text = text(name) else { return nil }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map(\.name)
    throw problem(name, "one of \(Wording.list(names, "or"))", Wording.suggestion(for: text, among: names))
  }

  func number(_ name: String, _ range: ClosedRange<Int>) throws(AdminProblem) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Digits.read(text), range.contains(number) else {
      throw problem(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func duration(_ name: String) throws(AdminProblem) -> Duration? {
    guard let text = text(name) else { return nil }
    guard let duration = DurationText.parse(text) else { throw problem(name, "a duration such as 90s or 24h") }
    return duration
  }

  func limit() throws(AdminProblem) -> Int { try number("limit", Self.limits) ?? Self.usualLimit }

  /// The position in a list: numbers separated by dots.
  func cursor(parts: Int = 1) throws(AdminProblem) -> [Int]? {
    guard let text = text("cursor") else { return nil }
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Digits.read(String($0)) }
    let read = numbers.compactMap(\.self)
    guard numbers.count == parts, read.count == parts else {
      throw problem("cursor", "the value of `next` on the previous page")
    }
    return read
  }

  /// The problem with a parameter's value; `ending` is a full stop, or a suggestion that ends the sentence.
  func problem(_ name: String, _ wanted: String, _ ending: String = ".") -> AdminProblem {
    AdminProblem(
      400, "The parameter \(name) must be \(wanted), not \(Wording.quoted(text(name) ?? ""))\(ending)", field: name)
  }
}

/// Whole numbers of digits only; `Int` would accept a sign too.
enum Digits {
  /// Maximum number of digits: such numbers fit 64 bits and leave room for arithmetic.
  private static let most = 12

  static func read(_ text: some StringProtocol) -> Int? {
    guard (1...most).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}

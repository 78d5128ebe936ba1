import Grammar
import Timeline

/// The parameters of a query, each read into its type; what is wrong is answered 400.
struct Query {
  static let empty = Query()

  private let items: [(name: String, value: String)]

  /// Rows of a list's page.
  static let limits = 1...1000
  private static let usualLimit = 100

  private init() { items = [] }

  init(_ target: RequestTarget, allowed: [String]) throws(AdminProblem) {
    for item in target.query where !allowed.contains(item.name) {
      let known = allowed.isEmpty ? "\(target.path) has none" : "\(target.path) has \(Wording.list(allowed))"
      throw AdminProblem(
        400,
        "There is no parameter \(Wording.quoted(item.name)): \(known)"
          + Wording.suggestion(for: item.name, among: allowed),
        field: item.name)
    }
    for name in allowed where target.query.count(where: { $0.name == name }) > 1 {
      throw AdminProblem(400, "The parameter \(name) may be given once.", field: name)
    }
    items = target.query
  }

  func text(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// The value whose name the parameter gives.
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

  /// Where a list goes on: numbers with dots between.
  func cursor(parts: Int = 1) throws(AdminProblem) -> [Int]? {
    guard let text = text("cursor") else { return nil }
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Digits.read(String($0)) }
    let read = numbers.compactMap(\.self)
    guard numbers.count == parts, read.count == parts else {
      throw problem("cursor", "what `next` of the page before said, as it was")
    }
    return read
  }

  /// What is wrong with a parameter's value; `ending` is a full stop, or a suggestion that ends the sentence.
  func problem(_ name: String, _ wanted: String, _ ending: String = ".") -> AdminProblem {
    AdminProblem(
      400, "The parameter \(name) is \(wanted), not \(Wording.quoted(text(name) ?? ""))\(ending)", field: name)
  }
}

/// Whole numbers as people write them: digits and nothing else. `Int` would take a sign too.
enum Digits {
  /// Most digits: any such number fits 64 bits and has room to be reckoned with.
  private static let most = 12

  static func read(_ text: some StringProtocol) -> Int? {
    guard (1...most).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}

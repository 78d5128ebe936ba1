import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// The query parameters, read like all other input; invalid ones are answered 400.
struct Query {
  static let empty = Query()

  /// Nil for a request without a query.
  private let fields: Fields?

  /// Number of rows on a page.
  static let limits = 1...1000
  private static let usualLimit = 100

  private init() { fields = nil }

  init(_ target: RequestTarget, allowed: [String]) throws(AdminProblem) {
    for item in target.query where !allowed.contains(item.name) {
      let known = allowed.isEmpty ? "\(target.path) has no parameters" : "\(target.path) has \(Wording.list(allowed))"
      throw AdminProblem(
        query: InputProblem(
          "There is no parameter \(Wording.quoted(item.name)): \(known)"
            + Wording.suggestion(for: item.name, among: allowed),
          field: item.name, code: .unknownKey))
    }
    for name in allowed where target.query.count(where: { $0.name == name }) > 1 {
      throw AdminProblem(
        query: InputProblem("The parameter \(name) must not be repeated.", field: name, code: .contradiction))
    }
    let entries = target.query.map { SourceNode.Entry($0.name, at: $0.name, .plain($0.value, at: $0.name)) }
    fields = try Self.wrapping { () throws(InputProblem) in
      try Fields(.object(entries, at: ""), "the query", known: allowed)
    }
  }

  /// Reads parameters into their types.
  func read<Value>(_ body: (Fields) throws(InputProblem) -> Value?) throws(AdminProblem) -> Value? {
    guard let fields else { return nil }
    return try Self.wrapping { () throws(InputProblem) in try body(fields) }
  }

  private static func wrapping<Value>(_ body: () throws(InputProblem) -> Value) throws(AdminProblem) -> Value {
    do throws(InputProblem) {
      return try body()
    } catch {
      throw AdminProblem(query: error)
    }
  }

  /// The names in the list that occur in the query, in the order of the list.
  func given(of names: [String]) -> [String] { fields?.those(of: names) ?? [] }

  func text(_ name: String) throws(AdminProblem) -> String? {
    try read { (fields) throws(InputProblem) in try fields.text(name) }
  }

  func truth(_ name: String) throws(AdminProblem) -> Bool? {
    try read { (fields) throws(InputProblem) in try fields.truth(name) }
  }

  /// The value with the name given by the parameter.
  func choice<Value>(_ name: String, _ choices: [(name: String, value: Value)]) throws(AdminProblem) -> Value? {
    try read { (fields) throws(InputProblem) in try fields.choice(name, choices) }
  }

  /// The filter of a list. Any event name is valid.
  func filter() throws(AdminProblem) -> Filter {
    try read { (fields) throws(InputProblem) in
      var filter = Filter()
      try FilterReader.read(fields, into: &filter)
      filter.event = try fields.text("event")
      return filter
    } ?? Filter()
  }

  func duration(_ name: String) throws(AdminProblem) -> Duration? {
    try read { (fields) throws(InputProblem) in try fields.duration(name) }
  }

  func limit() throws(AdminProblem) -> Int {
    try read { (fields) throws(InputProblem) in try fields.whole("limit", Self.limits) } ?? Self.usualLimit
  }

  /// The position in a list: numbers separated by dots.
  func cursor(parts: Int = 1) throws(AdminProblem) -> [Int]? {
    guard let text = try text("cursor") else { return nil }
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Digits.read(String($0)) }
    let read = numbers.compactMap(\.self)
    guard numbers.count == parts, read.count == parts else { throw Self.unknownCursor }
    return read
  }

  static let unknownCursor = AdminProblem(
    query: InputProblem("cursor must be the value of `next` on the previous page.", field: "cursor"))
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

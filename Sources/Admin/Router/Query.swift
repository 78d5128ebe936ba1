import Grammar
import Orders
import Simulation
import WireFormats

/// The query parameters of a request, read like all other input; invalid ones are answered 400.
struct Query {
  static let empty = Query()

  /// Nil for a request without a query.
  private let fields: Fields?

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

  private static func wrapping<Value>(_ body: () throws(InputProblem) -> Value) throws(AdminProblem) -> Value {
    do throws(InputProblem) {
      return try body()
    } catch {
      throw AdminProblem(query: error)
    }
  }

  /// The value of a parameter; nil if it is not given.
  func value<Value>(_ parameter: Parameter<Value>) throws(AdminProblem) -> Value? {
    guard let fields else { return nil }
    return try Self.wrapping { () throws(InputProblem) in try parameter.read(fields) }
  }

  /// The names in the list that occur in the query, in the order of the list.
  func given(of names: [String]) -> [String] { fields?.those(of: names) ?? [] }

  /// The filter of a list. Any event name is valid.
  func filter() throws(AdminProblem) -> Filter {
    guard let fields else { return Filter() }
    return try Self.wrapping { () throws(InputProblem) in
      var filter = Filter()
      try FilterReader.read(fields, into: &filter)
      filter.event = try fields.text("event")
      return filter
    }
  }

  func limit() throws(AdminProblem) -> Int { try value(Parameters.limit) ?? Parameters.usualLimit }

  /// The position in a list whose rows are numbered.
  func cursor() throws(AdminProblem) -> Int? { try value(Parameters.page)?[0] }

  static let unknownCursor = AdminProblem(query: Parameters.unknownCursor)
}

/// Whole numbers of digits only; `Int` would accept a sign too.
enum Digits {
  /// Maximum number of digits: such numbers fit 64 bits and leave room for arithmetic.
  static let most = 12

  static func read(_ text: some StringProtocol) -> Int? {
    guard (1...most).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}

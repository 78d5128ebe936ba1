import Grammar
import Orders
import Simulation
import WireFormats

/// A member of expectations.
typealias ExpectationMember = (name: String, type: ValueType)

/// A kind of expectation. One file has everything about it: the key of its subject, its types with their sentences for
/// documents, and its reader.
protocol ExpectationKind: Sendable {
  static var subject: String { get }
  /// A title in the imperative, such as `Count connections`.
  static var title: String { get }
  /// A sentence about the subject, for documents.
  static var meaning: String { get }
  /// The type of what stands at the subject, such as a filter.
  static var type: ValueType { get }
  /// The claims about the subject. One of them is needed if there are any.
  static var claims: [ExpectationMember] { get }
  /// Further members.
  static var details: [ExpectationMember] { get }
  /// The members that it needs besides its subject.
  static var needed: [String] { get }
  /// The words for a subject that is evaluated at a time, so that `within` has no meaning; nil for other kinds.
  static var momentary: String? { get }

  /// The question, and a description for an expectation without a name.
  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String)
}

extension ExpectationKind {
  static var details: [ExpectationMember] { [] }
  static var momentary: String? { nil }
  static var needed: [String] { claims.count == 1 ? claims.map(\.name) : [] }

  /// - Parameter common: the members of every expectation.
  static func schema(with common: [ExpectationMember]) -> Schema {
    let common = common.filter { momentary == nil || $0.name != "within" }
    let members = [(subject, type)] + claims + details + common
    return Schema(.members(members, needed: [subject] + needed)).with(["title": .string(title)]).meaning(meaning)
  }
}

/// Every kind of expectation, in the order in which they are listed.
enum ExpectationKinds {
  static let all: [any ExpectationKind.Type] = [
    PushExpectation.self, ScreenExpectation.self, EventExpectation.self, CallExpectation.self,
    FindingExpectation.self, ConnectionExpectation.self, DelayExpectation.self, ConvergedExpectation.self,
    BroadcastExpectation.self, ArrivalExpectation.self,
  ]
}

/// A kind of expectation that selects pushes, calls or broadcasts with a filter, and claims something of them.
protocol FilteredExpectationKind: ExpectationKind {
  /// The type of a filter, for the subject and for claims.
  static var filter: ValueType { get }

  /// Rejects an expectation that can never be evaluated.
  static func check(_ fields: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem)
  /// - Parameter key: the subject or a claim.
  static func filter(_ fields: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) -> Filter
  static func question(_ filter: Filter, _ claim: Claim) -> Question
}

extension FilteredExpectationKind {
  static var type: ValueType { .orNull(filter) }

  static var claims: [ExpectationMember] {
    [
      ("count", .howMany),
      ("all", filter.meaning("What all of them have; there must be at least one.")),
      ("none", .either([.isTrue, filter]).meaning("What none of them has, or true: there must not be any.")),
      (
        "sometimes",
        ValueType.either([.isTrue, filter]).meaning(
          "What at least one of them had at some time, whatever its later fate, or true: there must be one.")
      ),
    ]
  }

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    try check(fields, subject, by: reader)
    let filter = try filter(fields, subject, by: reader)
    let which = subject + fields.summary(subject)
    let key = try claim(fields)
    if key == "count" {
      let (count, words) = try fields.howMany(which)
      return (question(filter, .count(count)), words)
    }
    if key != "all", try fields.isTrue(key) {
      return key == "none"
        ? (question(filter, .count(0...0)), "no \(which)")
        : (question(filter, .sometimes(Filter())), "sometimes \(which)")
    }
    let condition = try self.filter(fields, key, by: reader)
    guard !condition.isEmpty else {
      throw fields.problem(key, "\(key) must say what these \(subject) have, such as {status: 200}.")
    }
    let said = fields.summary(key)
    switch key {
    case "all": return (question(filter, .all(condition)), "all \(which): \(said)")
    case "none": return (question(filter, .none(condition)), "none of the \(which): \(said)")
    default: return (question(filter, .sometimes(condition)), "sometimes \(which): \(said)")
    }
  }
}

// MARK: - Reading

extension ExpectationKind {
  /// Reads which claim is made. There must be exactly one.
  static func claim(_ fields: Fields) throws(InputProblem) -> String {
    for other in ExpectationKinds.all {
      for key in fields.those(of: other.details.map(\.name)) where !ExpectationReader.claims.contains(key) {
        throw InputProblem(fields.placeOfKey(key), "\(key) is valid only with \(other.subject).")
      }
    }
    let beside = details.map(\.name)
    let found = fields.those(of: ExpectationReader.claims.filter { !beside.contains($0) })
    guard let claim = found.first, found.count == 1, claims.contains(where: { $0.name == claim }) else {
      let made = found.isEmpty ? "no claim" : Wording.list(found)
      throw fields.problem(
        nil, "this expectation has \(made); it needs one of \(Wording.list(claims.map(\.name), "or")).")
    }
    return claim
  }
}

extension ValueType {
  /// The type of the member `count`.
  static let howMany = ValueType.count.meaning("How many there are: a whole number, or a range such as 10..20 or 10..")
}

extension Fields {
  /// The object at a subject or a claim; nil if there are no conditions.
  func inner(_ key: String, of type: ValueType) throws(InputProblem) -> Fields? {
    guard let node = self[key], !node.isNull else { return nil }
    return try Fields(node, key, known: type.keys)
  }

  /// The claim `count`, with a description.
  func howMany(_ which: String) throws(InputProblem) -> (range: ClosedRange<Int>, words: String) {
    (try count("count") ?? 0...0, "\(try spelling("count") ?? "") \(which)")
  }

  func isTrue(_ key: String) throws(InputProblem) -> Bool {
    guard let node = self[key], node.isScalar else { return false }
    guard try spelling(key) == "true" else { throw problem(key, "\(key) must be true, or what to look for.") }
    return true
  }

  /// A summary of a subject or a claim as written, for the name of an expectation without one.
  func summary(_ key: String) -> String {
    guard let node = self[key], let members = node.json.members else { return "" }
    let words = members.map { "\($0.key) \($0.value.string ?? $0.value.text)" }.joined(separator: ", ")
    return ExpectationReader.subjects.contains(key) && !words.isEmpty ? " (\(words))" : words
  }
}

import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// The time on a device from each thing that matches `from` to the next that matches `to`.
enum DelayExpectation: ExpectationKind {
  static let subject = "delay"
  static let title = "Measure delays"
  static let meaning = "The time on a device from each thing that matches `from` to the next that matches `to`."
  static let type = ValueType.members(
    [
      ("from", mark.meaning("Where a delay begins.")), ("to", mark.meaning("Where it ends.")),
    ], needed: ["from", "to"])
  static let claims: [ExpectationMember] = [
    ("all", .durations.meaning("What every delay is, such as 0s..10s, or 1m.. for a minute or longer.")),
    ("sometimes", .durations.meaning("What at least one delay is, such as 0s..10s, or 1m.. for a minute or longer.")),
  ]
  static let details: [ExpectationMember] = [("count", .howMany)]
  static let momentary: String? = "a delay"
  private static let marks: [any DelayMark.Type] = [PushExpectation.self, CallExpectation.self, EventExpectation.self]
  private static let mark = ValueType.members(
    marks.map { ($0.subject, $0.type.meaning($0.meaning)) }, oneOf: marks.map { $0.subject }
  ).named("DelayMark", "A push, a call of an app or an event of a phone.")

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    guard let node = fields[subject] else { throw fields.problem(nil, "delay needs from and to.") }
    let ends = try Fields(node, subject, known: type.keys)
    let from = try mark(ends, "from", by: reader)
    let to = try mark(ends, "to", by: reader)
    let claim = try claim(fields)
    let count = try fields.count("count")
    guard let text = try fields.spelling(claim), text.contains(".."),
      let range = Values.durations(text, longest: .longestDelay)
    else {
      throw fields.problem(
        claim, "\(claim) must be a range of durations, such as 0s..10s or 1m.. for a minute or longer.")
    }
    let question = DelayQuestion(
      from: from.mark, to: to.mark, range: range, isSometimes: claim == "sometimes", count: count)
    let counted = try fields.spelling("count").map { ", count \($0)" } ?? ""
    return (.delay(question), "\(claim) \(range.words) from \(from.words) to \(to.words)\(counted)")
  }

  private static func mark(
    _ fields: Fields, _ key: String, by reader: ExpectationReader
  ) throws(InputProblem) -> (mark: DelayQuestion.Mark, words: String) {
    let names = mark.keys
    guard let node = fields[key] else {
      throw fields.problem(nil, "delay needs \(key): one of \(Wording.list(names, "or")).")
    }
    let inner = try Fields(node, key, known: names)
    let kinds = marks.filter { inner.has($0.subject) }
    guard let kind = kinds.first, kinds.count == 1 else {
      throw fields.problem(key, "\(key) must be one of \(Wording.list(names, "or")).")
    }
    let words = kind.subject + inner.summary(kind.subject)
    return (try kind.mark(inner, by: reader), words)
  }
}

/// A kind of expectation whose subject can begin or end a delay.
protocol DelayMark: ExpectationKind {
  static func mark(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> DelayQuestion.Mark
}

extension PushExpectation: DelayMark {
  static func mark(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> DelayQuestion.Mark {
    try check(fields, subject, by: reader)
    return .pushes(try filter(fields, subject, by: reader))
  }
}

extension CallExpectation: DelayMark {
  static func mark(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> DelayQuestion.Mark {
    try check(fields, subject, by: reader)
    return .reports(try filter(fields, subject, by: reader))
  }
}

extension EventExpectation: DelayMark {
  static func mark(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> DelayQuestion.Mark {
    .events(try filter(fields, by: reader))
  }
}

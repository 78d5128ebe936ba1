import Grammar
import Orders
import Simulation

/// Connections that providers opened.
enum ConnectionExpectation: ExpectationKind {
  static let subject = "connections"
  static let title = "Count connections"
  static let meaning = "Connections that were opened from the beginning: to one environment, or all."
  static let type = ValueType.orNull(content)
  static let claims: [ExpectationMember] = [("count", .howMany)]
  private static let content = ValueType.members(FilterReader.members(["environment"]))

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    if fields.has("of") {
      throw fields.problem("of", "connections are counted from the beginning; leave of out, or use at.")
    }
    var filter = Filter()
    if let inner = try fields.inner(subject, of: content) { try FilterReader.read(inner, into: &filter) }
    _ = try claim(fields)
    let (count, words) = try fields.howMany(subject + fields.summary(subject))
    return (.connections(filter, count), words)
  }
}

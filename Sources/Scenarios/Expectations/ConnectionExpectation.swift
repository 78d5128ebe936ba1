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
    if let node = fields[subject], !node.isNull {
      try FilterReader.read(try Fields(node, subject, known: content.keys), into: &filter)
    }
    _ = try claim(fields)
    let which = subject + fields.summary(subject)
    return (
      .connections(filter, try fields.count("count") ?? 0...0), "\(try fields.spelling("count") ?? "") \(which)"
    )
  }
}

import Grammar
import Orders
import Simulation

/// Phones and backends agree: cards and tokens are what the backend believes.
enum ConvergedExpectation: ExpectationKind {
  static let subject = "converged"
  static let title = "Compare phones with what their backends believe"
  static let meaning =
    "Every card of the devices shows the last accepted push, and every token is the last reported one."
  static let type = ValueType.orNull(.selection)
  static let claims: [ExpectationMember] = []
  static let momentary: String? = "what has converged"

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    guard reader.isPushing else {
      throw fields.problem(subject, "this can never be evaluated: nothing in this scenario sends pushes.")
    }
    for key in fields.those(of: ExpectationReader.claims + ScreenExpectation.details.map(\.name)) {
      throw InputProblem(
        fields.placeOfKey(key), "converged always applies to all selected devices; leave \(key) out.")
    }
    var selection = Selection()
    var app: Int?
    if let inner = try fields.inner(subject, of: SelectionReader.type) {
      selection = try reader.scenarioNames.selection(inner, SelectionReader.members)
      app = try reader.scenarioNames.app(inner)
    }
    return (.converged(selection, app: app), "phones and backends have converged\(fields.summary(subject))")
  }
}

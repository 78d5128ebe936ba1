import Grammar
import Simulation

/// Findings of the auditor.
enum FindingExpectation: ExpectationKind {
  static let subject = "findings"
  static let title = "Count findings of the auditor"
  static let meaning = "Findings of the auditor: of one kind, or all."
  static let type = ValueType.orNull(content)
  static let claims: [ExpectationMember] = [("count", .howMany), ("none", .isTrue)]
  private static let content = ValueType.members([("kind", form.type.named("FindingKind"))])
  private static let form = FieldForm<AuditFinding.Kind>.word()

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    var kind: AuditFinding.Kind?
    if let node = fields[subject], !node.isNull {
      let inner = try Fields(node, subject, known: content.keys)
      kind = try form.read(inner, "kind")
    }
    let which = subject + fields.summary(subject)
    guard try claim(fields) == "none" else {
      return (.findings(kind, try fields.count("count") ?? 0...0), "\(try fields.spelling("count") ?? "") \(which)")
    }
    guard try fields.isTrue("none") else { throw fields.problem("none", "none must be true for findings.") }
    return (.findings(kind, 0...0), "no \(which)")
  }
}

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
    if let inner = try fields.inner(subject, of: content) { kind = try form.read(inner, "kind") }
    let which = subject + fields.summary(subject)
    guard try claim(fields) == "none" else {
      let (count, words) = try fields.howMany(which)
      return (.findings(kind, count), words)
    }
    guard try fields.isTrue("none") else { throw fields.problem("none", "none must be true for findings.") }
    return (.findings(kind, 0...0), "no \(which)")
  }
}

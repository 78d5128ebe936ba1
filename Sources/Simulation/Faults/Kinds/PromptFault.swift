import Devices
import Grammar
import Timeline
import WireFormats

/// People who answer the Allow question differently from the settings, while the fault is in force.
package struct PromptFault: FaultKind {
  package static let shape = Shape<Self>(
    members: [.needed("prompts", at: \.self, as: .prompts, "How people answer the Allow question meanwhile.")])

  /// Nil for the answer in the settings.
  package var answer: PromptPolicy.Answer?
  package var after: Duration?

  package init() {}

  package init(answer: PromptPolicy.Answer? = nil, after: Duration? = nil) {
    self.answer = answer
    self.after = after
  }

  package var consequence: Fault.Consequence { .prompts(self) }

  func applied(to policy: PromptPolicy) -> PromptPolicy {
    var changed = policy
    if let answer { changed.answer = answer }
    if let after { changed.after = after }
    return changed
  }
}

extension FieldForm<PromptFault> {
  fileprivate static var prompts: FieldForm {
    let shape = Shape<PromptFault>(members: [
      .maybe("answer", at: \.answer, as: .word()), .maybe("after", at: \.after, as: .duration),
    ])
    return FieldForm(shape.type) { (fields, name) throws(InputProblem) in
      guard let node = fields[name] else { return nil }
      var fault = PromptFault()
      try shape.read(Fields(node, name, known: shape.keys), into: &fault)
      guard fault.answer != nil || fault.after != nil else {
        throw fields.problem(name, "prompts must have answer (allow, deny or ignore), after (such as 10m), or both.")
      }
      return fault
    } write: {
      shape.json($0)
    }
  }
}

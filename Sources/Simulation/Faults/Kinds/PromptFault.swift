import Devices
import Grammar
import Timeline

/// People who answer the Allow question differently from the settings, while the fault is in force.
package struct PromptFault: FaultKind {
  package static let word = "prompts"
  package static let type = ValueType.members([
    ("answer", .words(PromptPolicy.Answer.allCases.map(\.rawValue))), ("after", .duration),
  ])

  /// Nil for the answer in the settings.
  package var answer: PromptPolicy.Answer?
  package var after: Duration?

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

extension PromptFault {
  package init(_ fields: Fields) throws(InputProblem) {
    guard let node = fields[Self.word] else {
      self.init()
      return
    }
    let shape = try Fields(node, Self.word, known: ["answer", "after"])
    let answer = try shape.choice("answer", PromptPolicy.Answer.allCases.map { ($0.rawValue, $0) })
    let after = try shape.duration("after")
    guard answer != nil || after != nil else {
      throw fields.problem(
        Self.word, "prompts must have answer (allow, deny or ignore), after (such as 10m), or both.")
    }
    self.init(answer: answer, after: after)
  }

  package func put(into object: inout ObjectWriter) {
    var prompts = ObjectWriter()
    prompts.put("answer", answer?.rawValue)
    prompts.put("after", after)
    object.put(Self.word, prompts.json)
  }
}

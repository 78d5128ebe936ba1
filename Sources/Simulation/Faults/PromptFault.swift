import Devices

/// People who answer the question under a card otherwise than the settings say.
package struct PromptFault: Hashable, Sendable {
  /// Nil as the settings have it.
  package var answer: PromptHabits.Answer?
  package var after: Duration?

  package init(answer: PromptHabits.Answer? = nil, after: Duration? = nil) {
    self.answer = answer
    self.after = after
  }

  func applied(to habits: PromptHabits) -> PromptHabits {
    var changed = habits
    if let answer { changed.answer = answer }
    if let after { changed.after = after }
    return changed
  }
}

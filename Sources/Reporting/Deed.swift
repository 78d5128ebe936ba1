import WireFormats

/// What an app is about to do because of an answer, all values filled in.
package enum Deed: Hashable, Sendable {
  case startActivity(type: Int, attributes: JSONValue?, content: JSONValue?, followed: String?)
  case endActivity(attribute: String, value: String)

  /// Nil where the condition does not hold.
  init?(_ step: Step, _ scope: Scope, followed: String?) throws(MissingValue) {
    if let condition = step.condition, !(scope.value(of: condition)?.isTrue ?? false) { return nil }
    switch step.action {
    case .startActivity(let type, let attributes, let content):
      var filled: (JSONValue?, JSONValue?) = (nil, nil)
      if let attributes { filled.0 = try attributes.render(scope) }
      if let content { filled.1 = try content.render(scope) }
      self = .startActivity(type: type, attributes: filled.0, content: filled.1, followed: followed)
    case .endActivity(let attribute, let value):
      self = .endActivity(attribute: attribute, value: try value.render(scope))
    }
  }
}

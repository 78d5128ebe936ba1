import WireFormats

/// The actions of an app after one of its requests was answered.
package struct FollowUpStep: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// `Activity.request`.
    case startActivity(type: Int, attributes: JSONTemplate?, content: JSONTemplate?)
    /// `Activity.update` for activities whose attribute has that value.
    case updateActivity(attribute: String, value: Template, content: JSONTemplate)
    /// `Activity.end` for activities whose attribute has that value.
    case endActivity(attribute: String, value: Template)
  }

  package let action: Action
  /// The action is performed only if this value exists and is neither false nor 0.
  package let condition: TemplateReference?

  package init(_ action: Action, when condition: TemplateReference? = nil) {
    self.action = action
    self.condition = condition
  }

  var references: [TemplateReference] {
    let own: [TemplateReference] =
      switch action {
      case .startActivity(_, let attributes, let content): (attributes?.references ?? []) + (content?.references ?? [])
      case .updateActivity(_, let value, let content): value.references + content.references
      case .endActivity(_, let value): value.references
      }
    return own + (condition.map { [$0] } ?? [])
  }
}

extension JSONValue {
  /// True if the value satisfies a condition.
  var isTrue: Bool {
    switch self {
    case .null, .bool(false), .integer(0): false
    default: true
    }
  }
}

/// An action of an app after an answer, with all values filled in.
package enum AppAction: Hashable, Sendable {
  case startActivity(type: Int, attributes: JSONValue?, content: JSONValue?, followed: String?)
  case updateActivity(attribute: String, value: String, content: JSONValue)
  case endActivity(attribute: String, value: String)

  /// Nil if the condition is not satisfied.
  init?(_ step: FollowUpStep, _ scope: TemplateScope, followed: String?) throws(MissingValue) {
    if let condition = step.condition, !(scope.value(of: condition)?.isTrue ?? false) { return nil }
    switch step.action {
    case .startActivity(let type, let attributes, let content):
      var filled: (JSONValue?, JSONValue?) = (nil, nil)
      if let attributes { filled.0 = try attributes.render(scope) }
      if let content { filled.1 = try content.render(scope) }
      self = .startActivity(type: type, attributes: filled.0, content: filled.1, followed: followed)
    case .updateActivity(let attribute, let value, let content):
      self = .updateActivity(
        attribute: attribute, value: try value.render(scope), content: try content.render(scope))
    case .endActivity(let attribute, let value):
      self = .endActivity(attribute: attribute, value: try value.render(scope))
    }
  }
}

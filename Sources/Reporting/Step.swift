import WireFormats

/// What an app does once a request of its has been answered.
package struct Step: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// `Activity.request`.
    case startActivity(type: Int, attributes: JSONTemplate?, content: JSONTemplate?)
    /// `Activity.end` for those whose attribute has that value.
    case endActivity(attribute: String, value: Template)
  }

  package let action: Action
  /// Only if this is there, and neither false nor 0.
  package let condition: Reference?

  package init(_ action: Action, when condition: Reference? = nil) {
    self.action = action
    self.condition = condition
  }

  var references: [Reference] {
    let own: [Reference] =
      switch action {
      case .startActivity(_, let attributes, let content): (attributes?.references ?? []) + (content?.references ?? [])
      case .endActivity(_, let value): value.references
      }
    return own + (condition.map { [$0] } ?? [])
  }
}

extension JSONValue {
  /// Whether a condition that names it holds.
  var isTrue: Bool {
    switch self {
    case .null, .bool(false), .integer(0): false
    default: true
    }
  }
}

import APNs
import Devices
import Grammar

/// Identifies one token of an app: by its kind and, if needed, by attributes type or activity.
package struct TokenChoice {
  let kind: TokenKind
  let attributesType: String?
  let activity: String?

  package static let kinds = TokenKind.allCases.map { (name: $0.name, value: $0) }

  init(_ fields: Fields) throws(InputProblem) {
    kind = try fields.neededChoice("kind", Self.kinds)
    attributesType = try fields.text("attributesType")
    activity = try fields.text("activity")
    if attributesType != nil, kind != .pushToStart {
      throw fields.problem(
        "attributesType", "Only a pushToStart token has an attributesType; this order is about a \(kind.name) token.")
    }
    if activity != nil, kind != .update {
      throw fields.problem(
        "activity", "Only an update token belongs to an activity; this order is about a \(kind.name) token.")
    }
  }
}

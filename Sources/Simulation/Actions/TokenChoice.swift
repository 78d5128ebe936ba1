import APNs
import Devices
import Grammar

/// Identifies one token of an app: by its kind and, if needed, by attributes type or activity.
package struct TokenChoice {
  package let kind: TokenKind
  package let attributesType: String?
  package let activity: String?

  package static let kinds = TokenKind.allCases.map { (name: $0.name, value: $0) }

  package init(_ fields: Fields) throws(InputProblem) {
    kind = try fields.neededChoice("kind", Self.kinds)
    attributesType = try fields.text("attributesType")
    activity = try fields.text("activity")
    try Self.check(
      attributesType: attributesType, activity: activity, for: kind, in: fields, what: "this order is about")
  }

  /// Rejects the choice of an attributes type or an activity for a token that has none.
  ///
  /// - Parameter what: the relation of the order to the token, for the error sentence.
  package static func check(
    attributesType: String?, activity: String?, for kind: TokenKind, in fields: Fields, what: String
  ) throws(InputProblem) {
    if attributesType != nil, kind != .pushToStart {
      throw fields.problem(
        "attributesType", "Only a pushToStart token has an attributesType; \(what) \(kind.withArticle) token.")
    }
    if activity != nil, kind != .update {
      throw fields.problem(
        "activity", "Only an update token belongs to an activity; \(what) \(kind.withArticle) token.")
    }
  }
}

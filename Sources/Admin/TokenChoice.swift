import APNs
import Devices

/// Which token of an app is meant: its kind, and what tells several of a kind apart.
struct TokenChoice {
  let kind: TokenKind
  let attributesType: String?
  let activity: String?

  static let kinds = TokenKind.allCases.map { (name: $0.name, value: $0) }

  init(_ form: Form) throws(AdminProblem) {
    kind = try form.neededChoice("kind", Self.kinds)
    attributesType = try form.text("attributesType")
    activity = try form.text("activity")
    if attributesType != nil, kind != .pushToStart {
      throw AdminProblem(
        422, "Only a pushToStart token has an attributesType; this order is about a \(kind.name) token.",
        field: "attributesType")
    }
    if activity != nil, kind != .update {
      throw AdminProblem(
        422, "Only an update token belongs to an activity; this order is about a \(kind.name) token.",
        field: "activity")
    }
  }
}

/// The evidence for the behavior that a default imitates.
package struct SettingEvidence: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    /// Apple documents it.
    case documented = "Documented"
    /// Developers observed it on the wire or on a phone.
    case observed = "Observed"
    /// Unknown; this is our choice.
    case assumed = "Assumed"
    /// Sources contradict each other.
    case disputed = "Disputed"
  }

  package let kind: Kind
  package let source: String

  package var text: String { "\(kind.rawValue): \(source)" }

  static func documented(_ source: String) -> SettingEvidence { SettingEvidence(kind: .documented, source: source) }
  static func observed(_ source: String) -> SettingEvidence { SettingEvidence(kind: .observed, source: source) }
  static func assumed(_ source: String) -> SettingEvidence { SettingEvidence(kind: .assumed, source: source) }
  static func disputed(_ source: String) -> SettingEvidence { SettingEvidence(kind: .disputed, source: source) }
}

/// A question about Apple's behavior that no source answers, or that sources answer differently. Where possible, a
/// setting decides.
package struct OpenQuestion: Sendable {
  package let text: String
  /// Keys of the settings that decide.
  package let keys: [String]
  /// The behavior if no setting decides, or beyond the settings; may be empty.
  package let remark: String
  /// The evidence for the behavior; nil if the evidence of the question's first setting applies.
  private let ownGrounds: SettingEvidence?

  init(_ text: String, _ keys: String..., remark: String = "", grounds: SettingEvidence? = nil) {
    self.text = text
    self.keys = keys
    self.remark = remark
    ownGrounds = grounds
  }

  package var grounds: SettingEvidence? { ownGrounds ?? keys.first.flatMap(Setting.named)?.grounds }

  /// All questions that our study of phones left open.
  package static let all: [OpenQuestion] = [
    OpenQuestion(
      "How many priority 10 updates per hour?", "budgets.update.preset", "budgets.update.standardCapacity",
      "budgets.update.frequentCapacity"),
    OpenQuestion(
      "How many starts by push, in which window?", "budgets.start.preset", "budgets.start.capacity",
      "budgets.start.window", "budgets.start.refillOnForeground"),
    OpenQuestion(
      "The token of an ended or dismissed activity: 410 (when?) or 200 forever?", "lives.deadActivityAnswer",
      "lives.deadActivityReason"),
    OpenQuestion("A rotated push-to-start token: 200 for weeks, or 410?", "lives.startTokenGrace"),
    OpenQuestion("An unknown token: 400 or 404?", "rules.unknownTokenStatus"),
    OpenQuestion("Does a new token give the app background runtime?", "lives.newTokenWakesApp"),
    OpenQuestion(
      "A start by push without an alert: shown or dropped?", "lives.startNeedsAlert"),
    OpenQuestion(
      "An update or end sent to a push-to-start token: dropped silently, or DeviceTokenNotForTopic?",
      "rules.startTokenMisuse"),
    OpenQuestion("Does iOS 18 need input-push-token for an update token?", "lives.requiresInputPushToken"),
    OpenQuestion(
      "Does every start by push ask for permission?", "prompt.policy", "prompt.asksAgainAfter"),
    OpenQuestion("Do updates reach the activity of a force-quit app?", "lives.forceQuitCutoff"),
    OpenQuestion(
      "What survives a reboot, an update of the app or of iOS, a restore?", "lives.surviveReboot",
      "lives.surviveAppUpdate", "lives.surviveRestore", "startTokens.rotatesOnReboot",
      "startTokens.rotatesOnAppUpdate", "startTokens.rotatesOnMajorUpdate", "startTokens.rotatesOnRestore",
      "startTokens.afterSystemUpdate"),
    OpenQuestion("Is the card removed when the token expires after eight hours?", "lives.expiredLinger"),
    OpenQuestion("How many activities may one device run?", "lives.activitiesPerDevice"),
    OpenQuestion("Does true set a flag of a notification, such as content-available?", "seen.booleanFlags"),
    OpenQuestion("A background push while Background App Refresh is off: deferred or dropped?", "wakes.whenRestricted"),
    OpenQuestion(
      "How many pushes does APNs store for a token, and for how long?", "store.per", "store.perToken",
      "store.retention"),
    OpenQuestion("Does a new activity get the message that its channel stores?", "store.newSubscribers"),
    OpenQuestion("Two apps in the Dynamic Island: which presentations?", "seen.sharedIsland"),
    OpenQuestion(
      "Do alerts of Live Activities make a sound when notifications are denied, or in a Focus?",
      "seen.alertSoundsWhenDenied",
      "seen.focusQuietsActivities"),
  ]
}

import Devices

/// A moment at which an app may call its backend.
package enum ReportEvent: Hashable, Sendable {
  case launch
  /// A new process started by the person.
  case launchCold
  /// A new process started by the system.
  case launchBackground
  case foreground
  case background
  case deviceToken
  case serviceToken
  case pushToStartToken
  case activityStarted
  case activityStartedLocal
  /// The app has observed an activity that a push started.
  case activityStartedPush
  case activityToken
  case activityTokenRotated
  case activityState(LiveActivity.State?)
  case activityError
  case laEnablement
  case frequentPushes
  case notificationReceived
  case notificationTapped
  /// The person has answered a notification with a text.
  case reply
  case cardTapped
  case silentPushHandled
  case contentApplied
  /// An action of the person in the app, by its name in the profile.
  case action(String)
  /// A button of a card or a notification, by its name in the profile.
  case button(String)

  private static let names: [(ReportEvent, String)] = [
    (.launch, "launch"), (.launchCold, "launch.cold"), (.launchBackground, "launch.background"),
    (.foreground, "foreground"), (.background, "background"), (.deviceToken, "deviceToken"),
    (.serviceToken, "serviceToken"), (.pushToStartToken, "pushToStartToken"), (.activityStarted, "activityStarted"),
    (.activityStartedLocal, "activityStarted.local"), (.activityStartedPush, "activityStarted.push"),
    (.activityToken, "activityToken"), (.activityTokenRotated, "activityToken.rotated"),
    (.activityState(nil), "activityState"), (.activityState(.active), "activityState.active"),
    (.activityState(.stale), "activityState.stale"), (.activityState(.ended), "activityState.ended"),
    (.activityState(.dismissed), "activityState.dismissed"), (.activityError, "activityError"),
    (.laEnablement, "laEnablement"), (.frequentPushes, "frequentPushes"),
    (.notificationReceived, "notificationReceived"), (.notificationTapped, "notificationTapped"),
    (.reply, "reply"), (.cardTapped, "cardTapped"), (.silentPushHandled, "silentPushHandled"),
    (.contentApplied, "contentApplied"),
  ]

  package static let known = names.map(\.1)

  package init(_ name: String) throws(TemplateProblem) {
    if let named = Self.names.first(where: { $0.1 == name }) {
      self = named.0
    } else if name.hasPrefix("action."), name.count > 7 {
      self = .action(String(name.dropFirst(7)))
    } else if name.hasPrefix("button."), name.count > 7 {
      self = .button(String(name.dropFirst(7)))
    } else {
      throw TemplateProblem(
        "there is no event \(name)" + TemplateReference.hint(name, among: Self.known)
          + " An action of a person in the app is action.NAME, a button of a card or a notification button.NAME.")
    }
  }

  package var name: String {
    switch self {
    case .action(let name): return "action." + name
    case .button(let name): return "button." + name
    default: break
    }
    return Self.names.first { $0.0 == self }?.1 ?? "activityState"
  }

  /// The more general event whose requests are used if this one has none.
  var general: ReportEvent? {
    switch self {
    case .launchCold, .launchBackground: .launch
    case .activityStartedLocal, .activityStartedPush: .activityStarted
    case .activityTokenRotated: .activityToken
    case .activityState(.some): .activityState(nil)
    default: nil
    }
  }

  /// Additional values for its templates.
  private var roots: [ReferenceRoot] {
    switch self {
    case .launch, .launchCold, .launchBackground, .foreground, .background, .silentPushHandled: []
    case .deviceToken: [.token]
    case .serviceToken: [.token, .service]
    case .pushToStartToken: [.token, .attributesType]
    case .activityToken, .activityTokenRotated: [.token, .attributesType, .activity, .attributes, .contentState]
    case .activityStarted, .activityStartedLocal, .activityStartedPush, .activityState, .contentApplied:
      [.attributesType, .activity, .attributes, .contentState]
    case .activityError: [.error]
    case .laEnablement, .frequentPushes: [.value]
    case .notificationReceived, .notificationTapped: [.notification]
    case .reply: [.notification, .reply]
    case .cardTapped: [.attributesType, .activity, .attributes, .contentState, .link]
    case .button: [.attributesType, .activity, .attributes, .contentState, .notification]
    case .action: [.arg]
    }
  }

  /// Rejects a placeholder that this event does not have.
  package func check(_ references: [TemplateReference], isAnswered: Bool = false) throws(TemplateProblem) {
    let known = ReferenceRoot.general + roots + (isAnswered ? [.answer, .status] : [])
    for reference in references where !known.contains(reference.root) {
      throw TemplateProblem(
        "{{\(reference)}}: \(name) has no \(reference.root.rawValue)"
          + "; it has \(known.map(\.rawValue).joined(separator: ", ")).")
    }
  }
}

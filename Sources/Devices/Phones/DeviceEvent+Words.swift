import APNs
import Timeline

/// The process that writes a line of a phone's log.
///
/// Documented: Apple tells developers to filter a device's log by the first three.
package enum LogProcess: String, CaseIterable, Hashable, Sendable {
  /// Push connection and delivery.
  case apsd
  /// Live Activities.
  case liveactivitiesd
  /// Drawing of widgets and Live Activities.
  case chronod
  /// Notifications, locking, switches.
  case springboard = "SpringBoard"
  /// The app itself.
  case app
}

extension DeviceEvent {
  /// Name in events and logs.
  package var name: String {
    switch self {
    case .tokenIssued: "tokenIssued"
    case .tokenRegistered: "tokenRegistered"
    case .tokenYielded: "tokenYielded"
    case .tokenDied: "tokenDied"
    case .activityStarted: "activityStarted"
    case .activityScheduled: "activityScheduled"
    case .promptShown: "promptShown"
    case .promptAnswered: "promptAnswered"
    case .activityStale: "activityStale"
    case .activityEnded: "activityEnded"
    case .activityDismissed: "activityDismissed"
    case .cardOpened: "cardOpened"
    case .cardTapped: "cardTapped"
    case .cardButtonPressed: "cardButtonPressed"
    case .activityYielded: "activityYielded"
    case .activityStateYielded: "activityStateYielded"
    case .contentYielded: "contentYielded"
    case .contentForgotten: "contentForgotten"
    case .activityRefused: "activityRefused"
    case .enablementYielded: "enablementYielded"
    case .frequentPushesYielded: "frequentPushesYielded"
    case .appInstalled: "appInstalled"
    case .appUpdated: "appUpdated"
    case .appRemoved: "appRemoved"
    case .appLaunched: "appLaunched"
    case .appForegrounded: "appForegrounded"
    case .appBackgrounded: "appBackgrounded"
    case .appSuspended: "appSuspended"
    case .appTerminated: "appTerminated"
    case .notificationYielded: "notificationYielded"
    case .notificationTapped: "notificationTapped"
    case .notificationButtonPressed: "notificationButtonPressed"
    case .notificationAnswered: "notificationAnswered"
    case .notificationsCleared: "notificationsCleared"
    case .notificationForgotten: "notificationForgotten"
    case .backgroundPushYielded: "backgroundPushYielded"
    case .pushArrivedAgain: "pushArrivedAgain"
    case .permissionChanged: "permissionChanged"
    case .switched: "switched"
    case .wentOffline: "wentOffline"
    case .wentOnline: "wentOnline"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .screenLit: "screenLit"
    case .screenDark: "screenDark"
    case .rebooted: "rebooted"
    case .restored: "restored"
    case .clockSet: "clockSet"
    case .systemUpdated: "systemUpdated"
    }
  }

  package var process: LogProcess {
    switch self {
    case .tokenIssued, .tokenRegistered, .wentOffline, .wentOnline, .pushArrivedAgain: .apsd
    case .tokenDied, .activityStarted, .activityScheduled, .promptShown, .promptAnswered, .activityStale,
      .activityEnded, .activityDismissed, .activityRefused, .contentForgotten:
      .liveactivitiesd
    case .tokenYielded, .activityYielded, .activityStateYielded, .contentYielded, .enablementYielded,
      .frequentPushesYielded, .notificationYielded, .backgroundPushYielded, .appLaunched, .appForegrounded,
      .appBackgrounded, .appSuspended, .appTerminated:
      .app
    case .appInstalled, .appUpdated, .appRemoved, .notificationTapped, .notificationsCleared, .notificationForgotten,
      .permissionChanged, .switched, .locked, .unlocked, .screenLit, .screenDark, .rebooted, .restored, .clockSet,
      .systemUpdated, .cardOpened, .cardTapped, .cardButtonPressed, .notificationButtonPressed, .notificationAnswered:
      .springboard
    }
  }

  /// The activity that the event is about.
  package var activity: UInt32? {
    switch self {
    case .activityStarted(let number, _), .activityScheduled(let number), .promptShown(let number),
      .promptAnswered(let number, _), .activityStale(let number), .activityEnded(let number, _),
      .activityDismissed(let number), .activityYielded(let number), .activityStateYielded(let number, _),
      .contentYielded(let number), .contentForgotten(let number), .cardOpened(let number),
      .cardTapped(let number), .cardButtonPressed(let number, _):
      number
    case .tokenIssued(let slot), .tokenRegistered(let slot), .tokenYielded(let slot), .tokenDied(let slot):
      if case .update(let number) = slot { number } else { nil }
    default: nil
    }
  }

  /// The token that the event is about.
  package var slot: TokenSlot? {
    switch self {
    case .tokenIssued(let slot), .tokenRegistered(let slot), .tokenYielded(let slot), .tokenDied(let slot): slot
    default: nil
    }
  }

  /// The button that the event is about, by its place in `AppProfile.buttons`.
  package var button: UInt16? {
    switch self {
    case .cardButtonPressed(_, let button), .notificationButtonPressed(_, let button): button
    default: nil
    }
  }

  /// Further details: a name and a value for each.
  package var details: [(name: String, value: String)] {
    switch self {
    case .activityStarted(_, let origin): [("startedBy", origin.rawValue)]
    case .activityEnded(_, let cause): [("cause", cause.rawValue)]
    case .activityStateYielded(_, let state): [("state", state.rawValue)]
    case .activityRefused(let error, let isOfChannel):
      [("error", error.rawValue), ("sentence", isOfChannel ? Self.noChannel : error.sentence)]
    case .promptAnswered(_, let allowed): [("answer", allowed ? "allow" : "deny")]
    case .enablementYielded(let on), .frequentPushesYielded(let on): [("enabled", on ? "true" : "false")]
    case .appLaunched(let launch): [("launch", launch.rawValue)]
    case .appTerminated(let life): [("how", life.rawValue)]
    case .permissionChanged(let permission): [("permission", permission.rawValue)]
    case .switched(let what, let on): [("what", what.rawValue), ("on", on ? "true" : "false")]
    case .systemUpdated(let version): [("os", version.text)]
    case .clockSet(let ahead): [("ahead", Self.signed(ahead))]
    case .notificationYielded(let number), .notificationTapped(let number), .notificationForgotten(let number),
      .notificationButtonPressed(let number, _), .notificationAnswered(let number):
      [("notification", "\(number)")]
    case .backgroundPushYielded(let push): [("push", "\(push)")]
    case .pushArrivedAgain(let push, let reaction):
      (push.map { [("push", "\($0)")] } ?? []) + [("reaction", reaction.words)]
    default: []
    }
  }

  /// The event as a log line.
  package var sentence: String {
    switch self {
    case .tokenIssued(let slot): "APNs issued \(slot.kind.withArticle) token"
    case .tokenRegistered(let slot): "\(slot.kind.withArticle) token chosen by the user was registered"
    case .tokenYielded(let slot): "the stream of \(slot.kind.name) tokens yields"
    case .tokenDied(let slot):
      "the app's \(slot.kind.name) token has died, which neither the app nor APNs is told"
    case .activityStarted(_, .push): "a push has started an activity"
    case .activityStarted: "the app has started an activity"
    case .activityScheduled: "the app has scheduled an activity"
    case .promptShown: "the card asks whether to allow Live Activities of this app"
    case .promptAnswered(_, let allowed): allowed ? "the person has tapped Allow" : "the person has tapped Don't Allow"
    case .activityStale: "the stale date has passed"
    case .activityEnded(_, let cause): "the activity has ended (\(cause.rawValue))"
    case .activityDismissed: "the card has left the Lock Screen"
    case .cardOpened: "the person has opened the activity"
    case .cardTapped: "the person has tapped the card"
    case .cardButtonPressed: "the person has pressed a button of the card"
    case .activityYielded: "activityUpdates yields an activity"
    case .activityStateYielded(_, let state): "activityStateUpdates yields .\(state.rawValue)"
    case .contentYielded: "contentUpdates yields"
    case .contentForgotten:
      "the content of an ended activity was dropped: the device is at its limit fleet.memoryPerDevice, or all are at"
        + " fleet.memory"
    case .activityRefused(let error, let isOfChannel):
      "Activity.request throws .\(error.rawValue): \(isOfChannel ? Self.noChannel : error.sentence)"
    case .enablementYielded(let on): "activityEnablementUpdates yields \(on)"
    case .frequentPushesYielded(let on): "frequentPushEnablementUpdates yields \(on)"
    case .appInstalled: "the app was installed"
    case .appUpdated: "the next version of the app was installed"
    case .appRemoved: "the app was deleted"
    case .appLaunched(.byPerson): "the app was launched by its owner"
    case .appLaunched(let launch): "the app was launched in the background (\(launch.rawValue))"
    case .appForegrounded: "the app came to the foreground"
    case .appBackgrounded: "the app went to the background"
    case .appSuspended: "the app was suspended"
    case .appTerminated(let life): "the app's process has ended (\(life.rawValue))"
    case .notificationYielded: "the app in the foreground was asked how to present a notification"
    case .notificationTapped: "the person has tapped a notification"
    case .notificationButtonPressed: "the person has pressed a button of a notification"
    case .notificationAnswered: "the person has answered a notification"
    case .notificationsCleared: "the person has cleared the app's notifications"
    case .notificationForgotten(let number):
      "notification \(number), the oldest, was dropped: the device is at its limit fleet.memoryPerDevice, or all are at"
        + " fleet.memory"
    case .backgroundPushYielded(let push): "the app received background push number \(push)"
    case .pushArrivedAgain(let push, let reaction):
      (push.map { "push number \($0)" } ?? "a broadcast") + " arrived once more: \(reaction.words)"
    case .permissionChanged(let permission): "notifications are now \(permission.rawValue)"
    case .switched(let what, let on): "\(what.rawValue) is now \(on ? "on" : "off")"
    case .wentOffline: "the connection to APNs is lost"
    case .wentOnline: "the connection to APNs is back"
    case .locked: "the phone was locked"
    case .unlocked: "the phone was unlocked"
    case .screenLit: "the screen is on"
    case .screenDark: "the screen is off"
    case .rebooted: "the phone was rebooted"
    case .restored: "a backup was restored: every token has changed"
    case .clockSet(let ahead): "the phone's clock was set, \(Self.signed(ahead)) ahead"
    case .systemUpdated(let version): "iOS \(version.text) was installed"
    }
  }

  private static func signed(_ duration: Duration) -> String {
    duration < .zero ? "-" + DurationText.write(.zero - duration) : DurationText.write(duration)
  }
}

extension DeviceEvent {
  /// All values of `name`.
  package static let names = [
    "tokenIssued", "tokenRegistered", "tokenYielded", "tokenDied", "activityStarted", "activityScheduled",
    "promptShown", "promptAnswered", "activityStale", "activityEnded", "activityDismissed", "cardOpened",
    "cardTapped", "cardButtonPressed", "activityYielded", "activityStateYielded", "contentYielded", "contentForgotten",
    "activityRefused", "enablementYielded",
    "frequentPushesYielded",
    "appInstalled", "appUpdated", "appRemoved", "appLaunched", "appForegrounded", "appBackgrounded", "appSuspended",
    "appTerminated", "notificationYielded", "notificationTapped", "notificationButtonPressed", "notificationAnswered",
    "notificationsCleared", "notificationForgotten", "backgroundPushYielded", "pushArrivedAgain", "permissionChanged",
    "switched", "wentOffline", "wentOnline", "locked", "unlocked",
    "screenLit", "screenDark", "rebooted", "restored", "clockSet", "systemUpdated",
  ]
  private static let noChannel = "the app has no channel with that id"
}

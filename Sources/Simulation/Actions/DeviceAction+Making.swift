import APNs
import Devices
import Timeline
import WireFormats

/// Actions that are made in code.
extension DeviceAction {
  package static func uninstall(app: String?) -> Self { Self(UninstallApp(app: app)) }
  package static func reinstall(app: String?, opens: Bool = true) -> Self { Self(ReinstallApp(app: app, opens: opens)) }
  package static func updateApp(app: String?) -> Self { Self(UpdateApp(app: app)) }
  package static func rotate(
    _ kind: TokenKind, app: String?, attributesType: String?, activity: String?, silently: Bool = false
  ) -> Self {
    Self(RotateToken(app: app, kind: kind, attributesType: attributesType, activity: activity, silently: silently))
  }
  package static func open(app: String?) -> Self { Self(OpenApp(app: app)) }
  package static func leave(app: String?) -> Self { Self(LeaveApp(app: app)) }
  package static func forceQuit(app: String?) -> Self { Self(ForceQuitApp(app: app)) }
  package static func terminate(app: String?) -> Self { Self(TerminateApp(app: app)) }
  package static func crash(app: String?) -> Self { Self(CrashApp(app: app)) }
  package static func use(_ action: String, app: String?, arguments: [JSONValue.Member]) -> Self {
    Self(UseApp(app: app, action: action, arguments: .object(arguments)))
  }
  package static func start(_ start: StartActivity) -> Self { Self(start) }
  package static func startActivity(app: String?, attributesType: String?) -> Self {
    Self(StartActivity(app: app, attributesType: attributesType))
  }
  package static func updateActivity(_ name: String?, app: String?, _ order: ActivityUpdateRequest) -> Self {
    Self(UpdateActivity(app: app, activity: name, order: order))
  }
  package static func endActivity(
    _ name: String?, app: String?, content: JSONValue? = nil, dismissal: Instant? = nil
  ) -> Self {
    Self(EndActivity(app: app, activity: name, content: content, dismissal: dismissal))
  }
  package static func evict(_ name: String?, app: String?) -> Self { Self(EvictActivity(app: app, activity: name)) }
  package static func swipe(_ name: String?, app: String?) -> Self { Self(SwipeCard(app: app, activity: name)) }
  package static func tap(_ name: String?, app: String?) -> Self { Self(TapCard(app: app, activity: name)) }
  package static func pressButton(_ button: String, activity: String? = nil, notification: UInt32? = nil, app: String?)
    -> Self
  {
    Self(PressButton(app: app, activity: activity, number: notification, button: button))
  }
  package static func answerNotification(_ text: String, _ number: UInt32? = nil, app: String?) -> Self {
    Self(ReplyToNotification(app: app, number: number, text: text))
  }
  package static func longPress(_ name: String?, app: String?) -> Self { Self(LongPressCard(app: app, activity: name)) }
  package static func allow(_ name: String?, app: String?) -> Self { Self(AllowActivities(app: app, activity: name)) }
  package static func deny(_ name: String?, app: String?) -> Self { Self(DenyActivities(app: app, activity: name)) }
  package static func tapNotification(_ number: UInt32?, app: String?) -> Self {
    Self(TapNotification(app: app, number: number))
  }
  package static func clearNotifications(app: String?) -> Self { Self(ClearNotifications(app: app)) }
  package static let lock = Self(LockPhone())
  package static let unlock = Self(UnlockPhone())
  package static let lightScreen = Self(LightScreen())
  package static let darkenScreen = Self(DarkenScreen())
  package static let goOffline = Self(GoOffline())
  package static let goOnline = Self(GoOnline())
  package static let reboot = Self(RebootPhone())
  package static let restore = Self(RestorePhone())
  package static func setClock(ahead: Duration) -> Self { Self(SetClock(ahead: ahead)) }
  package static func updateSystem(_ version: OSVersion) -> Self { Self(UpdateSystem(version: version)) }
  package static func flip(_ what: PhoneSwitch, on: Bool, app: String?) -> Self {
    Self(FlipSwitch(app: app, what: what, on: on))
  }
  package static func permit(_ permission: NotificationPermission, app: String?) -> Self {
    Self(AnswerNotifications(app: app, permission: permission))
  }
}

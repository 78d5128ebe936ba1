/// Every kind of action, in the order in which they are listed.
enum ActionKinds {
  static let all: [any ActionKind.Type] = [
    UninstallApp.self, ReinstallApp.self, UpdateApp.self, RotateToken.self, OpenApp.self, LeaveApp.self,
    ForceQuitApp.self, TerminateApp.self, CrashApp.self, UseApp.self, StartActivity.self, UpdateActivity.self,
    EndActivity.self, EvictActivity.self, SwipeCard.self, TapCard.self, PressButton.self, LongPressCard.self,
    AllowActivities.self, DenyActivities.self, TapNotification.self, ReplyToNotification.self, ClearNotifications.self,
    LockPhone.self, UnlockPhone.self, LightScreen.self, DarkenScreen.self, GoOffline.self, GoOnline.self,
    RebootPhone.self, RestorePhone.self,
    SetClock.self, UpdateSystem.self, FlipSwitch.self, AnswerNotifications.self,
  ]
}

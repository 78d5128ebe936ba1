import APNs
import Timeline

extension Install {
  /// What an app has on few phones, or for a short time only.
  struct Details: DefaultInitializable, Hashable, Sendable {
    @OneWordInstant var forceQuitAt: Instant?
    /// When the phone looks next at a background push it holds.
    @OneWordInstant var wakePlanned: Instant?
    /// Background pushes that have come or come again; each draw takes the next.
    var wakeDraws: UInt64 = 0
    /// The push whose work was held last and whose notification has been shown, which was its fate.
    var shownPush: UInt64?
    /// Updates of priority 10 since the last question under a card.
    var urgentUpdates: UInt32 = 0
    var startBudget = StartBudget()
    /// Of all its activities, where that is the plan.
    var updateBudget = UpdateBudget()
    var notifications = NotificationList()
    var wakes = BackgroundWakes()
    var calls = CallReports()
    /// What its streams yield as soon as it has runtime, the oldest first.
    var pending: [Happening] = []
    var services: [TopicSuffix: TokenState] = [:]
  }

  var forceQuitAt: Instant? {
    get { details.isStored ? details[0].forceQuitAt : nil }
    set {
      guard newValue != forceQuitAt else { return }
      details.store()
      details[0].forceQuitAt = newValue
    }
  }

  var urgentUpdates: UInt32 {
    get { details.isStored ? details[0].urgentUpdates : 0 }
    set {
      guard newValue != urgentUpdates else { return }
      details.store()
      details[0].urgentUpdates = newValue
    }
  }

  var startBudget: StartBudget { details.isStored ? details[0].startBudget : StartBudget() }
  var updateBudget: UpdateBudget { details.isStored ? details[0].updateBudget : UpdateBudget() }
  package var notifications: NotificationList { details.isStored ? details[0].notifications : NotificationList() }
  package var services: [TopicSuffix: TokenState] { details.isStored ? details[0].services : [:] }
}

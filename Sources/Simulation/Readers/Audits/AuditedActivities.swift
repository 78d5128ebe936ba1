import APNs
import Devices
import Timeline

/// The activities that an audit remembers: those that were pushed to, and those that the backend knows to be dismissed.
struct AuditedActivities: Sendable {
  private struct Activity: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let number: UInt32
  }

  /// Number of dismissals remembered of one app until it reports them.
  private static let mostDismissed = 64

  private var pushed: RecentTable<Activity, Void>
  /// The dismissed activities of an app of which the backend has not been told yet.
  private var dismissed: RecentTable<ReportedTokens.AppOnDevice, [UInt32]>
  /// The time at which the backend accepted the report of a dismissal, by activity.
  private var told: RecentTable<Activity, Instant>
  private var crowdedOut: UInt64 = 0

  init(most: Int) {
    pushed = RecentTable(most: most)
    dismissed = RecentTable(most: most)
    told = RecentTable(most: most)
  }

  /// Number of entries forgotten, because there were too many.
  var forgotten: UInt64 { pushed.forgotten + dismissed.forgotten + told.forgotten + crowdedOut }

  /// - Returns: whether an activity that was pushed to has come to its end by itself.
  mutating func read(_ deviceEvent: DeviceEvent, of app: Int, on device: DeviceID) -> Bool {
    switch deviceEvent {
    case .activityDismissed(let number):
      let place = ReportedTokens.AppOnDevice(device: device, app: app)
      var numbers = dismissed[place] ?? []
      if numbers.count >= Self.mostDismissed {
        numbers.removeFirst()
        crowdedOut += 1
      }
      numbers.append(number)
      dismissed[place] = numbers
    case .activityEnded(let number, let cause):
      return pushed.removeValue(forKey: Activity(device: device, app: app, number: number)) != nil && cause == .lifeOver
    default: break
    }
    return false
  }

  /// The backend accepted a report of an app. A report of a dismissal counts for all activities dismissed there.
  mutating func read(_ end: CallEnd) {
    guard end.event == "activityState.dismissed" || end.event == "activityState", !dismissed.isEmpty else { return }
    let numbers = dismissed.removeValue(forKey: .init(device: end.device, app: end.app)) ?? []
    for number in numbers { told[Activity(device: end.device, app: end.app, number: number)] = end.at }
  }

  /// The time at which the backend accepted the report that the activity of an update token was dismissed; nil if it
  /// did not.
  func told(of address: Address) -> Instant? {
    guard !told.isEmpty, case .update(let number) = address.slot else { return nil }
    return told[Activity(device: address.device, app: address.app, number: number)]
  }

  mutating func pushed(_ record: PushRecord) {
    guard let address = record.address else { return }
    switch (record.firstFate.reaction, address.slot) {
    // No token of such an activity reaches the backend, so it cannot end it.
    case (.started(_, let remarks)?, _) where !remarks.isDisjoint(with: [.noRuntime, .noObserver, .noTokenAsked]): break
    case (.started(let number, _)?, _), (.updated(let number, _, _)?, _):
      pushed[Activity(device: address.device, app: address.app, number: number)] = ()
    case (_, .update(let number)) where record.firstFate.takesUpdate:
      pushed[Activity(device: address.device, app: address.app, number: number)] = ()
    // An end that waits, or that the phone never got, was sent nevertheless.
    case (_, .update(let number)) where record.answer.rejection == nil && record.endsActivity:
      pushed.removeValue(forKey: Activity(device: address.device, app: address.app, number: number))
    default: break
    }
  }
}

import APNs
import Devices
import Timeline

/// What an audit remembers of activities: which were pushed to, and which the backend knows to be dismissed.
struct AuditedActivities: Sendable {
  private struct Activity: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let number: UInt32
  }

  private static let most = 200_000

  private var pushed: Set<Activity> = []
  /// Dismissed activities of which the backend has not been told yet.
  private var dismissed: [Activity] = []
  /// When the backend accepted the report of a dismissal.
  private var told: [Activity: Instant] = [:]

  /// - Returns: whether an activity that was pushed to has come to its end by itself.
  mutating func read(_ deviceEvent: DeviceEvent, of app: Int, on device: DeviceID) -> Bool {
    switch deviceEvent {
    case .activityDismissed(let number):
      if dismissed.count >= Self.most { dismissed.removeAll() }
      dismissed.append(Activity(device: device, app: app, number: number))
    case .activityEnded(let number, let cause):
      return pushed.remove(Activity(device: device, app: app, number: number)) != nil && cause == .lifeOver
    default: break
    }
    return false
  }

  /// The backend accepted a report of an app. A report of a dismissal counts for all activities dismissed there.
  mutating func read(_ end: CallEnd) {
    guard end.event == "activityState.dismissed" || end.event == "activityState", !dismissed.isEmpty else { return }
    if told.count >= Self.most { told.removeAll() }
    dismissed.removeAll { activity in
      guard activity.device == end.device, activity.app == end.app else { return false }
      told[activity] = end.at
      return true
    }
  }

  /// When the backend was told that the activity behind a token was dismissed.
  func told(of address: Address) -> Instant? {
    guard !told.isEmpty, case .update(let number) = address.slot else { return nil }
    return told[Activity(device: address.device, app: address.app, number: number)]
  }

  mutating func pushed(_ record: PushRecord) {
    guard let address = record.address, let reaction = record.firstFate.reaction else { return }
    switch reaction {
    case .started(let number, _), .updated(let number, _, _):
      if pushed.count >= Self.most { pushed.removeAll() }
      pushed.insert(Activity(device: address.device, app: address.app, number: number))
    default: break
    }
  }
}

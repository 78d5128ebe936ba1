import APNs
import Timeline

/// Effects of a phone besides its reaction to the current push: events, fates of earlier pushes, and scheduled work.
///
/// The caller takes the items out.
package struct PhoneEffects: Sendable {
  package enum Item: Hashable, Sendable {
    case happened(DeviceEvent, app: Int?, at: Instant)
    /// An earlier push has its final fate.
    case settled(push: UInt64, Reaction, held: Reaction.Hold, at: Instant)
    case due(PhoneWork, Instant)
  }

  package var items: [Item] = []
  /// The counts of all calls that got this value. Unlike the items, they are never taken out.
  package var counts = PhoneCounts()

  init() {}
}

/// Scheduled work on a phone. When it is due, it checks the phone's state and may have nothing to do.
package enum PhoneWork: Hashable, Sendable {
  /// Deferred updates or notifications are released.
  case release
  case activityBegins(app: Int, UInt32)
  case activityGoesStale(app: Int, UInt32)
  case activityRunsOut(app: Int, UInt32)
  case activityDismisses(app: Int, UInt32)
  /// The person answers the Allow question.
  case promptAnswered(app: Int, UInt32)
  /// The person taps a notification.
  case tap(app: Int, UInt32)
  case tokenArrives(app: Int, UInt32)
  /// The app is woken because of an activity that a push has started.
  case appWakes(app: Int, UInt32)
  /// Background runtime is over.
  case runtimeEnds(app: Int)
  case tokenRotates(app: Int, TokenSlot)
  /// A deferred background push may wake the app.
  case backgroundPush(app: Int)
  /// A background push that waits for power or a switch is discarded.
  case backgroundExpires(app: Int, push: UInt64)
}

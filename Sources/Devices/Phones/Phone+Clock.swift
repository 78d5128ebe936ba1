import APNs
import Timeline

/// The phone's own clock, which decides when stale and dismissal dates are reached. Assumed
/// (docs/behavior/live-activities.md#the-clock-of-the-phone).
extension Phone {
  /// By how much it is ahead.
  package var clockAhead: Duration { .nanoseconds(details.isStored ? details[0].clockAhead : 0) }

  /// The world's time at which this clock shows a date.
  func instant(of date: Instant?) -> Instant? {
    guard details.isStored, details[0].clockAhead != 0 else { return date }
    return date?.advanced(nanoseconds: 0 &- details[0].clockAhead)
  }

  /// Converts the stale date that an activity got from a payload or its app, because it is a time of this clock.
  mutating func readDates(of index: Int, _ app: Int) {
    guard details.isStored, details[0].clockAhead != 0 else { return }
    installs[app].activities[index].moveStaleDate(by: 0 &- details[0].clockAhead)
  }

  /// Sets the clock: all dates of activities are now reached sooner or later by the difference.
  package mutating func setClock(ahead: Duration, _ turn: inout PhoneTurn) {
    details.store()
    let step = details[0].clockAhead &- ahead.wholeNanoseconds
    details[0].clockAhead = ahead.wholeNanoseconds
    turn.emit(.clockSet(ahead))
    for app in installs.indices {
      for index in installs[app].activities.indices {
        installs[app].activities[index].moveStaleDate(by: step)
        watchStaleDate(app, index, &turn)
        let number = installs[app].activities[index].number
        guard
          let dismissal = installs[app].activities[index].moveDismissal(by: step, turn.behavior.policy, at: turn.now)
        else {
          continue
        }
        planDismissal(app, number, dismissal, &turn)
      }
    }
  }
}

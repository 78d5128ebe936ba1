import APNs
import Timeline

/// Cards that the person opens by hand.
///
/// Documented: touching and holding the Dynamic Island expands it; tapping an activity in StandBy shows its Lock Screen
/// view on the whole screen (docs/behavior/live-activities.md#opened-by-hand).
extension Phone {
  package struct OpenCard: Hashable, Sendable {
    package let app: Int
    package let activity: UInt32

    package init(app: Int, activity: UInt32) {
      self.app = app
      self.activity = activity
    }
  }

  /// What the person has opened: in StandBy, or else in the island.
  package var openCard: OpenCard? { details.isStored ? details[0].openCard : nil }

  /// Documented: StandBy exists from iOS 17 on, on a locked phone that is charging and stands on its side.
  package var isInStandBy: Bool {
    os >= OSVersion(17, 0) && condition.isSuperset(of: [.onItsSide, .charging, .locked])
  }

  package mutating func openCard(_ number: UInt32, app: Int, _ turn: inout PhoneTurn) {
    details.store()
    details[0].openCard = OpenCard(app: app, activity: number)
    turn.emit(.cardOpened(number), app: app)
  }

  /// Whatever the person does next closes it. Assumed.
  mutating func putDown() {
    if details.isStored { details[0].openCard = nil }
  }
}

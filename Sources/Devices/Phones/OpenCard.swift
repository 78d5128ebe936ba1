/// A card that the person opens by hand.
///
/// Documented: touching and holding the Dynamic Island expands it; tapping an activity in StandBy shows its Lock Screen
/// view on the whole screen (docs/behavior/live-activities.md#opened-by-hand).
package struct OpenCard: Hashable, Sendable {
  package let app: Int
  package let activity: UInt32

  package init(app: Int, activity: UInt32) {
    self.app = app
    self.activity = activity
  }
}

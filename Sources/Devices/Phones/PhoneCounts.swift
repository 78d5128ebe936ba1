/// Counts of what costs phones battery, and of deferred pushes. Documented: battery is why updates have a
/// budget (docs/behavior/budgets.md#cost-in-battery).
package struct PhoneCounts: Sendable {
  /// Cards of Live Activities drawn, the first time of each included.
  package var drawings: UInt64 = 0
  /// Number of updates and ends that were applied after they had been deferred.
  package var late: UInt64 = 0
  /// Numbers of times that apps got runtime in the background, by the reason, in the order of the cases of `Launch`.
  private var wakes = InlineArray<6, UInt64>(repeating: 0)
  /// Numbers of deferred pushes by the reason, in the order of the cases of `Reaction.Hold`.
  private var holds = InlineArray<6, UInt64>(repeating: 0)

  package init() {}

  mutating func countWake(_ launch: Launch) { wakes[Self.place(launch)] += 1 }

  package func wakes(_ launch: Launch) -> UInt64 { wakes[Self.place(launch)] }

  private static func place(_ launch: Launch) -> Int {
    switch launch {
    case .byPerson: 0
    case .byLiveActivity: 1
    case .byToken: 2
    case .byBackgroundPush: 3
    case .byCall: 4
    case .byTouch: 5
    }
  }

  mutating func countHold(_ hold: Reaction.Hold) { holds[Self.place(hold)] += 1 }

  package func holds(_ hold: Reaction.Hold) -> UInt64 { holds[Self.place(hold)] }

  private static func place(_ hold: Reaction.Hold) -> Int {
    switch hold {
    case .budget: 0
    case .lowPriority: 1
    case .throttled: 2
    case .lowPower: 3
    case .refreshOff: 4
    case .serviceExtension: 5
    }
  }
}

/// What phones have done that costs battery, and what they have deferred. Documented: battery is why updates have a
/// budget (docs/behavior/budgets.md#cost-in-battery).
package struct PhoneCounts: Sendable {
  /// Cards of Live Activities drawn, the first time of each included.
  package var drawings: UInt64 = 0
  /// Number of updates and ends that were applied after they had been deferred.
  package var late: UInt64 = 0
  /// How often apps got runtime in the background, by the reason, in the order of the cases of `Launch`.
  private var wakes = (UInt64.zero, UInt64.zero, UInt64.zero, UInt64.zero, UInt64.zero)
  /// How many pushes were deferred, by the reason, in the order of `countHold(_:)`.
  private var holds = (UInt64.zero, UInt64.zero, UInt64.zero, UInt64.zero, UInt64.zero)

  package init() {}

  mutating func countWake(_ launch: Launch) {
    switch launch {
    case .byPerson: wakes.0 += 1
    case .byLiveActivity: wakes.1 += 1
    case .byToken: wakes.2 += 1
    case .byBackgroundPush: wakes.3 += 1
    case .byCall: wakes.4 += 1
    }
  }

  package func wakes(_ launch: Launch) -> UInt64 {
    switch launch {
    case .byPerson: wakes.0
    case .byLiveActivity: wakes.1
    case .byToken: wakes.2
    case .byBackgroundPush: wakes.3
    case .byCall: wakes.4
    }
  }

  mutating func countHold(_ hold: Reaction.Hold) {
    switch hold {
    case .budget: holds.0 += 1
    case .lowPriority: holds.1 += 1
    case .backgroundThrottle: holds.2 += 1
    case .powerSaving: holds.3 += 1
    case .serviceExtension: holds.4 += 1
    }
  }

  package func holds(_ hold: Reaction.Hold) -> UInt64 {
    switch hold {
    case .budget: holds.0
    case .lowPriority: holds.1
    case .backgroundThrottle: holds.2
    case .powerSaving: holds.3
    case .serviceExtension: holds.4
    }
  }
}

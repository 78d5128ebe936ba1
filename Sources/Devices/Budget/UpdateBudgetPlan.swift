import APNs
import Timeline

/// The number of updates that a Live Activity may receive at once, and the treatment of the rest.
///
/// Documented: priority 10 counts against an hourly budget of unpublished size, priority 5 does not.
package struct UpdateBudgetPlan: Hashable, Sendable {
  package enum Preset: String, CaseIterable, Hashable, Sendable {
    case standard
    case strict
    case lenient
  }

  /// The owner of a budget: each activity, or all activities of an app together.
  package enum Scope: String, CaseIterable, Hashable, Sendable {
    case activity
    case app
  }

  package enum Overflow: Hashable, Sendable {
    /// The newest is deferred by a delay drawn from this range and then delivered at no cost.
    case coalesce(ClosedRange<Duration>)
    case drop

    /// The time for which an update beyond the budget is deferred; nil if it is dropped.
    package func delay(by chance: Chance, subject: UInt64, count: UInt64) -> Duration? {
      switch self {
      case .coalesce(let range): chance.duration(in: range, subject: subject, count: count)
      case .drop: nil
      }
    }
  }

  /// Observed: a device state dump shows a counter for each activity (luka-ios pull request 146).
  package var scope = Scope.activity
  /// Length of the budget window, from its first update. Documented: hourly. Assumed: fixed rather than sliding,
  /// because start and expiry are stored with each counter, and a stream works, stops and works again.
  package var window: Duration = .seconds(3600)
  /// Observed: about 15 an hour (pushward.app/docs/limits); 4 and 8 also circulate.
  package var standardCapacity: UInt32 = 15
  /// Observed: 229 to 236 left at one push per 5 min (luka-ios pull request 146). Assumed from that: 240.
  package var frequentCapacity: UInt32 = 240
  /// Documented: it counts. Assumed: a cost of one, with or without an alert.
  package var priority10Cost: UInt32 = 1
  /// Documented: it does not count.
  package var priority5Cost: UInt32 = 0
  /// Assumed.
  package var endCost: UInt32 = 1
  /// Observed: updates 3 s apart at priority 10 were shown every 30 to 60 s (forum thread 797554). Disputed: vendors
  /// say that they are dropped.
  package var overflow = Overflow.coalesce(.seconds(30)...(.seconds(60)))
  package var shares = ConditionShares()

  package init(_ preset: Preset = .standard) {
    switch preset {
    case .standard: break
    case .strict:
      standardCapacity = 4
      frequentCapacity = 60
    case .lenient:
      standardCapacity = 60
      frequentCapacity = 1200
    }
  }

  package func cost(of priority: Priority) -> UInt32 {
    switch priority {
    case .immediate: priority10Cost
    case .powerAware, .passive: priority5Cost
    }
  }

  package func capacity(_ level: BudgetLevel, in condition: DeviceCondition) -> Int {
    shares.scale(level == .frequent ? frequentCapacity : standardCapacity, in: condition)
  }
}

import APNs
import Devices

/// Counts of what phones did with pushes, by app and kind of token: whether anybody saw them, and if not, why.
package struct DeliveryOutcomes: Sendable {
  package struct Key: Hashable, Sendable {
    /// Number of the app in the plan; nil for apps after the first hundred.
    package let app: Int?
    package let kind: TokenKind
    /// The value of `Fate.outcome`.
    package let outcome: String
    package let cause: String?
  }

  private static let mostApps = 100

  private var places: [Key: Int] = [:]
  private var counts: [(key: Key, count: UInt64)] = []
  /// The entry counted last: pushes of one kind come in runs, and hashing would dominate the cost.
  private var latest: (key: Key, place: Int)?
  /// The app, the drop cause and the index of the last update that was applied or dropped. Such updates have no other
  /// properties here.
  private var latestUpdate: (app: Int, drop: DropCause?, place: Int)?

  package init() {}

  /// In the order of first occurrence.
  package var list: [(key: Key, count: UInt64)] { counts }

  mutating func count(_ fate: Fate, _ address: Address?) {
    guard let address else { return }
    if let latestUpdate, latestUpdate.app == address.app, address.slot.isActivity,
      fate.isOfUpdate(droppedFor: latestUpdate.drop)
    {
      counts[latestUpdate.place].count += 1
      return
    }
    guard let reaction = fate.reaction, reaction.isFinal, let outcome = fate.outcome else { return }
    let key = Key(
      app: address.app < Self.mostApps ? address.app : nil, kind: address.slot.kind, outcome: outcome,
      cause: reaction.causeOfOutcome)
    if let latest, latest.key == key {
      counts[latest.place].count += 1
      remember(fate, address: address, place: latest.place)
      return
    }
    let place = places[key] ?? counts.count
    if place == counts.count {
      counts.append((key, 0))
      places[key] = place
    }
    counts[place].count += 1
    latest = (key, place)
    remember(fate, address: address, place: place)
  }

  private mutating func remember(_ fate: Fate, address: Address, place: Int) {
    guard address.slot.isActivity else { return }
    switch fate {
    case .delivered(.updated), .deliveredFromStorage(.updated): latestUpdate = (address.app, nil, place)
    case .delivered(.dropped(let cause, _)), .deliveredFromStorage(.dropped(let cause, _)):
      latestUpdate = (address.app, cause, place)
    default: break
    }
  }
}

extension Fate {
  /// True if the fate is that of an update that was applied, for nil, or dropped for the cause.
  fileprivate func isOfUpdate(droppedFor cause: DropCause?) -> Bool {
    switch self {
    case .delivered(.updated), .deliveredFromStorage(.updated): cause == nil
    case .delivered(.dropped(let own, _)), .deliveredFromStorage(.dropped(let own, _)):
      cause.map { $0 == own } ?? false
    default: false
    }
  }
}

extension Reaction {
  /// The reason for the push's outcome. Remarks are not causes: they do not change the outcome.
  fileprivate var causeOfOutcome: String? {
    switch self {
    case .dropped(let cause, _): cause.rawValue
    case .notified(let shown): shown.cause.rawValue
    case .background(.discarded(let cause)): cause.rawValue
    case .background(.notWoken): WakeCause.notWoken.rawValue
    case .service(let service): service.isForBody ? service.rawValue : nil
    case .started, .updated, .ended, .held, .call, .background: nil
    }
  }
}

import APNs
import Devices

/// What phones made of pushes, by app and kind of token: whether anybody saw them, and why not.
package struct Outcomes: Sendable {
  package struct Key: Hashable, Sendable {
    /// Number of the app in the plan; nil for those beyond the first hundred.
    package let app: Int?
    package let kind: TokenKind
    /// As `Fate.outcome` has it.
    package let outcome: String
    package let cause: String?
  }

  private static let mostApps = 100

  private var places: [Key: Int] = [:]
  private var counts: [(key: Key, count: UInt64)] = []
  /// The one counted last: pushes of one kind come in rows, and a hash would cost more than all else here.
  private var latest: (key: Key, place: Int)?

  package init() {}

  /// In the order in which they first came.
  package var list: [(key: Key, count: UInt64)] { counts }

  mutating func note(_ fate: Fate, _ address: Address?) {
    guard let address, let reaction = fate.reaction, reaction.isFinal, let outcome = fate.outcome else { return }
    let key = Key(
      app: address.app < Self.mostApps ? address.app : nil, kind: address.slot.kind, outcome: outcome,
      cause: reaction.causeOfOutcome)
    if let latest, latest.key == key {
      counts[latest.place].count += 1
      return
    }
    let place = places[key] ?? counts.count
    if place == counts.count {
      counts.append((key, 0))
      places[key] = place
    }
    counts[place].count += 1
    latest = (key, place)
  }
}

extension Reaction {
  /// Why it became what it became. Remarks are no causes: they leave the outcome as it is.
  fileprivate var causeOfOutcome: String? {
    switch self {
    case .dropped(let cause, _): cause.rawValue
    case .notified(let shown): shown.cause.rawValue
    case .background(.discarded(let cause)): cause.rawValue
    case .background(.notWoken): WakeCause.notWoken.rawValue
    case .started, .updated, .ended, .held, .call, .service, .background: nil
    }
  }
}

import APNs
import Devices

/// The fate of an accepted push on one phone, in the words of the admin API.
package struct PushFate: Hashable, Sendable {
  /// The kind of its token; nil for a broadcast.
  package let kind: TokenKind?
  package let status: DeliveryStatus
  package let outcome: String?
  /// Nil if the phone did as the push asked.
  package let cause: String?
  /// True if something of the push appeared on the screen: a card, a banner, a call.
  package let isOnScreen: Bool
  /// True if the push asked for something on the screen that will never appear, although the person has allowed it.
  package let isLost: Bool

  init(_ fate: Fate, kind: TokenKind?) {
    self.kind = kind
    status = fate.status
    outcome = fate.outcome
    isOnScreen = fate.isOnScreen
    isLost = fate.isFinal && fate.isLost
    switch fate.reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      // The other remarks do not keep it from the screen.
      cause = remarks.contains(.renderStuck) ? "render-stuck" : nil
    case .notified(let shown) where shown.cause == .shown: cause = nil
    default: cause = fate.causes.first
    }
  }
}

extension Fate {
  /// True if something of the push is on the screen now.
  var isOnScreen: Bool {
    switch reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      !remarks.contains(.renderStuck)
    case .notified(let shown): shown.shape == .banner
    case .call(.rang): true
    case .call, .background, .service, .held, .dropped, nil: false
    }
  }

  /// Reasons for not showing a notification that are nobody's mistake.
  private static let choices: Set<PresentationCause> = [.permissionDenied, .notDetermined, .foreground]

  fileprivate var isLost: Bool {
    switch self {
    case .discarded, .discardedFromStorage: true
    case .refused, .stored, .onTheWay: false
    case .delivered(let reaction), .deliveredFromStorage(let reaction):
      switch reaction {
      case .dropped(let cause, _): cause != .activitiesOff
      case .background(.discarded), .background(.notWoken): true
      case .notified(let shown): shown.shape == .nothing && !Self.choices.contains(shown.cause)
      case .call(let outcome): if case .rang = outcome { false } else { true }
      case .service(let service): service.isForBody
      case .started, .updated, .ended, .held, .background: false
      }
    }
  }
}

/// Counts of fates. A push counts once, with its latest fate.
package struct FateTally: Sendable {
  package private(set) var list: [(fate: PushFate, count: UInt64)] = []
  private var places: [PushFate: Int] = [:]
  /// Counted last: pushes of one fate come in runs, and hashing costs more than comparing.
  private var latest = 0

  /// - Returns: its index in the list, for a later change.
  mutating func add(_ fate: PushFate) -> Int {
    if latest < list.count, list[latest].fate == fate {
      list[latest].count += 1
      return latest
    }
    let place = places[fate] ?? list.count
    if place == list.count {
      list.append((fate, 0))
      places[fate] = place
    }
    list[place].count += 1
    latest = place
    return place
  }

  /// Takes back a fate that was not the last.
  mutating func remove(at place: Int) { list[place].count -= 1 }
}

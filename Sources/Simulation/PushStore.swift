import APNs
import Devices
import Timeline
import WireFormats

/// The pushes that APNs stores for offline phones.
///
/// Documented: until `apns-expiration`, at most 30 days; a newer push replaces the older. Disputed: which pushes share
/// a place (docs/behavior/delivery.md#storage).
package struct PushStore: Sendable {
  /// How many pushes are stored, and for how long.
  package struct Plan: Hashable, Sendable {
    package var per = Place.token
    /// Pushes for one place. Documented: one.
    package var perToken = 1
    /// The longest time. Documented: 30 days.
    package var retention: Duration = .seconds(30 * 24 * 3600)
    /// Discards a push without `apns-expiration` for an offline phone. Disputed: stored for 30 days according to Apple,
    /// sent once according to operators (docs/behavior/delivery.md#expiration).
    package var triesOnceWithoutExpiration = false
    /// Maximum for all phones together.
    package var most = 100_000

    package init() {}
  }

  /// What pushes have in common of which the newest is kept.
  package enum Place: String, CaseIterable, Hashable, Sendable {
    /// Token and collapse id. Observed: a relay (mobile-apps-fcm-push pull request 331).
    case token
    /// Device and bundle id. Documented.
    case app
  }

  struct Stored: Hashable, Sendable {
    let push: ArrivingPush
    let address: Address
    let collapseID: [UInt8]?
    let expires: Instant
  }

  /// The stored pushes of one phone, oldest first.
  struct Shelf: Sendable {
    var pushes: [Stored] = []
  }

  /// Maximum number of different collapse ids for one phone; beyond it, the oldest is dropped.
  private static let mostPerPhone = 256

  private let plan: Plan
  private(set) var shelves: [DeviceID: Shelf] = [:]
  /// When expired pushes are removed next, phone by phone. An entry outlives the stored pushes; otherwise a phone that
  /// goes online and offline would add one to the agenda each time.
  private(set) var looks: [DeviceID: Instant] = [:]
  package private(set) var count = 0
  /// The largest `count` so far.
  private(set) var peak = 0

  init(_ plan: Plan) { self.plan = plan }

  /// The result of storing a push.
  struct Kept {
    /// Why it is not stored; nil if it is.
    var discarded: Fate.Discard?
    /// Pushes that were dropped, and why.
    var given: [(push: Stored, why: Fate.Discard)] = []
    /// When `takeExpired` must be called, if that is not scheduled yet.
    var look: Instant?
    /// Whether a later scheduled call is now obsolete.
    var replacesLook = false
  }

  /// When `takeExpired` is scheduled for a phone.
  func look(for device: DeviceID) -> Instant? { looks[device] }

  mutating func keep(_ push: ArrivingPush, for address: Address, at now: Instant) -> Kept {
    var kept = Kept()
    let expiration = push.expiration
    // Documented: 0 means one attempt; an expired push has had its attempt.
    if let expiration, expiration <= now {
      kept.discarded = expiration.nanoseconds == 0 ? .notStored : .expired
      return kept
    }
    if expiration == nil, plan.triesOnceWithoutExpiration {
      kept.discarded = .notStored
      return kept
    }
    let collapseID = push.collapseID.map { Array(push.request.storage[$0]) }
    let longest = now.advanced(by: plan.retention)
    let expires = expiration.map { min($0, longest) } ?? longest
    var shelf = shelves[address.device] ?? Shelf()
    let same = shelf.pushes.indices.filter {
      let other = shelf.pushes[$0]
      return switch plan.per {
      case .token: other.address == address && other.collapseID == collapseID
      case .app: other.address.app == address.app
      }
    }
    // A push that replaces another needs no extra room.
    guard count < plan.most || !same.isEmpty && same.count >= plan.perToken else {
      kept.discarded = .storeFull
      return kept
    }
    if same.count >= plan.perToken, let oldest = same.first {
      let given = shelf.pushes.remove(at: oldest)
      kept.given.append((given, collapseID != nil && given.collapseID == collapseID ? .collapsed : .superseded))
    } else if shelf.pushes.count >= Self.mostPerPhone {
      kept.given.append((shelf.pushes.removeFirst(), .storeFull))
    }
    shelf.pushes.append(Stored(push: push, address: address, collapseID: collapseID, expires: expires))
    count += 1 - kept.given.count
    peak = max(peak, count)
    let planned = looks[address.device]
    if planned.map({ expires < $0 }) ?? true {
      looks[address.device] = expires
      kept.look = expires
      kept.replacesLook = planned != nil
    }
    shelves[address.device] = shelf
    return kept
  }

  /// All pushes stored for a phone, in the order of arrival.
  mutating func takeAll(for device: DeviceID) -> [Stored] {
    guard let shelf = shelves.removeValue(forKey: device) else { return [] }
    count -= shelf.pushes.count
    return shelf.pushes
  }

  /// The pushes that have expired, and when to check again.
  mutating func takeExpired(for device: DeviceID, by now: Instant) -> (expired: [Stored], look: Instant?) {
    guard looks[device].map({ $0 <= now }) ?? false else { return ([], nil) }
    looks[device] = nil
    guard var shelf = shelves[device] else { return ([], nil) }
    let expired = shelf.pushes.filter { $0.expires <= now }
    shelf.pushes.removeAll { $0.expires <= now }
    count -= expired.count
    looks[device] = shelf.pushes.map(\.expires).min()
    shelves[device] = shelf.pushes.isEmpty ? nil : shelf
    return (expired, looks[device])
  }

  /// Number of pushes stored for a phone.
  package func waiting(for device: DeviceID) -> Int { shelves[device]?.pushes.count ?? 0 }
}

import APNs
import Devices
import Timeline
import WireFormats

/// What APNs keeps for phones that are offline.
///
/// Documented: for as long as `apns-expiration` says, and 30 days at most; a newer push merges with the older.
/// Disputed: which pushes merge (docs/behavior/delivery.md#storage).
package struct PushStore: Sendable {
  /// How much is kept, and how long.
  package struct Plan: Hashable, Sendable {
    package var per = Place.token
    /// Pushes for one place. Documented: one.
    package var perToken = 1
    /// The longest time. Documented: 30 days.
    package var retention: Duration = .seconds(30 * 24 * 3600)
    /// For all phones together.
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

  /// What is kept for one phone, the oldest first.
  private struct Shelf: Sendable {
    var pushes: [Stored] = []
  }

  /// Different collapse ids for one phone; of more the oldest goes.
  private static let mostPerPhone = 256

  private let plan: Plan
  private var shelves: [DeviceID: Shelf] = [:]
  /// When the world looks next for what has expired, phone by phone. It outlives what is kept: a phone that comes and
  /// goes would otherwise leave a look on the agenda each time.
  private var looks: [DeviceID: Instant] = [:]
  package private(set) var count = 0

  init(_ plan: Plan) { self.plan = plan }

  /// What keeping a push has led to.
  struct Kept {
    /// Why it is not kept; nil where it is.
    var discarded: Fate.Discard?
    /// Pushes that had to go, and why.
    var given: [(push: Stored, why: Fate.Discard)] = []
    /// When `takeExpired` must be called, if that has not been said.
    var look: Instant?
    /// Whether a later call that was asked for before is for nothing now.
    var replacesLook = false
  }

  /// When `takeExpired` is to be called for a phone.
  func look(for device: DeviceID) -> Instant? { looks[device] }

  mutating func keep(_ push: ArrivingPush, for address: Address, expiration: Instant?, at now: Instant) -> Kept {
    var kept = Kept()
    // Documented: 0 means one attempt; what has expired already has had its own.
    if let expiration, expiration <= now {
      kept.discarded = expiration.nanoseconds == 0 ? .notStored : .expired
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
    // One that takes the place of another needs no room.
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
    let planned = looks[address.device]
    if planned.map({ expires < $0 }) ?? true {
      looks[address.device] = expires
      kept.look = expires
      kept.replacesLook = planned != nil
    }
    shelves[address.device] = shelf
    return kept
  }

  /// All that is kept for a phone, in the order it came.
  mutating func takeAll(for device: DeviceID) -> [Stored] {
    guard let shelf = shelves.removeValue(forKey: device) else { return [] }
    count -= shelf.pushes.count
    return shelf.pushes
  }

  /// What has expired by now, and when to look again.
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

  /// How many pushes wait for a phone.
  package func waiting(for device: DeviceID) -> Int { shelves[device]?.pushes.count ?? 0 }
}

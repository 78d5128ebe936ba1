import APNs
import Devices
import Timeline
import WireFormats

/// The pushes that APNs stores for offline phones.
///
/// Documented: until `apns-expiration`, at most 30 days; a newer push replaces the older. Disputed: which stored pushes
/// replace each other (docs/behavior/delivery.md#storage).
package struct PushStore: Sendable {
  /// The number of stored pushes, and the time for which they are stored.
  package struct Plan: Hashable, Sendable {
    package var per = ReplacementScope.token
    /// Pushes of one scope. Documented: one.
    package var perToken = 1
    /// The longest time. Documented: 30 days.
    package var retention: Duration = .seconds(30 * 24 * 3600)
    /// Discards a push without `apns-expiration` for an offline phone. Disputed: stored for 30 days according to Apple,
    /// sent once according to operators (docs/behavior/delivery.md#expiration).
    package var triesOnceWithoutExpiration = false
    /// Delivers the message that a channel stores to an activity that subscribes later. Disputed
    /// (docs/behavior/channels.md#new-subscribers).
    package var givesNewSubscribersTheLatest = false
    /// Maximum for all phones together.
    package var most = 100_000

    package init() {}
  }

  /// Which stored pushes replace each other: those that have this in common.
  package enum ReplacementScope: String, CaseIterable, Hashable, Sendable {
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

  /// Maximum number of different collapse ids for one phone; beyond it, the oldest is dropped.
  private static let mostPerPhone = 256

  let plan: Plan
  /// The stored pushes of each phone, oldest first.
  private(set) var pushes: [DeviceID: [Stored]] = [:]
  /// Times at which expired pushes are removed next, phone by phone. An entry outlives the stored pushes; otherwise a
  /// phone that goes online and offline would add one to the agenda each time.
  private(set) var expiryChecks: [DeviceID: Instant] = [:]
  package private(set) var count = 0
  /// The largest `count` so far.
  private(set) var peak = 0

  init(_ plan: Plan) { self.plan = plan }

  /// The result of keeping a push.
  enum Kept {
    case discarded(Fate.Discard)
    /// `evicted`: a push that was dropped for it, and why. `check`: a call of `takeExpired` that must be scheduled.
    case stored(evicted: (push: Stored, why: Fate.Discard)?, check: ExpiryCheck?)
  }

  /// A call of `takeExpired` that must be scheduled.
  struct ExpiryCheck {
    let due: Instant
    /// True if a later scheduled call is now obsolete.
    let replacesEarlier: Bool
  }

  /// Time for which `takeExpired` is scheduled for a phone.
  func expiryCheck(for device: DeviceID) -> Instant? { expiryChecks[device] }

  mutating func keep(_ push: ArrivingPush, for address: Address, at now: Instant) -> Kept {
    let expiration = push.expiration
    // Documented: 0 means one attempt; an expired push has had its attempt.
    if let expiration, expiration <= now {
      return .discarded(expiration.nanoseconds == 0 ? .notStored : .expired)
    }
    if expiration == nil, plan.triesOnceWithoutExpiration { return .discarded(.notStored) }
    let collapseID = push.collapseID.map { Array(push.request.storage[$0]) }
    let longest = now.advanced(by: plan.retention)
    let new = Stored(
      push: push, address: address, collapseID: collapseID, expires: expiration.map { min($0, longest) } ?? longest)
    var stored = pushes[address.device] ?? []
    let same = stored.indices.filter { isSame(stored[$0], new) }
    // A push that replaces another needs no extra room.
    guard count < plan.most || !same.isEmpty && same.count >= plan.perToken else { return .discarded(.storeFull) }
    var evicted: (push: Stored, why: Fate.Discard)?
    if same.count >= plan.perToken, let oldest = same.first {
      let old = stored.remove(at: oldest)
      evicted = (old, collapseID != nil && old.collapseID == collapseID ? .collapsed : .superseded)
    } else if stored.count >= Self.mostPerPhone {
      evicted = (stored.removeFirst(), .storeFull)
    }
    stored.append(new)
    pushes[address.device] = stored
    if evicted == nil { count += 1 }
    peak = max(peak, count)
    return .stored(evicted: evicted, check: planCheck(of: address.device, by: new.expires))
  }

  private func isSame(_ old: Stored, _ new: Stored) -> Bool {
    switch plan.per {
    case .token: old.address == new.address && old.collapseID == new.collapseID
    case .app: old.address.app == new.address.app
    }
  }

  private mutating func planCheck(of device: DeviceID, by expires: Instant) -> ExpiryCheck? {
    let planned = expiryChecks[device]
    guard planned.map({ expires < $0 }) ?? true else { return nil }
    expiryChecks[device] = expires
    return ExpiryCheck(due: expires, replacesEarlier: planned != nil)
  }

  /// All pushes stored for a phone, in the order of arrival.
  mutating func takeAll(for device: DeviceID) -> [Stored] {
    guard let taken = pushes.removeValue(forKey: device) else { return [] }
    count -= taken.count
    return taken
  }

  /// The pushes that have expired, and the time of the next check.
  mutating func takeExpired(for device: DeviceID, by now: Instant) -> (expired: [Stored], next: Instant?) {
    guard expiryChecks[device].map({ $0 <= now }) ?? false else { return ([], nil) }
    expiryChecks[device] = nil
    guard let stored = pushes[device] else { return ([], nil) }
    let expired = stored.filter { $0.expires <= now }
    let left = stored.filter { $0.expires > now }
    count -= expired.count
    expiryChecks[device] = left.map(\.expires).min()
    pushes[device] = left.isEmpty ? nil : left
    return (expired, expiryChecks[device])
  }

  /// Number of pushes stored for a phone.
  package func waiting(for device: DeviceID) -> Int { pushes[device]?.count ?? 0 }
}

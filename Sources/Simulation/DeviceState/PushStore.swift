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
    /// Which push is kept where there is room for one less.
    package var keeps = Keeping.newest
    /// Delivers the message that a channel stores to an activity that subscribes later. Disputed
    /// (docs/behavior/channels.md#new-subscribers).
    package var givesNewSubscribersTheLatest = false
    /// Maximum for all phones together.
    package var most = 100_000
    /// Time that a phone which is online takes to acknowledge a push. Until then, a newer push of the same scope
    /// overwrites it. Documented without a time ("Troubleshooting push notifications"), so it is off.
    package var acknowledgement: ClosedRange<Duration> = .zero ... .zero
    /// Maximum number of bytes of the pushes that are on their way to phones; beyond it, pushes arrive at once.
    package var mostBytesUnderway = 128 << 20

    package init() {}
  }

  /// Which stored pushes replace each other: those that have this in common.
  package enum ReplacementScope: String, CaseIterable, Hashable, Sendable {
    /// Token and collapse id. Observed: a relay (mobile-apps-fcm-push pull request 331).
    case token
    /// Device and bundle id. Documented.
    case app
  }

  /// The choice of the push that is kept.
  package enum Keeping: String, CaseIterable, Hashable, Sendable {
    case newest
    /// Mostly the newest. Documented: "in most cases", not always ("Sending notification requests to APNs").
    case lottery
  }

  struct Stored: Hashable, Sendable {
    let push: ArrivingPush
    let address: Address
    let collapseID: [UInt8]?
    let expires: Instant
  }

  /// Maximum number of different collapse ids for one phone; beyond it, the oldest is dropped.
  private static let mostPerPhone = 256

  /// The share of draws of `Keeping.lottery` in which an older push is kept. Assumed.
  private static let olderKept = Odds(1, in: 5)

  let plan: Plan
  private let lottery: Chance
  /// The stored pushes of each phone, oldest first.
  private(set) var pushes: [DeviceID: [Stored]] = [:]
  /// The next removal of expired pushes, phone by phone. An entry outlives the stored pushes; otherwise a phone that
  /// goes online and offline would add one to the agenda each time.
  private(set) var expiryChecks: [DeviceID: ExpiryCheck] = [:]
  /// Number of checks that were planned.
  private var checksPlanned: UInt64 = 0
  package private(set) var count = 0
  /// The largest `count` so far.
  private(set) var peak = 0

  init(_ plan: Plan, seed: UInt64) {
    self.plan = plan
    lottery = Chance(seed: seed).stream(for: "store")
  }

  /// The result of keeping a push.
  enum Kept {
    case discarded(Fate.Discard)
    /// `evicted`: a push that was dropped for it, and why. `check`: a call of `takeExpired` that must be scheduled.
    case stored(evicted: (push: Stored, why: Fate.Discard)?, check: ExpiryCheck?)
  }

  /// A call of `takeExpired` that must be scheduled.
  struct ExpiryCheck {
    let due: Instant
    /// Distinguishes it from the obsolete checks of the same phone, which may be due at the same time.
    let number: UInt64
    /// True if a later scheduled call is now obsolete.
    let makesObsolete: Bool
  }

  /// True if that is the phone's next check, and not one that an earlier check has made obsolete.
  func isNext(_ check: UInt64, for device: DeviceID) -> Bool { expiryChecks[device]?.number == check }

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
      let old = stored[oldest]
      let why = collapseID != nil && old.collapseID == collapseID ? Fate.Discard.collapsed : .superseded
      // A push that was on its way may be older than those that are stored.
      guard old.push.number < push.number else { return .discarded(why) }
      if plan.keeps == .lottery,
        lottery.strikes(Self.olderKept, subject: UInt64(address.device.number), count: push.number)
      {
        return .discarded(.olderKept)
      }
      stored.remove(at: oldest)
      evicted = (old, why)
    } else if stored.count >= Self.mostPerPhone {
      evicted = (stored.removeFirst(), .storeFull)
    }
    // In the order in which they were sent: a push that was on its way comes later than some that are stored.
    stored.insert(new, at: (stored.lastIndex { $0.push.number < push.number } ?? -1) + 1)
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
    guard planned.map({ expires < $0.due }) ?? true else { return nil }
    checksPlanned += 1
    let check = ExpiryCheck(due: expires, number: checksPlanned, makesObsolete: planned != nil)
    expiryChecks[device] = check
    return check
  }

  /// All pushes stored for a phone, in the order of arrival.
  mutating func takeAll(for device: DeviceID) -> [Stored] {
    guard let taken = pushes.removeValue(forKey: device) else { return [] }
    count -= taken.count
    return taken
  }

  /// The pushes that have expired, and the next check; nothing if the check is obsolete.
  mutating func takeExpired(
    for device: DeviceID, at check: UInt64, by now: Instant
  ) -> (expired: [Stored], next: ExpiryCheck?) {
    guard isNext(check, for: device) else { return ([], nil) }
    expiryChecks[device] = nil
    guard let stored = pushes[device] else { return ([], nil) }
    let expired = stored.filter { $0.expires <= now }
    let left = stored.filter { $0.expires > now }
    count -= expired.count
    pushes[device] = left.isEmpty ? nil : left
    return (expired, left.map(\.expires).min().flatMap { planCheck(of: device, by: $0) })
  }

  /// Number of pushes stored for a phone.
  package func waiting(for device: DeviceID) -> Int { pushes[device]?.count ?? 0 }
}

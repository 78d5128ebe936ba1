import APNs
import Timeline

/// The tokens that one slot of an install has had, and which of them APNs still accepts.
package struct TokenState: Hashable, Sendable {
  /// An earlier token of the install, and when APNs learns that it is dead.
  struct Retired: Hashable, Sendable {
    let generation: UInt32
    let isGiven: Bool
    /// The time from which APNs answers 410; nil until APNs learns of the end.
    var notice: Instant?
    /// True if APNs never learns of it, because the app was reinstalled first. Observed: apns2 issue 77.
    var isForgotten = false
  }

  /// Number of retired tokens remembered; older ones are answered like tokens that died long ago.
  private static let remembered = 16

  /// State that few slots need: retired tokens.
  struct History: DefaultInitializable, Hashable, Sendable {
    fileprivate(set) var retired: [Retired] = []
    /// The time at which APNs learned of the newest of the tokens no longer in `retired`.
    @OneWordInstant fileprivate var earliestNotice: Instant?
  }

  // Fields are ordered by size: each slot of each phone has one of these.
  private var rate = RateState()
  private var history: OutOfLine<History> = []
  /// Generation of the token that the app holds.
  package private(set) var generation: UInt32 = 0
  private var flags: Flags = []

  /// In one byte: every token of every phone has these.
  private struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let isGiven = Flags(rawValue: 1)
    static let isStale = Flags(rawValue: 2)
  }

  /// The token of this generation was registered by the user, and none was made from the seed.
  package var isGiven: Bool { flags.contains(.isGiven) }
  /// The token of this generation is dead, and neither the app nor APNs knows it.
  package var isStale: Bool { flags.contains(.isStale) }

  package init() {}

  /// Replaces the token. APNs learns of it at `notice`, or only from later pushes.
  package mutating func rotate(notice: Instant?) {
    retire(notice: notice)
    generation += 1
    flags = []
  }

  /// The current token stops working silently: APNs answers 200 to it until it is replaced.
  package mutating func goStale() { flags.insert(.isStale) }

  /// The user's token replaces the current one. If the current token was the user's too, the app has registered again;
  /// otherwise it was never issued.
  package mutating func take() {
    retire(notice: isGiven ? nil : .distantPast)
    generation += 1
    flags = .isGiven
  }

  /// Restores the previous token, if nobody has seen the current one.
  mutating func takeBack() {
    guard history.isStored, let last = history[0].retired.last, last.generation + 1 == generation else { return }
    history[0].retired.removeLast()
    generation = last.generation
    flags = last.isGiven ? .isGiven : []
  }

  /// The app was reinstalled: what APNs has not learned by now, it never learns.
  package mutating func forget(at now: Instant) {
    guard history.isStored else { return }
    for index in history[0].retired.indices where history[0].retired[index].notice.map({ $0 > now }) ?? true {
      history[0].retired[index].isForgotten = true
    }
  }

  /// A push has reached a dead token, which starts the random delay until APNs reports it.
  package mutating func noticeLater(_ generation: UInt32, at notice: Instant) {
    guard history.isStored,
      let index = history[0].retired.firstIndex(where: { $0.generation == generation && $0.notice == nil })
    else { return }
    history[0].retired[index].notice = notice
  }

  /// Counts one request; false if it exceeds the rate limit.
  package mutating func admit(_ limit: RequestRate, at now: Instant) -> Bool { rate.admit(limit, at: now) }

  /// Earlier tokens that were actually issued, oldest first.
  package var past: [(generation: UInt32, isGiven: Bool)] {
    (history.isStored ? history[0].retired : []).filter { $0.notice != .distantPast }.map {
      ($0.generation, $0.isGiven)
    }
  }

  package enum Status: Hashable, Sendable {
    case current
    /// Dead on the device, but answered 200.
    case lingering(waitsForPush: Bool)
    case unregistered(since: Instant)
    case neverIssued
  }

  package func status(of address: Address, at now: Instant) -> Status {
    let generation = address.generation
    let isGiven = address.isGiven
    if generation == self.generation {
      guard isGiven == self.isGiven else { return .neverIssued }
      return isStale ? .lingering(waitsForPush: false) : .current
    }
    guard generation < self.generation else { return .neverIssued }
    guard history.isStored else { return .unregistered(since: now) }
    guard let old = history[0].retired.last(where: { $0.generation == generation }) else {
      return .unregistered(since: min(history[0].earliestNotice ?? now, now))
    }
    guard old.isGiven == isGiven, old.notice != .distantPast else { return .neverIssued }
    if old.isForgotten { return .lingering(waitsForPush: false) }
    guard let notice = old.notice else { return .lingering(waitsForPush: true) }
    return notice <= now ? .unregistered(since: notice) : .lingering(waitsForPush: false)
  }

  private mutating func retire(notice: Instant?) {
    history.store()
    if history[0].retired.count >= Self.remembered {
      let oldest = history[0].retired.removeFirst()
      if let notice = oldest.notice, notice != .distantPast { history[0].earliestNotice = notice }
    }
    history[0].retired.append(Retired(generation: generation, isGiven: isGiven, notice: notice))
  }
}

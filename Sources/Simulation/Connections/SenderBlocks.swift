import APNs
import Timeline

/// The senders that APNs blocks for some time, because they open and close connections in a loop or flood a device.
///
/// Documented: APNs may treat both as a denial-of-service attack, and block the sender ("Troubleshooting push
/// notifications", "Establishing a connection to APNs"). Assumed: the numbers, and that a sender is a network address.
struct SenderBlocks: Sendable {
  /// A sender's pushes to one device.
  private struct Flow: Hashable {
    let sender: String
    let device: DeviceID
  }

  /// A connection is short if it ends within this time.
  static let shortest = Duration.seconds(60)
  /// Short connections of one sender. Assumed.
  static let connections = RequestRate(perSecond: 1, burst: 30)
  /// Pushes of one sender to one device. Assumed.
  static let pushes = RequestRate(perSecond: 10, burst: 100)
  /// Maximum number of entries in each table; beyond it, further senders and devices are not counted.
  private static let most = 10_000

  /// The time for which a sender is blocked; nil if none is.
  private let duration: Duration?
  private var ends: [String: Instant] = [:]
  private var loops: [String: RateState] = [:]
  private var floods: [Flow: RateState] = [:]

  init(for duration: Duration?) { self.duration = duration == .zero ? nil : duration }

  var isOn: Bool { duration != nil }

  func isBlocked(_ sender: String, at now: Instant) -> Bool { ends[sender].map { now < $0 } ?? false }

  /// Counts a connection that has ended.
  ///
  /// - Returns: a sentence if it is the one that blocks its sender.
  mutating func countEnd(of sender: String, opened: Instant, at now: Instant) -> String? {
    guard let duration, now < opened.advanced(by: Self.shortest), !isBlocked(sender, at: now) else { return nil }
    guard Self.exceeds(Self.connections, sender, in: &loops, at: now) else { return nil }
    return block(
      sender, for: duration, at: now,
      "it opens and closes connections in a loop. Keep connections open and reuse them")
  }

  /// Counts a push that APNs accepts.
  ///
  /// - Returns: a sentence if it is the one that blocks its sender.
  mutating func countPush(of sender: String, to device: DeviceID, at now: Instant) -> String? {
    guard let duration, Self.exceeds(Self.pushes, Flow(sender: sender, device: device), in: &floods, at: now) else {
      return nil
    }
    return block(
      sender, for: duration, at: now,
      "it floods \(device.text). Send fewer pushes, and put what belongs together in one")
  }

  private mutating func block(_ sender: String, for duration: Duration, at now: Instant, _ why: String) -> String {
    if ends.count >= Self.most { ends = ends.filter { $0.value > now } }
    let until = min(now.advanced(by: duration), WorldClock.end)
    if ends.count < Self.most { ends[sender] = until }
    return "Pushes from \(sender) get 429 TooManyRequests until \(until.rfc3339) (rules.block), because \(why)."
  }

  private static func exceeds<Key: Hashable>(
    _ rate: RequestRate, _ key: Key, in states: inout [Key: RateState], at now: Instant
  ) -> Bool {
    if states[key] == nil, states.count >= most {
      states = states.filter { !$0.value.isIdle(at: now) }
      guard states.count < most else { return false }
    }
    return !states[key, default: RateState()].admit(rate, at: now)
  }
}

import APNs
import Timeline
import WireFormats

/// Times of pushes on their way to the screen, in nanoseconds of the world's clock.
package struct LatencyTally: Sendable {
  /// From the event to APNs: the sender's part.
  package private(set) var sending = Histogram()
  /// From APNs to the screen of a phone.
  package private(set) var showing = Histogram()
  /// From the event to the screen.
  package private(set) var whole = Histogram()
  /// Pushes received before the time of their event: the clocks differ. They count as 0.
  package private(set) var early: UInt64 = 0
  /// Pushes whose event was more than a day from their arrival.
  package private(set) var implausible: UInt64 = 0
  /// Event times that are whole seconds. If they were truncated, the latency is up to a second too long.
  package private(set) var wholeSeconds: UInt64 = 0

  private static let plausible: Duration = .seconds(86_400)
  /// The push looked at last, and its event's time: a simulated provider sends one push to many phones.
  private var latest: (push: ParsedPush, event: Instant?)?

  package init() {}

  /// The time of a push's event: the `aps.timestamp` of a Live Activity.
  mutating func eventTime(of record: PushRecord) -> Instant? {
    let push = record.push
    guard push.type == .liveactivity else { return nil }
    let event: Instant?
    if let latest, latest.push === push {
      event = latest.event
    } else {
      let storage = push.request.storage
      event = Self.eventTime(storage.span, push.payloadRange)
      latest = (push, event)
    }
    return event.flatMap { accept($0, at: record.at.world) }
  }

  static func eventTime(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Instant? {
    let found = try? JSONNode.read(bytes, in: range) { $0["aps"]?["timestamp"]?.double }
    guard let seconds = found ?? nil, abs(seconds) < 9e9 else { return nil }
    // In two parts, because a `Double` cannot represent the time since 1970 to the nanosecond.
    let whole = seconds.rounded(.down)
    return Instant(seconds: Int64(whole)).advanced(nanoseconds: Int64(((seconds - whole) * 1e9).rounded()))
  }

  /// Counts an event time that is usable.
  mutating func accept(_ event: Instant, at now: Instant) -> Instant? {
    let passed = event.duration(to: now)
    guard passed <= Self.plausible, passed >= .zero - Self.plausible else {
      implausible += 1
      return nil
    }
    if event.nanoseconds % 1_000_000_000 == 0 { wholeSeconds += 1 }
    if passed < .zero { early += 1 }
    sending.add(UInt64(clamping: passed.wholeNanoseconds))
    return event
  }

  mutating func shown(receivedAt: Instant, event: Instant?, at now: Instant) {
    showing.add(UInt64(clamping: receivedAt.duration(to: now).wholeNanoseconds))
    if let event { whole.add(UInt64(clamping: event.duration(to: now).wholeNanoseconds)) }
  }
}

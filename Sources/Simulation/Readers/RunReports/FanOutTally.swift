import Timeline

/// A fan-out of one message to several phones: pushes of one app and push type with the same `apns-collapse-id` or,
/// without one, with the same payload apart from its timestamp. A pause of 10 s ends it. A broadcast is a fan-out, too.
package struct FanOut: Hashable, Sendable {
  /// A description for people; it may contain anything that a client sent.
  package internal(set) var name = ""
  package let isBroadcast: Bool
  /// The times at which APNs received the first and the last push.
  package let firstSent: Instant
  package internal(set) var lastSent: Instant
  package internal(set) var pushes: UInt64 = 0
  package internal(set) var accepted: UInt64 = 0
  /// Number of pushes that appeared on the screen of their phone, and when the first and the last did.
  package internal(set) var shown: UInt64 = 0
  package internal(set) var firstShown: Instant?
  package internal(set) var lastShown: Instant?
  /// Number of those that appeared more than a minute after the last push was sent. `showingTime` ignores them.
  package internal(set) var late: UInt64 = 0

  init(at now: Instant, isBroadcast: Bool = false) {
    self.isBroadcast = isBroadcast
    firstSent = now
    lastSent = now
  }

  package var sendingTime: Duration { firstSent.duration(to: lastSent) }

  /// From the first to the last phone; nil if fewer than two showed it.
  package var showingTime: Duration? {
    guard shown > 1, let firstShown, let lastShown else { return nil }
    return firstShown.duration(to: lastShown)
  }
}

/// Measures fan-outs. At most 2,048 are open at a time; the oldest are closed first.
package struct FanOutTally: Sendable {
  /// Assumed: senders of one piece of news do not pause for so long.
  package static let gap: Duration = .seconds(10)
  /// Assumed: later than that, a phone was offline or deferred the push.
  package static let lateAfter: Duration = .seconds(60)
  private static let mostOpen = 2048
  private static let mostLargest = 20

  /// Fan-outs with at least two pushes (for a broadcast, phones) that have been closed.
  package private(set) var count: UInt64 = 0
  /// Nanoseconds from the first to the last phone.
  package private(set) var showing = Histogram()
  /// Nanoseconds from the first to the last push.
  package private(set) var sending = Histogram()
  package private(set) var sizes = Histogram()
  /// The largest, in the order of size.
  package private(set) var largest: [FanOut] = []
  private var open: [UInt64: FanOut] = [:]

  package init() {}

  /// - Parameter name: called for its second push, because most pushes may be for one phone only.
  mutating func sent(_ key: UInt64, isAccepted: Bool, at now: Instant, name: () -> String) {
    if let before = open[key], before.lastSent.duration(to: now) > Self.gap {
      close(before)
      open[key] = nil
    }
    if open[key] == nil, open.count >= Self.mostOpen { makeRoom(at: now) }
    change(key, at: now) { fanOut in
      fanOut.lastSent = max(fanOut.lastSent, now)
      fanOut.pushes += 1
      if isAccepted { fanOut.accepted += 1 }
      if fanOut.pushes == 2 { fanOut.name = name() }
    }
  }

  mutating func broadcast(_ key: UInt64, at now: Instant, name: String) {
    if open.count >= Self.mostOpen { makeRoom(at: now) }
    var fanOut = FanOut(at: now, isBroadcast: true)
    fanOut.name = name
    open[key] = fanOut
  }

  /// Ends the fan-outs of broadcasts, whose numbers begin again.
  mutating func endBroadcasts() {
    for (key, fanOut) in open.filter(\.value.isBroadcast).sorted(by: { $0.key < $1.key }) {
      close(fanOut)
      open[key] = nil
    }
  }

  /// A broadcast is one request, so that its phones are counted as pushes.
  mutating func reached(_ key: UInt64) {
    guard open[key] != nil else { return }
    change(key, at: .distantPast) { fanOut in
      fanOut.pushes += 1
      fanOut.accepted += 1
    }
  }

  /// - Parameter sentAt: when APNs received that push, which may belong to an earlier fan-out of this key.
  mutating func shown(_ key: UInt64, sentAt: Instant, at now: Instant) {
    guard let found = open[key], sentAt >= found.firstSent else { return }
    change(key, at: now) { fanOut in
      guard fanOut.lastSent.duration(to: now) <= Self.lateAfter else {
        fanOut.late += 1
        return
      }
      fanOut.shown += 1
      fanOut.firstShown = min(fanOut.firstShown ?? now, now)
      fanOut.lastShown = max(fanOut.lastShown ?? now, now)
    }
  }

  private mutating func change(_ key: UInt64, at now: Instant, _ body: (inout FanOut) -> Void) {
    body(&open[key, default: FanOut(at: now)])
  }

  private mutating func makeRoom(at now: Instant) {
    let all = open.sorted { ($0.value.lastSent, $0.key) < ($1.value.lastSent, $1.key) }
    let ended = all.prefix { $0.value.lastSent.duration(to: now) > Self.gap }.count
    for (key, fanOut) in all.prefix(max(ended, Self.mostOpen / 2)) {
      close(fanOut)
      open[key] = nil
    }
  }

  private mutating func close(_ fanOut: FanOut) {
    guard fanOut.pushes > 1 else { return }
    count += 1
    sizes.add(fanOut.pushes)
    sending.add(UInt64(clamping: fanOut.sendingTime.wholeNanoseconds))
    if let time = fanOut.showingTime { showing.add(UInt64(clamping: time.wholeNanoseconds)) }
    let place = largest.firstIndex { $0.pushes < fanOut.pushes } ?? largest.count
    guard place < Self.mostLargest else { return }
    largest.insert(fanOut, at: place)
    if largest.count > Self.mostLargest { largest.removeLast() }
  }

  /// The tally with all open fan-outs closed.
  package var closed: FanOutTally {
    var copy = self
    copy.open = [:]
    for (_, fanOut) in open.sorted(by: { ($0.value.firstSent, $0.key) < ($1.value.firstSent, $1.key) }) {
      copy.close(fanOut)
    }
    return copy
  }
}

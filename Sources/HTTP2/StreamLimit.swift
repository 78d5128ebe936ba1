/// The limit on a client's open streams, while client and server may disagree about it.
///
/// An announced limit binds a client from the moment it has acknowledged it (RFC 9113 section 6.5.3); until then the
/// previous limit applies. A higher limit is effective at once. So the enforced limit is the largest of the last
/// acknowledged one and all unacknowledged ones. Real clients send bursts before they have read the first SETTINGS
/// frame; if Apple's initial limit of 1 were enforced from the start, most libraries would lose 59 of 60 pushes.
struct StreamLimit {
  /// The maximum, whatever is announced.
  private let cap: Int
  /// Enforce the last announced limit without waiting for an acknowledgement.
  private let strict: Bool
  private var acknowledged: Int
  private var onTheirWay: [Int] = []

  /// The current limit.
  private(set) var enforced: Int

  init(announced: Int, cap: Int, strict: Bool) {
    self.cap = cap
    self.strict = strict
    acknowledged = cap
    enforced = cap
    announce(announced)
  }

  mutating func announce(_ count: Int) {
    onTheirWay.append(min(count, cap))
    settle()
  }

  /// The limit stays; a SETTINGS frame about something else was sent and will be acknowledged too.
  mutating func announceAgain() { announce(onTheirWay.last ?? acknowledged) }

  /// Enforces this limit at once, whatever the client acknowledges, until a higher one is announced.
  mutating func holdAtOnce(to count: Int) {
    acknowledged = min(acknowledged, count)
    onTheirWay = onTheirWay.map { min($0, count) }
    settle()
  }

  /// The client has acknowledged the oldest unacknowledged SETTINGS frame.
  mutating func acknowledge() {
    guard !onTheirWay.isEmpty else { return }
    acknowledged = onTheirWay.removeFirst()
    settle()
  }

  private mutating func settle() {
    if strict {
      enforced = onTheirWay.last ?? acknowledged
    } else {
      enforced = onTheirWay.reduce(acknowledged, max)
    }
  }
}

/// How many streams a client may have open, while it and the server may disagree about it.
///
/// An announced number binds a client from the moment it has acknowledged it (RFC 9113 section 6.5.3); until then
/// the number before it holds. A higher number helps at once. So what is enforced is the largest of the number last
/// acknowledged and all those on their way. Real clients burst before they have read the first SETTINGS frame; with
/// Apple's initial 1 enforced from the start, most libraries would lose 59 of 60 pushes.
struct StreamLimit {
  /// Never more than this, whatever is announced.
  private let cap: Int
  /// Enforce what was announced last and wait for no acknowledgement.
  private let strict: Bool
  private var acknowledged: Int
  private var onTheirWay: [Int] = []

  /// What holds now.
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

  /// The number stays; a SETTINGS frame about something else is on its way and will be acknowledged too.
  mutating func announceAgain() { announce(onTheirWay.last ?? acknowledged) }

  /// Whatever the client has acknowledged or will, it is held to this until a higher number is announced.
  mutating func holdAtOnce(to count: Int) {
    acknowledged = min(acknowledged, count)
    onTheirWay = onTheirWay.map { min($0, count) }
    settle()
  }

  /// The client has acknowledged the oldest SETTINGS frame that is on its way.
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

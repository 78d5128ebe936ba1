import Timeline

/// Content that a phone gives up because it, or the fleet, uses too much memory.
extension Phone {
  /// New content has arrived: drops what matters least to the person until the phone is within its limit.
  ///
  /// First the contents of activities without a card, then notifications, then the contents of ended activities; in
  /// each group the oldest first. The content of running activities and deferred pushes stay.
  mutating func evictExcessContent(_ turn: inout PhoneTurn) {
    evictContent(atLeast: memory - turn.behavior.policy.memory, &turn)
  }

  /// Frees the given number of bytes, or as many as possible.
  package mutating func evictContent(atLeast bytes: Int, _ turn: inout PhoneTurn) {
    var excess = bytes
    while excess > 0, let freed = forgetContent(isGone: true, &turn) { excess -= freed }
    while excess > 0, let freed = forgetNotification(&turn) { excess -= freed }
    while excess > 0, let freed = forgetContent(isGone: false, &turn) { excess -= freed }
  }

  /// - Returns: the number of bytes freed; nil if there is no notification.
  private mutating func forgetNotification(_ turn: inout PhoneTurn) -> Int? {
    var oldest: (app: Int, at: Instant)?
    for app in installs.indices {
      guard let at = installs[app].oldestNotification else { continue }
      if let oldest, oldest.at <= at { continue }
      oldest = (app, at)
    }
    guard let app = oldest?.app,
      let forgotten = changeNotifications(app, { $0.forgetOldestNotification() })
    else { return nil }
    turn.emit(.notificationForgotten(forgotten.number), app: app)
    return forgotten.memory
  }

  /// - Parameter isGone: true for an activity without a card, false for an ended one that still has its card.
  /// - Returns: the number of bytes freed; nil if no such activity has content.
  private mutating func forgetContent(isGone: Bool, _ turn: inout PhoneTurn) -> Int? {
    var oldest: ActivityIndex?
    for app in installs.indices {
      guard let index = installs[app].oldestContent(isGone: isGone, turn.behavior.policy, at: turn.now) else {
        continue
      }
      let place = ActivityIndex(app, index)
      if let best = oldest, self[best].appliedAt <= self[place].appliedAt { continue }
      oldest = place
    }
    guard let oldest else { return nil }
    let freed = Int(self[oldest].memory)
    change(oldest) { $0.forgetContent() }
    turn.emit(.contentForgotten(self[oldest].number), app: oldest.app)
    return freed
  }
}

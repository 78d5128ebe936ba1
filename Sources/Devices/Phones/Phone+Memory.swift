import Timeline
import WireFormats

/// The memory that a phone uses for what pushes have brought.
///
/// What is dropped depends only on this phone, and memory is charged as if nothing were shared with other phones or the
/// push log. So the same pushes give the same phone in any context.
extension Phone {
  /// Memory charged, in bytes.
  package var memory: Int {
    var sum = alert.map { DeviceMemory.content + $0.request.storage.count } ?? 0
    if held.count > 0 { sum += held.sum { DeviceMemory.notification + $0.push.request.storage.count } }
    for app in installs.indices {
      if installs[app].details.isStored { sum += installs[app].details[0].notifications.memory }
      for index in installs[app].activities.indices { sum += Int(installs[app].activities[index].memory) }
    }
    return sum
  }

  /// New content has arrived: drops what matters least to the person until the phone is within its limit.
  ///
  /// First the contents of activities without a card, then notifications, then the contents of ended activities; in
  /// each group the oldest first. The content of running activities and deferred pushes stay.
  mutating func makeRoom(_ turn: inout PhoneTurn) {
    giveWay(memory - turn.behavior.policy.memory, &turn)
  }

  /// Growth in bytes since the last call.
  package mutating func takeGrowth() -> Int {
    let memory = memory
    let growth = memory - (details.isStored ? Int(details[0].charged) : 0)
    guard growth != 0 else { return 0 }
    details.store()
    details[0].charged = UInt32(clamping: memory)
    return growth
  }

  /// Frees the given number of bytes, or as many as possible.
  package mutating func giveWay(_ bytes: Int, _ turn: inout PhoneTurn) {
    var excess = bytes
    while excess > 0, let freed = forgetContent(isGone: true, &turn) { excess -= freed }
    while excess > 0, let freed = forgetNotification(&turn) { excess -= freed }
    while excess > 0, let freed = forgetContent(isGone: false, &turn) { excess -= freed }
  }

  /// - Returns: the number of bytes freed; nil if there is no notification.
  private mutating func forgetNotification(_ turn: inout PhoneTurn) -> Int? {
    var oldest: (app: Int, at: Instant)?
    for app in installs.indices {
      guard installs[app].details.isStored, let last = installs[app].details[0].notifications.shown.last else {
        continue
      }
      if let oldest, oldest.at <= last.at { continue }
      oldest = (app, last.at)
    }
    guard let app = oldest?.app, let forgotten = installs[app].forgetOldestNotification() else {
      return nil
    }
    turn.emit(.notificationForgotten(forgotten.number), app: app)
    return forgotten.memory
  }

  /// - Parameter isGone: true for an activity without a card, false for an ended one that still has its card.
  /// - Returns: the number of bytes freed; nil if no such activity has content.
  private mutating func forgetContent(
    isGone: Bool, _ turn: inout PhoneTurn
  ) -> Int? {
    var oldest: (app: Int, index: Int, at: Instant)?
    for app in installs.indices {
      for index in installs[app].activities.indices {
        guard installs[app].activities[index].memory > 0, installs[app].activities[index].isOver(at: turn.now),
          !isGone || installs[app].activities[index].state(turn.behavior.policy, at: turn.now) == .dismissed
        else { continue }
        let at = installs[app].activities[index].appliedAt
        if let oldest, oldest.at <= at { continue }
        oldest = (app, index, at)
      }
    }
    guard let oldest else { return nil }
    let freed = Int(installs[oldest.app].activities[oldest.index].memory)
    installs[oldest.app].activities[oldest.index].forgetContent()
    turn.emit(
      .contentForgotten(installs[oldest.app].activities[oldest.index].number), app: oldest.app)
    return freed
  }
}

import Timeline
import WireFormats

/// How much a phone keeps of what pushes have brought.
///
/// What gives way depends on this phone alone, and is charged as if nothing were shared with another or with the
/// ledger: the same pushes make the same phone, whatever else there is.
extension Phone {
  /// Bytes it is charged with.
  package var memory: Int {
    var sum = alert.map { DeviceMemory.content + $0.request.storage.count } ?? 0
    if held.count > 0 { sum += held.sum { DeviceMemory.notification + $0.push.request.storage.count } }
    for app in installs.indices {
      if installs[app].details.isStored { sum += installs[app].details[0].notifications.memory }
      for index in installs[app].activities.indices { sum += Int(installs[app].activities[index].memory) }
    }
    return sum
  }

  /// Something has come: what is worth least to the person gives way for it.
  ///
  /// First the contents of activities whose cards are gone, then notifications, then the contents of activities that
  /// have ended; of each the oldest first. The content of a running activity stays, and what is held comes to its turn.
  mutating func makeRoom(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    giveWay(memory - model.policy.memory, model, at: now, &effects)
  }

  /// By how many bytes it keeps more than when this was asked last.
  package mutating func takeGrowth() -> Int {
    let memory = memory
    let growth = memory - (details.isStored ? Int(details[0].charged) : 0)
    guard growth != 0 else { return 0 }
    details.store()
    details[0].charged = UInt32(clamping: memory)
    return growth
  }

  /// Gives so many bytes back, or as many as may give way.
  package mutating func giveWay(_ bytes: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    var excess = bytes
    while excess > 0, let freed = forgetContent(model, isGone: true, at: now, &effects) { excess -= freed }
    while excess > 0, let freed = forgetNotification(at: now, &effects) { excess -= freed }
    while excess > 0, let freed = forgetContent(model, isGone: false, at: now, &effects) { excess -= freed }
  }

  /// - Returns: the bytes it gives back; nil when there is no notification.
  private mutating func forgetNotification(at now: Instant, _ effects: inout PhoneEffects) -> Int? {
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
    effects.emit(.notificationForgotten(forgotten.number), app: app, at: now)
    return forgotten.memory
  }

  /// - Parameter isGone: whether it is one whose card is gone, or one that has ended and still has its card.
  /// - Returns: the bytes it gives back; nil when there is no such activity with any.
  private mutating func forgetContent(
    _ model: PhoneModel, isGone: Bool, at now: Instant, _ effects: inout PhoneEffects
  ) -> Int? {
    var oldest: (app: Int, index: Int, at: Instant)?
    for app in installs.indices {
      for index in installs[app].activities.indices {
        guard installs[app].activities[index].memory > 0, installs[app].activities[index].isOver(at: now),
          !isGone || installs[app].activities[index].state(model.policy, at: now) == .dismissed
        else { continue }
        let at = installs[app].activities[index].appliedAt
        if let oldest, oldest.at <= at { continue }
        oldest = (app, index, at)
      }
    }
    guard let oldest else { return nil }
    let freed = Int(installs[oldest.app].activities[oldest.index].memory)
    installs[oldest.app].activities[oldest.index].forgetContent()
    effects.emit(
      .contentForgotten(installs[oldest.app].activities[oldest.index].number), app: oldest.app, at: now)
    return freed
  }
}

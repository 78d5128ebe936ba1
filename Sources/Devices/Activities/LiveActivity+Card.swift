import Timeline

/// What a person sees of an activity.
extension LiveActivity {
  /// An activity that a token can update now, and the generation of that token.
  package struct Updatable: Hashable, Sendable {
    package let number: UInt32
    package let generation: UInt32
    package let isGiven: Bool
  }

  /// Passes the activities that a token can update now to `body`, reading fields in place.
  package static func showUpdatable(
    among activities: [LiveActivity], at now: Instant, _ show: (Updatable) -> Void
  ) {
    for index in activities.indices {
      guard activities[index].hasToken, activities[index].phase.isRunning, activities[index].expiry > now,
        case .token = activities[index].updates
      else { continue }
      show(
        Updatable(
          number: activities[index].number, generation: activities[index].token.generation,
          isGiven: activities[index].token.isGiven))
    }
  }

  package func state(_ policy: DevicePolicy, at now: Instant) -> State {
    if isOver(at: now) { return dismissal(policy) <= now ? .dismissed : .ended }
    switch phase {
    case .scheduled: return .scheduled
    case .prompting: return .prompting
    case .running: return isStale(at: now) ? .stale : .active
    case .ended: return .ended
    }
  }

  /// Whether its card is on the Lock Screen.
  package func isShown(_ policy: DevicePolicy, at now: Instant) -> Bool {
    let state = state(policy, at: now)
    return state != .dismissed && state != .scheduled
  }

  /// When its card leaves the Lock Screen, once it has ended.
  ///
  /// Documented: four hours after the end, unless the end named an earlier date or the user dismissed the card.
  package func dismissal(_ policy: DevicePolicy) -> Instant {
    (details.isStored ? details[0].dismissal : nil) ?? expiry.advanced(by: policy.expiredLinger)
  }

  /// What the card shows, and when newer content will be drawn; nil if it shows the newest content already.
  package func shown(at now: Instant) -> (content: ActivityContent, due: Instant?) {
    guard details.isStored else { return (.none, isStuck ? .distantFuture : nil) }
    if isStuck { return (details[0].drawn, .distantFuture) }
    guard let due = details[0].rendering?.nextDue, due > now else { return (details[0].content, nil) }
    return (details[0].drawn, due)
  }

  /// New content comes: whether its card is drawn for it, now or when that is due. A drawing that is due already shows
  /// this content as well.
  ///
  /// Mutating in name only, as `onScreen`.
  mutating func needsDrawing(at now: Instant) -> Bool {
    guard !isStuck else { return false }
    guard details.isStored, let due = details[0].rendering?.nextDue else { return true }
    return due <= now
  }

  /// True if the stale date of its content is past.
  func isStale(at now: Instant) -> Bool { staleDate.map { $0 <= now } ?? false }

  /// What the card shows, recorded before new content replaces it.
  ///
  /// `mutating` so that `self` is passed by reference; this runs for every push.
  mutating func onScreen(at now: Instant) -> Reaction.Shown {
    Reaction.Shown(content: shown(at: now).content, isStale: isStale(at: now))
  }

  /// For how long the screen has been out of date.
  package func lag(at now: Instant) -> Duration {
    guard details.isStored, let rendering = details[0].rendering, let due = rendering.nextDue, due > now else {
      return .zero
    }
    return rendering.lag(at: now)
  }
}

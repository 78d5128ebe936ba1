import Timeline

/// The activity as a person sees it.
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

  /// True if the card is on the Lock Screen.
  package func isShown(_ policy: DevicePolicy, at now: Instant) -> Bool {
    let state = state(policy, at: now)
    return state != .dismissed && state != .scheduled
  }

  /// The time at which the card leaves the Lock Screen, once the activity has ended.
  ///
  /// Documented: four hours after the end, unless the end named an earlier date or the user dismissed the card.
  package func dismissal(_ policy: DevicePolicy) -> Instant {
    (details.isStored ? details[0].dismissal : nil) ?? expiry.advanced(by: policy.expiredLinger)
  }

  /// The content on the card, and the time at which newer content will be drawn; nil if the card shows the newest.
  package func shown(at now: Instant) -> (content: ActivityContent, due: Instant?) {
    guard details.isStored else { return (.none, isStuck ? .distantFuture : nil) }
    if isStuck { return (details[0].drawn, .distantFuture) }
    guard let due = details[0].rendering?.nextDue, due > now else { return (details[0].content, nil) }
    return (details[0].drawn, due)
  }

  /// True if the card is drawn for the content that comes next, now or when that is due. A drawing that is due already
  /// shows that content as well.
  ///
  /// `mutating` only so that `self` is passed by reference.
  mutating func needsDrawing(at now: Instant) -> Bool {
    guard !isStuck else { return false }
    guard details.isStored, let due = details[0].rendering?.nextDue else { return true }
    return due <= now
  }

  /// True if the stale date of its content is past.
  func isStale(at now: Instant) -> Bool { staleDate.map { $0 <= now } ?? false }

  /// The screen as it is before new content replaces it.
  ///
  /// `mutating` only so that `self` is passed by reference; this runs for every push.
  mutating func onScreen(at now: Instant) -> Reaction.Shown {
    Reaction.Shown(content: shown(at: now).content, isStale: isStale(at: now))
  }
}

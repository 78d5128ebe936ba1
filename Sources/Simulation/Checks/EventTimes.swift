import APNs
import Timeline

#if PUSHPIT_CHECKS
  /// The times of events, none of which is before that of an event before it: the past of a world is over.
  struct EventTimes: Sendable {
    private var latest = Instant.distantPast
    /// The first event that was too early, in a sentence.
    private(set) var problem: String?

    mutating func note(_ event: WorldEvent) {
      guard let at = event.at else { return }
      if at < latest, problem == nil {
        problem = "No event is before the one before it: \(event) happened at \(at), after \(latest)."
      }
      latest = max(latest, at)
    }
  }

  extension WorldEvent {
    /// Time of the event; nil if it has none of its own.
    fileprivate var at: Instant? {
      switch self {
      case .connectionOpened, .connectionClosed, .streamsAllowed, .wire, .listener: nil
      case .trouble(let trouble): trouble.at
      case .push(let record): record.at.world
      case .channels(let record): record.at.world
      case .call(let record): record.at
      case .callEnded(let end): end.at
      case .broadcastReached(_, _, _, let at), .pushSettled(_, _, _, let at), .answerSent(_, _, let at),
        .faultStruck(_, _, let at), .connectionStruck(_, _, let at), .phone(_, _, _, let at):
        at
      }
    }
  }
#endif

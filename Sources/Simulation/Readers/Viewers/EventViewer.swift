import APNs

/// A viewer of the event stream, with the events that it has seen and its position in the logs.
///
/// It reads the logs from where it stopped. So an event costs nothing while nobody watches. A viewer that is too slow
/// misses events; memory does not grow.
package struct EventViewer: Sendable {
  package let filter: ViewerFilter
  /// The number of the last event that it has seen already; nil to begin with the next event.
  private let after: UInt64?
  /// Nil until it is asked for the first time.
  private var place: EventPlace?
  private var pace = ViewerPace()

  /// Number of events that are written in one message at most.
  package static let shown = 20
  /// Number of events read at a time, so that the readers are not held for long.
  package static let mostRead = 20_000

  package init(_ filter: ViewerFilter, after: UInt64?) {
    self.filter = filter
    self.after = after
  }

  /// An event that matches the filter.
  package struct Sighting: Sendable {
    package let sequence: UInt64
    package let event: ViewedEvent
    /// The open session of a push.
    package let session: String?
  }

  package enum Message: Sendable {
    /// The stream begins after the event of that number.
    case open(after: UInt64)
    /// Events that are not kept any more, by number; or the server has begun again since, and its numbers as well.
    case gap(ClosedRange<UInt64>, restarted: Bool)
    case event(Sighting)
    /// More events than may be sent one by one: how many, how many of those are pushes, and the last of them.
    case many(count: UInt64, pushes: UInt64, upTo: UInt64, last: [Sighting])
    /// A comment line.
    case quiet

    /// The rejected pushes that are shown.
    package var rejected: [PushRecord] {
      let shown: [Sighting] =
        switch self {
        case .event(let sighting): [sighting]
        case .many(_, _, _, let last): last
        case .open, .gap, .quiet: []
        }
      return shown.compactMap {
        if case .push(let record) = $0.event, record.answer.rejection != nil { record } else { nil }
      }
    }
  }

  /// The messages to send now.
  ///
  /// - Parameter now: nanoseconds of a clock that never goes back.
  package mutating func next(_ readers: EventReaders, at now: UInt64) -> [Message] {
    var room = pace.room(at: now)
    var messages = begin(readers.logs)
    if room == 0 { return messages }
    messages += gap(readers.logs)
    pace.send(messages.count, at: now)
    room -= messages.count
    let part = read(readers, upTo: readers.logs.end)
    if part.count == 0 { return messages.isEmpty && pace.isQuiet(at: now) ? [.quiet] : messages }
    if part.count <= UInt64(max(room, 0)) {
      messages += part.last.map { .event($0) }
      pace.send(part.last.count, at: now)
    } else {
      messages.append(
        .many(count: part.count, pushes: part.pushes, upTo: place?.sequence ?? 0, last: part.last))
      pace.crowd(at: now)
    }
    return messages
  }

  /// Finds the place where the stream begins, when it is asked for the first time.
  private mutating func begin(_ logs: EventLogs) -> [Message] {
    guard place == nil else { return [] }
    let end = logs.end
    guard let after else {
      place = end
      return [.open(after: end.sequence)]
    }
    guard after <= end.sequence else {
      place = logs.kept
      return [.open(after: logs.kept.sequence), .gap(0...logs.kept.sequence, restarted: true)]
    }
    // If that event is no longer kept, a `gap` message follows.
    place = after < logs.kept.sequence ? EventPlace(pushes: after, lines: 0) : logs.place(after: after)
    return [.open(after: after)]
  }

  private mutating func gap(_ logs: EventLogs) -> [Message] {
    let kept = logs.kept
    guard let place, place.sequence < kept.sequence else { return [] }
    self.place = kept
    return [.gap(place.sequence + 1...kept.sequence, restarted: false)]
  }

  private struct Part {
    var count: UInt64 = 0
    var pushes: UInt64 = 0
    var last: [Sighting] = []
  }

  /// Reads events up to a place, or as many as are read at a time.
  private mutating func read(_ readers: EventReaders, upTo end: EventPlace) -> Part {
    guard var place else { return Part() }
    defer { self.place = place }
    var part = Part()
    if filter.isEmpty, end.sequence > place.sequence + UInt64(Self.shown) {
      // All of them match, so those that are not shown need not be looked at.
      let start = readers.logs.place(after: end.sequence - UInt64(Self.shown))
      part.count = start.sequence - place.sequence
      part.pushes = start.pushes - place.pushes
      place = start
    }
    // Where the last events that match begin. Few of them are shown, so they are not copied before.
    var seen: [EventPlace] = []
    for _ in 0..<Self.mostRead {
      guard let kind = readers.logs.kind(after: place) else { break }
      let before = place
      kind.pass(&place)
      guard filter.matches(kind, after: before, readers) else { continue }
      part.count += 1
      if kind == .push { part.pushes += 1 }
      if seen.count >= 2 * Self.shown { seen.removeFirst(Self.shown) }
      seen.append(before)
    }
    part.last = seen.suffix(Self.shown).compactMap { before in
      readers.logs.event(after: before).map { event in
        Sighting(sequence: before.sequence + 1, event: event, session: event.session(readers))
      }
    }
    return part
  }
}

extension ViewedEvent {
  fileprivate func session(_ readers: EventReaders) -> String? {
    guard case .push(let record) = self, readers.sessions.hasOpen else { return nil }
    return readers.sessions.owner(of: record)
  }
}

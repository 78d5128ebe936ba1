import APNs
import Timeline

/// Events that have not been taken yet, in order, with the calls that caused them.
struct EventList: Sendable {
  private var events: [WorldEvent] = []
  /// True if calls are recorded, for a tape.
  var recordsCalls = false
  private var calls: [RecordedCall] = []
  /// True if the session of rejected pushes must be determined, because a session is open.
  var tracesRefusals = false
  #if PUSHPIT_CHECKS
    var times = EventTimes()
  #endif

  var count: Int { events.count }

  /// True if there are no events and no calls.
  var isEmpty: Bool { events.isEmpty && calls.isEmpty }

  @inline(__always)
  mutating func append(_ event: WorldEvent) {
    #if PUSHPIT_CHECKS
      times.note(event)
    #endif
    events.append(event)
  }

  /// Inserts an event before the events it caused.
  @inline(__always)
  mutating func insert(_ event: WorldEvent, at place: Int) {
    append(event)
    var index = events.count - 1
    guard index > place else { return }
    // Few events follow, so moving it past them costs less than `Array.insert`.
    var events = events.mutableSpan
    while index > place {
      events.swapAt(index, index - 1)
      index -= 1
    }
  }

  /// Every call is recorded with this first.
  @inline(__always)
  mutating func record(_ call: @autoclosure () -> WorldCall, at now: Now) {
    if recordsCalls { calls.append(RecordedCall(call(), at: now, firstEvent: events.count)) }
  }

  /// Records a call after its events; the index of its first event is given.
  mutating func record(_ call: WorldCall, at now: Now, firstEvent: Int) {
    if recordsCalls { calls.append(RecordedCall(call, at: now, firstEvent: firstEvent)) }
  }

  /// True if an event from that index on satisfies the condition.
  func contains(from place: Int, where isSuch: (WorldEvent) -> Bool) -> Bool {
    events[place...].contains(where: isSuch)
  }

  /// The answer to a request about channels; nil if it was taken, or never given.
  func channelAnswer(on stream: StreamID) -> ChannelAnswer? {
    for case .channels(let record) in events.reversed() where record.stream == stream { return record.answer }
    return nil
  }

  /// Takes the events since the last call. `list` is emptied first and keeps its storage.
  mutating func take(into list: inout [WorldEvent]) {
    list.removeAll(keepingCapacity: true)
    swap(&events, &list)
  }

  /// Takes the calls since the last time, in order.
  mutating func takeCalls() -> [RecordedCall] {
    defer { calls = [] }
    return calls
  }
}

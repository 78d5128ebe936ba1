import APNs
import Timeline

/// What has happened and has not been taken yet, in order, with the calls that caused it.
struct EventList: Sendable {
  private var events: [WorldEvent] = []
  /// Whether calls are recorded, for a tape.
  var recordsCalls = false
  private var calls: [RecordedCall] = []
  /// Whether it is found out of refused pushes whose they are: somebody has opened a session.
  var tracesRefusals = false

  var count: Int { events.count }

  /// Whether there is nothing to take.
  var isEmpty: Bool { events.isEmpty && calls.isEmpty }

  @inline(__always)
  mutating func append(_ event: WorldEvent) { events.append(event) }

  /// Puts an event before those that it has brought about.
  @inline(__always)
  mutating func insert(_ event: WorldEvent, at place: Int) {
    if place < events.count {
      events.insert(event, at: place)
    } else {
      events.append(event)
    }
  }

  /// Every call begins with this.
  @inline(__always)
  mutating func record(_ call: @autoclosure () -> WorldCall, at now: Now) {
    if recordsCalls { calls.append(RecordedCall(call(), at: now, firstEvent: events.count)) }
  }

  /// Records a call after its events, of which the first is given.
  mutating func record(_ call: WorldCall, at now: Now, firstEvent: Int) {
    if recordsCalls { calls.append(RecordedCall(call, at: now, firstEvent: firstEvent)) }
  }

  /// Whether one of those from a place on is such.
  func contains(from place: Int, where isSuch: (WorldEvent) -> Bool) -> Bool {
    events[place...].contains(where: isSuch)
  }

  /// Takes what has happened since the last call; `list` is emptied first and keeps its storage.
  mutating func take(into list: inout [WorldEvent]) {
    list.removeAll(keepingCapacity: true)
    swap(&events, &list)
  }

  /// Takes the calls since the last time, in their order.
  mutating func takeCalls() -> [RecordedCall] {
    defer { calls = [] }
    return calls
  }
}

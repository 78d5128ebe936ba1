import APNs
import Devices
import Timeline
import WireFormats

/// A call at one of the world's doors: all that a run is, beside the world it began with.
package enum DoorCall: Hashable, Sendable {
  case opened(ConnectionID, Environment, peer: String, managesChannels: Bool)
  case closed(ConnectionID)
  case troubled(kind: String, peer: String, String)
  case received(HTTPRequest, StreamID)
  case answerWent(push: UInt64, ConnectionID, SentAnswer)
  indirect case performed(Command)
  /// Time passed, and something was due.
  case advanced
  /// Time passed, and the first so many of what was due were done.
  case stepped(Int)
  /// A fault reached some more of its devices.
  case waved
}

/// A call as it was made: when, and where what came of it begins in the list of events.
package struct RecordedCall: Hashable, Sendable {
  package let call: DoorCall
  package let now: Now
  package let firstEvent: Int

  package init(_ call: DoorCall, at now: Now, firstEvent: Int) {
    self.call = call
    self.now = now
    self.firstEvent = firstEvent
  }
}

/// The calls of one settling, and the events they caused.
package struct TapeBatch: Sendable {
  package let calls: [RecordedCall]
  package let events: [Event]

  package init(calls: [RecordedCall], events: [Event]) {
    self.calls = calls
    self.events = events
  }

  /// Which events a call caused.
  func events(of index: Int) -> Range<Int> {
    // What happened before the first call, if anything did, is told with it.
    let start = index == 0 ? 0 : min(calls[index].firstEvent, events.count)
    let end = index + 1 < calls.count ? min(calls[index + 1].firstEvent, events.count) : events.count
    return start..<max(start, end)
  }
}

extension World {
  /// Makes a call again. An order that was refused is refused again, and that changes nothing.
  package mutating func redo(_ call: DoorCall, at now: Now) {
    switch call {
    case .opened(let id, let environment, let peer, let managesChannels):
      connectionOpened(id, to: environment, peer: peer, managesChannels: managesChannels, at: now)
    case .closed(let id): connectionClosed(id, at: now)
    case .troubled(let kind, let peer, let sentence): connectionTroubled(kind, peer: peer, sentence, at: now)
    case .received(let request, let stream): receive(request, on: stream, at: now)
    case .answerWent(let push, let connection, let sent): answerWent(to: push, on: connection, sent, at: now)
    case .performed(let command): _ = try? perform(command, at: now)
    case .advanced: advance(to: now)
    case .stepped(let entries): step(of: entries, to: now)
    case .waved: stepWaves(at: now)
    }
  }
}

import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The entry points of the world: whatever changes it is a case. The calls and the initial world determine a run
/// completely.
package enum WorldCall: Hashable, Sendable {
  indirect case opened(ProviderConnectionID, Environment, peer: String, managesChannels: Bool, ProviderCertificate?)
  case closed(ProviderConnectionID)
  case received(HTTPRequest, StreamID)
  case answerWent(push: UInt64, ProviderConnectionID, SentAnswer)
  indirect case performed(Command)
  /// Time passed, and this many entries of the schedule were processed.
  case stepped(Int)
  /// A fault or a broadcast reached further devices.
  case waved
}

/// A recorded call: its time, and the index of its first event.
package struct RecordedCall: Hashable, Sendable {
  package let call: WorldCall
  package let now: Now
  package let firstEvent: Int

  package init(_ call: WorldCall, at now: Now, firstEvent: Int) {
    self.call = call
    self.now = now
    self.firstEvent = firstEvent
  }
}

/// The calls of one batch, and the events they caused.
package struct TapeBatch: Sendable {
  package let calls: [RecordedCall]
  package let events: [WorldEvent]

  package init(calls: [RecordedCall], events: [WorldEvent]) {
    self.calls = calls
    self.events = events
  }

  /// The events that a call caused.
  package func events(of index: Int) -> Range<Int> {
    // Events before the first call, if any, are counted with it.
    let start = index == 0 ? 0 : min(calls[index].firstEvent, events.count)
    let end = index + 1 < calls.count ? min(calls[index + 1].firstEvent, events.count) : events.count
    return start..<max(start, end)
  }
}

extension World {
  /// Makes a call that is known as a value. An order that is rejected changes nothing.
  package mutating func apply(_ call: WorldCall, at now: Now) {
    switch call {
    case .opened(let id, let environment, let peer, let managesChannels, let certificate):
      connectionOpened(
        id, to: environment, peer: peer, managesChannels: managesChannels, certificate: certificate, at: now)
    case .closed(let id): connectionClosed(id, at: now)
    case .received(let request, let stream): receive(request, on: stream, at: now)
    case .answerWent(let push, let connection, let sent): answerWent(to: push, on: connection, sent, at: now)
    case .performed(let command): _ = try? perform(command, at: now)
    case .stepped(let entries): step(of: entries, to: now)
    case .waved: stepWaves(at: now)
    }
  }
}

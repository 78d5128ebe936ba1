import APNs
import Devices
import Timeline

/// Something that must be true, at a time or for the whole run.
package struct Expectation: Sendable {
  /// The author's name for it, or else a description.
  package let name: String
  package let place: String
  /// Time of the evaluation, relative to the scenario's beginning; nil for the end.
  package let at: Duration?
  /// Only events in this window count; nil for all events until then.
  package let window: ClosedRange<Duration>?
  package let question: Question

  package init(
    name: String, place: String, at: Duration? = nil, window: ClosedRange<Duration>? = nil, question: Question
  ) {
    self.name = name
    self.place = place
    self.at = at
    self.window = window
    self.question = question
  }
}

package enum Question: Sendable {
  case pushes(Filter, Claim)
  case events(Filter, EventRequirement)
  case screens(Selection, ScreenPattern, ScreenRequirement)
  /// The reports of apps to their backends.
  case reports(Filter, Claim)
  /// The auditor's findings, of one kind or all.
  case findings(AuditFinding.Kind?, ClosedRange<Int>)
  /// Connections that providers opened.
  case connections(Filter, ClosedRange<Int>)
  /// For the devices, and one app or all: cards and tokens are what the backend believes.
  case converged(Selection, app: Int?)
  case delay(DelayQuestion)
  case broadcasts(BroadcastQuestion)
}

package enum EventRequirement: Sendable {
  case count(ClosedRange<Int>)
  /// Names that must occur in this order; others may come between.
  case ordered([String])
  case sometimes
}

package enum ScreenRequirement: Sendable {
  case all
  case count(ClosedRange<Int>)
}

extension Expectation {
  /// True if an event at an instant counts.
  func includes(_ now: Instant, since began: Instant) -> Bool {
    window.map { $0.contains(began.duration(to: now)) } ?? true
  }
}

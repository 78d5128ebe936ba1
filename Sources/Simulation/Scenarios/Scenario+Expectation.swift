import APNs
import Devices
import Timeline

extension Scenario {
  /// Something that must be true, at a time or of the whole run.
  package struct Expectation: Sendable {
    /// What its author calls it, or else what it says.
    package let name: String
    package let place: String
    /// When it is judged, since the scenario began; nil for the end.
    package let at: Duration?
    /// Only what happens in it counts; nil for all that has happened by then.
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
    /// What apps have told their backends.
    case reports(Filter, Claim)
    /// What the auditor has found, of a kind or of all.
    case findings(AuditFinding.Kind?, ClosedRange<Int>)
    /// Connections of providers that were opened.
    case connections(Filter, ClosedRange<Int>)
    /// Of the devices, and of one app or all: cards and tokens are what those who were told of them believe.
    case converged(Selection, app: Int?)
    case delay(DelayQuestion)
  }

  package enum EventRequirement: Sendable {
    case count(ClosedRange<Int>)
    /// These names, one after another; others may come between.
    case ordered([String])
    case sometimes
  }

  package enum ScreenRequirement: Sendable {
    case all
    case count(ClosedRange<Int>)
  }
}

extension Scenario.Expectation {
  /// Whether what happens at an instant counts.
  func includes(_ now: Instant, since began: Instant) -> Bool {
    window.map { $0.contains(began.duration(to: now)) } ?? true
  }
}

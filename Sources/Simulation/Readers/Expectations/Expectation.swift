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

extension Question {
  /// The filters of what is asked; nil if the answer is not the sum of the answers of a fleet's parts.
  package var filters: [Filter]? {
    switch self {
    case .pushes(let filter, let claim), .reports(let filter, let claim): [filter, claim.condition]
    case .events(_, .ordered): nil
    case .events(let filter, .count), .events(let filter, .sometimes), .connections(let filter, _): [filter]
    case .screens(let selection, _, _), .converged(let selection, _): [selection.filter]
    case .delay(let question): [question.from.filter, question.to.filter]
    case .broadcasts(let question): [question.filter, question.claim.condition]
    // Some audits compare the pushes of a connection.
    case .findings: nil
    }
  }

  /// A copy that is limited to some devices, if the question is about phones and names no devices.
  fileprivate func bound(to devices: [DeviceID]) -> Question {
    switch self {
    case .screens(var selection, let shape, let claim) where selection.filter.devices == nil:
      selection.filter.devices = devices
      return .screens(selection, shape, claim)
    case .converged(var selection, let app) where selection.filter.devices == nil:
      selection.filter.devices = devices
      return .converged(selection, app: app)
    default: return self
    }
  }
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

  /// A copy of the expectation that is limited to a session's screens if it names no devices. It is evaluated when the
  /// session is closed.
  ///
  /// - Parameter scope: with its devices in their order.
  package func bound(to scope: Filter) -> Expectation {
    Expectation(
      name: name, place: place, at: nil, window: window,
      question: scope.devices.map { question.bound(to: $0) } ?? question)
  }
}

/// A reaction without what it was done with, so that it is copied without counting references.
package enum ReactionKind: Hashable, Sendable {
  case notified(Presentation.Shape, PresentationCause, ServiceExtension.Outcome?)
  case background(BackgroundWakes.Outcome)
  case call(VoIPCallReports.Outcome)
  case service(ServiceReaction)
  case started(Remarks)
  case updated(Remarks)
  case ended(Remarks)
  case held(Reaction.Hold)
  case dropped(DropCause)

  /// The reaction in a word.
  package var outcome: String {
    switch self {
    case .started: "started"
    case .updated: "updated"
    case .ended: "ended"
    case .held: "held"
    case .dropped: "dropped"
    case .notified(let shape, _, _): shape.rawValue
    case .background(.woken): "woken"
    case .background(.deliveredToRunning): "handled"
    case .background(.held): "held"
    case .background(.discarded), .background(.notWoken): "dropped"
    case .call(let outcome): outcome.name
    case .service(let reaction): reaction.rawValue
    }
  }

  /// The causes of a drop or a deferral, or the remarks on a push; empty without any.
  package var causes: [String] {
    switch self {
    case .started(let remarks), .updated(let remarks), .ended(let remarks):
      remarks.isEmpty ? [] : Remarks.all.filter { remarks.contains($0.remark) }.map(\.name)
    case .held(let why): [why.rawValue]
    case .dropped(let cause): [cause.rawValue]
    case .notified(_, let cause, let passage): [cause.rawValue] + (passage.map { [$0.rawValue] } ?? [])
    case .background(.held(let cause, _)), .background(.discarded(let cause)): [cause.rawValue]
    case .background(.notWoken): [WakeCause.notWoken.rawValue]
    case .service(let reaction): reaction.isForBody ? [reaction.rawValue] : []
    case .background(.woken), .background(.deliveredToRunning), .call: []
    }
  }

  /// The reaction, and its causes in parentheses.
  var words: String { outcome + (causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))") }
}

extension Reaction {
  package var kind: ReactionKind {
    switch self {
    case .notified(let shown): .notified(shown.shape, shown.cause, shown.passage)
    case .background(let outcome): .background(outcome)
    case .call(let outcome): .call(outcome)
    case .service(let reaction): .service(reaction)
    case .started(_, let remarks): .started(remarks)
    case .updated(_, let remarks, _): .updated(remarks)
    case .ended(_, _, let remarks, _): .ended(remarks)
    case .held(let why, _): .held(why)
    case .dropped(let cause, _): .dropped(cause)
    }
  }

  /// The reaction in a word.
  package var outcome: String { kind.outcome }
  /// The causes of a drop or a deferral, or the remarks on a push; empty without any.
  package var causes: [String] { kind.causes }
}

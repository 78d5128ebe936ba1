extension Reaction {
  /// The reaction in a word.
  package var outcome: String {
    switch self {
    case .started: "started"
    case .updated: "updated"
    case .ended: "ended"
    case .held: "held"
    case .dropped: "dropped"
    case .notified(let shown): shown.shape.rawValue
    case .background(.woken): "woken"
    case .background(.deliveredToRunning): "handled"
    case .background(.held): "held"
    case .background(.discarded), .background(.notWoken): "dropped"
    case .call(let outcome): outcome.name
    case .service(let reaction): reaction.rawValue
    }
  }

  /// The reaction, and its causes in parentheses.
  var words: String { outcome + (causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))") }

  /// The causes of a drop or a deferral, or the remarks on a push; empty without any.
  package var causes: [String] {
    switch self {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      remarks.isEmpty ? [] : Remarks.all.filter { remarks.contains($0.remark) }.map(\.name)
    case .held(let why, _): [why.rawValue]
    case .dropped(let cause, _): [cause.rawValue]
    case .notified(let shown): [shown.cause.rawValue] + (shown.passage.map { [$0.rawValue] } ?? [])
    case .background(.held(let cause, _)), .background(.discarded(let cause)): [cause.rawValue]
    case .background(.notWoken): [WakeCause.notWoken.rawValue]
    case .service(let reaction): reaction.isForBody ? [reaction.rawValue] : []
    case .background(.woken), .background(.deliveredToRunning), .call: []
    }
  }
}

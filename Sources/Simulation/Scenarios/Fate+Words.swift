import Devices

extension Fate {
  /// All words of `words`, for those who ask for one.
  package static let allWords = [
    "Refused by APNs", "Delivered to Device", "Delivered to Device (From Storage)", "Stored - Device Offline",
    "Stored - Power Considerations", "Discarded - Token Unregistered", "Discarded - Expired",
    "Discarded - Not Stored", "Discarded - Replaced", "Discarded - Certificate", "Discarded - Fault",
  ]

  /// All names of `causes`.
  package static let allCauses: [String] = {
    var names: [String] = []
    let all =
      Discard.allCases.map(\.rawValue) + DropCause.allCases.map(\.rawValue) + holds.map(\.rawValue)
      + WakeCause.allCases.map(\.rawValue) + PresentationCause.allCases.map(\.rawValue) + Remarks.all.map(\.name)
    for name in all where !names.contains(name) { names.append(name) }
    return names
  }()

  private static let holds: [Reaction.Hold] = [
    .lowPriority, .budget, .backgroundThrottle, .powerSaving, .serviceExtension,
  ]

  /// All names of `outcome`.
  package static let allOutcomes =
    ["started", "updated", "ended", "held", "dropped", "woken", "handled"] + Presentation.Shape.allCases.map(\.rawValue)
    + ["call-reported", "call-not-reported", "call-not-reported-and-stopped", "voip-stopped"]
    + ServiceReaction.allCases.map(\.rawValue)

  /// What the phone made of it, in a word; nil where it never had it.
  package var outcome: String? {
    guard let reaction else { return nil }
    switch reaction {
    case .started: return "started"
    case .updated: return "updated"
    case .ended: return "ended"
    case .held: return "held"
    case .dropped: return "dropped"
    case .notified(let shown): return shown.shape.rawValue
    case .background(.woken): return "woken"
    case .background(.deliveredToRunning): return "handled"
    case .background(.held): return "held"
    case .background(.discarded), .background(.notWoken): return "dropped"
    case .call(let outcome): return outcome.name
    case .service(let reaction): return reaction.rawValue
    }
  }

  /// Why it was discarded, dropped or kept back, or what is to be remarked upon.
  package var causes: [String] {
    if case .discarded(let cause) = self { return [cause.rawValue] }
    guard let reaction else { return [] }
    switch reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      return remarks.isEmpty ? [] : Remarks.all.filter { remarks.contains($0.remark) }.map(\.name)
    case .held(let why, _): return [why.rawValue]
    case .dropped(let cause, _): return [cause.rawValue]
    case .notified(let shown): return [shown.cause.rawValue]
    case .background(.held(let cause, _)), .background(.discarded(let cause)): return [cause.rawValue]
    case .background(.notWoken): return [WakeCause.notWoken.rawValue]
    case .background(.woken), .background(.deliveredToRunning), .call, .service: return []
    }
  }
}

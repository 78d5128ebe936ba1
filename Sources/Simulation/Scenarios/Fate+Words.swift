import Devices

extension Fate {
  /// All words of `words`, for those who ask for one.
  package static let allWords = [
    "Refused by APNs", "Delivered to Device", "Delivered to Device (From Storage)", "Stored - Device Offline",
    "Stored - Power Considerations", "Discarded - Token Unregistered", "Discarded - Expired",
    "Discarded - Not Stored", "Discarded - Replaced", "Discarded - Fault",
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

  fileprivate static let holds: [Reaction.Hold] = [
    .lowPriority, .budget, .backgroundThrottle, .powerSaving, .serviceExtension,
  ]

  /// All names of `outcome`.
  package static let allOutcomes =
    ["started", "updated", "ended", "held", "dropped", "woken", "handled"] + Presentation.Shape.allCases.map(\.rawValue)
    + ["call-reported", "call-not-reported", "call-not-reported-and-stopped", "voip-stopped"]
    + ServiceReaction.allCases.map(\.rawValue)

  /// What the phone made of it, in a word; nil where it never had it.
  package var outcome: String? { outcomeNumber.map { Self.allOutcomes[$0] } }

  /// The place of its outcome among all.
  var outcomeNumber: Int? {
    guard let reaction else { return nil }
    switch reaction {
    case .started: return 0
    case .updated: return 1
    case .ended: return 2
    case .held, .background(.held): return 3
    case .dropped, .background(.discarded), .background(.notWoken): return 4
    case .background(.woken): return 5
    case .background(.deliveredToRunning): return 6
    case .notified(let shown):
      switch shown.shape {
      case .banner: return 7
      case .listOnly: return 8
      case .nothing: return 9
      }
    case .call(let outcome):
      switch outcome {
      case .rang: return 10
      case .killed: return 11
      case .killedAndStopped: return 12
      case .notDelivered: return 13
      }
    case .service(let reaction):
      switch reaction {
      case .osTooOld: return 14
      case .needsPermission: return 15
      case .extensionRuns: return 16
      case .reloadHint: return 17
      case .needsJoin: return 18
      case .reportsSpeaker: return 19
      case .acceptedNoUI: return 20
      }
    }
  }

  /// The place of its words among all.
  var number: Int {
    switch self {
    case .refused: 0
    case .delivered: 1
    case .deliveredFromStorage: 2
    case .stored(.offline): 3
    case .stored(.power): 4
    case .discarded(let cause):
      switch cause {
      case .appAbsent, .orphanToken, .activityOver: 5
      case .expired: 6
      case .notStored, .storeFull: 7
      case .superseded, .collapsed, .coalesced: 8
      case .byFault: 9
      }
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

/// A name of a cause, as what it stands for: one name may be of several.
struct FateCause: Sendable {
  fileprivate let discard: Fate.Discard?
  fileprivate let drop: DropCause?
  fileprivate let hold: Reaction.Hold?
  fileprivate let wake: WakeCause?
  fileprivate let presentation: PresentationCause?
  fileprivate let remark: Remarks?

  init(_ name: String) {
    discard = Fate.Discard(rawValue: name)
    drop = DropCause(rawValue: name)
    hold = Reaction.Hold(rawValue: name)
    wake = WakeCause(rawValue: name)
    presentation = PresentationCause(rawValue: name)
    remark = Remarks.all.first { $0.name == name }?.remark
  }
}

extension Fate {
  /// Whether it is one of `causes`.
  func has(_ cause: FateCause) -> Bool {
    if case .discarded(let found) = self { return found == cause.discard }
    guard let reaction else { return false }
    switch reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      return cause.remark.map { remarks.contains($0) } ?? false
    case .held(let why, _): return why == cause.hold
    case .dropped(let found, _): return found == cause.drop
    case .notified(let shown): return shown.cause == cause.presentation
    case .background(.held(let found, _)), .background(.discarded(let found)): return found == cause.wake
    case .background(.notWoken): return cause.wake == .notWoken
    case .background(.woken), .background(.deliveredToRunning), .call, .service: return false
    }
  }
}

import Devices

extension Fate {
  /// All values of `words`.
  package static let allWords = DeliveryStatus.allCases.filter { $0 != .received }.map(\.words)

  /// All values of `causes`.
  package static let allCauses: [String] = {
    var names: [String] = []
    let all =
      Discard.allCases.map(\.rawValue) + Passage.allCases.map(\.rawValue) + DropCause.allCases.map(\.rawValue)
      + Reaction.Hold.allCases.map(\.rawValue)
      + WakeCause.allCases.map(\.rawValue) + PresentationCause.allCases.map(\.rawValue)
      + ServiceExtension.Outcome.allCases.map(\.rawValue) + Remarks.all.map(\.name)
      + ServiceReaction.allCases.filter(\.isForBody).map(\.rawValue)
    for name in all where !names.contains(name) { names.append(name) }
    return names
  }()

  /// All values of `outcome`.
  package static let allOutcomes =
    ["started", "updated", "ended", "held", "dropped", "woken", "handled"] + Presentation.Shape.allCases.map(\.rawValue)
    + ["call-reported", "call-not-reported", "call-not-reported-and-stopped", "voip-stopped"]
    + ServiceReaction.allCases.map(\.rawValue)

  /// The phone's reaction in a word; nil if the phone did not receive the push.
  package var outcome: String? { reaction?.outcome }

  /// The causes of a discard, a drop or a deferral, or the remarks on a delivered push; empty without any.
  package var causes: [String] {
    if let discard { return [discard.rawValue] }
    if case .stored(.power(let why, _)) = self { return [why.rawValue] }
    if case .onTheWay(let why, _) = self { return [why.rawValue] }
    return reaction?.causes ?? []
  }
}

/// The name of a cause, looked up once. A name can belong to several kinds of causes.
struct FateCause: Sendable {
  fileprivate let discard: Fate.Discard?
  fileprivate let way: Fate.Passage?
  fileprivate let drop: DropCause?
  fileprivate let hold: Reaction.Hold?
  fileprivate let wake: WakeCause?
  fileprivate let presentation: PresentationCause?
  fileprivate let service: ServiceReaction?
  fileprivate let passage: ServiceExtension.Outcome?
  fileprivate let remark: Remarks?

  init(_ name: String) {
    discard = Fate.Discard(rawValue: name)
    way = Fate.Passage(rawValue: name)
    drop = DropCause(rawValue: name)
    hold = Reaction.Hold(rawValue: name)
    wake = WakeCause(rawValue: name)
    presentation = PresentationCause(rawValue: name)
    service = ServiceReaction(rawValue: name).flatMap { $0.isForBody ? $0 : nil }
    passage = ServiceExtension.Outcome(rawValue: name)
    remark = Remarks.all.first { $0.name == name }?.remark
  }
}

extension Fate {
  /// True if `causes` contains the name of this cause.
  func has(_ cause: FateCause) -> Bool {
    if let discard { return discard == cause.discard }
    if case .stored(.power(let why, _)) = self { return why == cause.hold }
    if case .onTheWay(let why, _) = self { return why == cause.way }
    guard let reaction else { return false }
    switch reaction {
    case .started(_, let remarks), .updated(_, let remarks, _), .ended(_, _, let remarks, _):
      return cause.remark.map { remarks.contains($0) } ?? false
    case .held(let why, _): return why == cause.hold
    case .dropped(let found, _): return found == cause.drop
    case .notified(let shown):
      return shown.cause == cause.presentation || shown.passage.map { $0 == cause.passage } ?? false
    case .background(.held(let found, _)), .background(.discarded(let found)): return found == cause.wake
    case .background(.notWoken): return cause.wake == .notWoken
    case .service(let found): return found == cause.service
    case .background(.woken), .background(.deliveredToRunning), .call: return false
    }
  }
}

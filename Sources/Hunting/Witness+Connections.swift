import APNs
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Questions about the ways of pushes and answers: connections, and the backend at their other end.
extension Witness {
  /// Assumed: no fault of connections or listeners holds a request for longer, unless the connection freezes.
  private static let longestHold: Duration = .seconds(120)

  /// Assumed: no story moves its phones by more at a time. What a thaw lets in arrives after the step in which it is.
  private static let longestStep: Duration = .seconds(60)

  /// A fault that may hold requests on their way to APNs.
  struct HoldingFault: Sendable {
    /// True if it holds them until its end.
    let freezes: Bool
    let until: Instant?
  }

  /// True if a fault of connections or listeners may have held requests on their way to APNs.
  var mayHoldRequests: Bool { !holdingFaults.isEmpty }

  /// The faults that may have held requests.
  ///
  /// - Parameter struck: names of those that have struck.
  static func holdingFaults(_ faults: [Fault], struck: Set<String>) -> [HoldingFault] {
    faults.compactMap { fault in
      let kinds = fault.consequence.json
      let freezes = kinds["freeze"] != nil || kinds["last"]?.truth == true
      let holds = freezes || kinds["streams"] != nil || kinds["window"] != nil
      guard kinds["listener"] != nil || holds && struck.contains(fault.name) else { return nil }
      return HoldingFault(freezes: freezes, until: fault.until)
    }
  }

  /// True if a backend must have sent a push after that time, however long it was on its way. What waits on a frozen
  /// connection arrives when that thaws, even if the backend has sent it again on another one long ago.
  func isSurelySent(_ push: WitnessedPush, after time: Instant) -> Bool {
    guard mayHoldRequests else { return time <= push.at }
    let hasThawed = holdingFaults.contains { fault in
      let thaw = min(fault.until ?? quietBegin, quietBegin)
      return fault.freezes && thaw <= push.at && push.at <= thaw.advanced(by: Self.longestStep)
    }
    return !hasThawed && time.advanced(by: Self.longestHold) <= push.at
  }

  /// True if the backend was stopped then, or was about to be or had just been started.
  func isRestarting(at now: Instant) -> Bool {
    var stopped: Instant?
    for restart in restarts {
      guard restart.order == .start else {
        stopped = stopped ?? restart.at
        continue
      }
      if let since = stopped, since <= now.advanced(by: Self.connectionMargin),
        now <= restart.at.advanced(by: Self.restartMargin)
      {
        return true
      }
      stopped = nil
    }
    return stopped.map { $0 <= now.advanced(by: Self.connectionMargin) } ?? false
  }

  /// True if 200 was sent for a push, and its backend must have received it: neither its connection nor the backend
  /// broke off around that time.
  func wasSurelyHeard(_ push: WitnessedPush, within patience: Duration) -> Bool {
    guard push.status == 200, push.isAnswered, push.wait <= patience else { return false }
    let heard = push.record.sentAt
    let wasKilled = restarts.contains { restart in
      restart.order != .start && restart.at <= heard.advanced(by: Self.restartMargin)
        && heard <= restart.at.advanced(by: Self.connectionMargin)
    }
    return !wasKilled
      && !(breaks[push.record.stream.connection] ?? []).contains { broken in
        broken <= heard.advanced(by: Self.connectionMargin) && heard <= broken.advanced(by: Self.connectionMargin)
      }
  }

  /// An answer may be lost within a client whose connection breaks off at about this time.
  private static let connectionMargin: Duration = .seconds(1)
  /// A backend may need this long to store what it knows.
  private static let restartMargin: Duration = .seconds(10)

  /// The times at which connections were broken off, as pushes on them show.
  static func breaks(_ pushes: [WitnessedPush]) -> [ProviderConnectionID: [Instant]] {
    var breaks: [ProviderConnectionID: [Instant]] = [:]
    for push in pushes {
      switch push.record.sent {
      case .nothing(.connectionAborted), .nothing(.connectionFrozen), .nothing(.connectionEnded):
        breaks[push.record.stream.connection, default: []] += [push.at, push.record.sentAt]
      default: break
      }
    }
    return breaks
  }

  /// True if a backend has made all these attempts on one connection that it should have replaced: a fault strikes it,
  /// and not every one; for a minute before the first attempt, APNs has refused everything on it; and until the fault
  /// ends, the backend has sent nothing on another one.
  func isOnSickConnection(_ attempts: [WitnessedPush]) -> Bool {
    let sick = faults.filter { fault in
      fault.limit != nil && ["answerAll", "skew"].contains { fault.consequence.json[$0] != nil }
    }
    guard !sick.isEmpty, let first = attempts.first else { return false }
    let connection = first.record.stream.connection
    let before = pushes.prefix { $0.record.sequence < first.record.sequence }
    let refused = before.reversed().prefix { $0.record.stream.connection == connection && !$0.mayBeTaken }
    guard refused.count >= Self.fewestRefused, let since = refused.last?.record.sentAt,
      since.advanced(by: Self.patience) <= first.at
    else { return false }
    let name = pushes.last { push in
      push.record.stream.connection == connection && sick.contains { $0.name == push.record.fault }
    }?.record.fault
    guard let fault = sick.first(where: { $0.name == name }) else { return false }
    let end = min(fault.until ?? quietBegin, quietBegin)
    guard first.at < end else { return false }
    let whole = pushes.dropFirst(before.count).prefix { $0.at < end }
    return whole.allSatisfy { $0.record.stream.connection == connection && !$0.mayBeTaken }
      && attempts.allSatisfy { push in
        push.record.stream.connection == connection && push.reason != .tooManyProviderTokenUpdates
      }
  }

  /// As many refusals in a row, for as long, are no accident of single pushes.
  private static let (fewestRefused, patience) = (10, Duration.seconds(60))

  /// The clause about a push that is still to be sent, after these attempts; nil if it was taken, or refused for good
  /// on a connection that need not be replaced.
  func trouble(of attempts: [WitnessedPush]) -> String? {
    isOnSickConnection(attempts) ? "that was sent only on a connection that refuses everything" : attempts.last?.trouble
  }
}

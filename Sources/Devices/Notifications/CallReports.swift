import APNs
import Timeline

/// VoIP pushes of one app on one device, and whether the app reports the calls they announce.
///
///     trusted ──call not reported──▶ warned ──third within a day──▶ stopped ──its time, if any──▶ trusted
///                                     └──the day is over──▶ trusted
///
/// Documented: they are delivered at once, launch the app even after it was terminated or force-quit, and an app that
/// reports no call is killed. Assumed: a call that is reported wipes out no failure.
package struct CallReports: Hashable, Sendable {
  package enum Standing: Hashable, Sendable {
    case trusted
    case warned(failures: UInt32, until: Instant)
    /// Without end when nothing but a new install helps: `Instant.distantFuture`.
    case stopped(until: Instant)
  }

  package enum Outcome: Hashable, Sendable {
    /// The phone rings.
    case rang(launched: Bool)
    case killed(failures: UInt32)
    /// Killed, and the last straw.
    case killedAndStopped(until: Instant)
    /// APNs took it, the phone did not.
    case notDelivered(until: Instant)
  }

  private var standing = Standing.trusted

  package init() {}

  package func standing(at now: Instant) -> Standing {
    switch standing {
    case .trusted: .trusted
    case .warned(_, let until), .stopped(let until): until <= now ? .trusted : standing
    }
  }

  /// - Parameter reportsCall: whether the app tells CallKit of a call within its handler.
  package mutating func receive(
    reportsCall: Bool, _ process: AppProcess, _ plan: CallPlan, at now: Instant
  ) -> Outcome {
    standing = standing(at: now)
    if case .stopped(let until) = standing { return .notDelivered(until: until) }
    guard !reportsCall else { return .rang(launched: process == .terminated || process == .forceQuit) }
    var failures: UInt32 = 1
    var end = now.advanced(by: plan.window)
    if case .warned(let before, let until) = standing {
      failures = before + 1
      end = until
    }
    guard failures < plan.failures else {
      let until = plan.stopsFor.map { now.advanced(by: $0) } ?? .distantFuture
      standing = .stopped(until: until)
      return .killedAndStopped(until: until)
    }
    standing = .warned(failures: failures, until: end)
    return .killed(failures: failures)
  }
}

extension CallReports.Outcome {
  /// By what name the ledger has it.
  package var name: String {
    switch self {
    case .rang: "call-reported"
    case .killed: "call-not-reported"
    case .killedAndStopped: "call-not-reported-and-stopped"
    case .notDelivered: "voip-stopped"
    }
  }

  package var sentence: String {
    switch self {
    case .rang: "the app was given the push at once and reported a call"
    case .killed: "the app did not report a call to CallKit, so iOS killed it"
    case .killedAndStopped: "the app failed to report a call once too often: killed, and no more VoIP pushes come"
    case .notDelivered: "iOS no longer delivers VoIP pushes to this app, which failed to report calls"
    }
  }

  package var evidence: Evidence { source.told(in: "other-pushes.md#\(name)") }

  private var source: Evidence {
    switch self {
    case .rang, .killed: .documented("Apple, Responding to VoIP Notifications from PushKit")
    case .killedAndStopped, .notDelivered:
      .observed("a public project counts three failures a day; that repeated failures stop them is Apple's word")
    }
  }
}

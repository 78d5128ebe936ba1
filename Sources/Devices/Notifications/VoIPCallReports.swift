import APNs
import Timeline

/// VoIP pushes of one app on one device, and whether the app reports the calls they announce.
///
///     trusted ──call not reported──▶ warned ──third within a day──▶ stopped ──its time, if any──▶ trusted
///                                     └──the day is over──▶ trusted
///
/// Documented: they are delivered at once, launch the app even after it was terminated or force-quit, and an app that
/// reports no call is killed. Assumed: a call that is reported wipes out no failure.
package struct VoIPCallReports: Hashable, Sendable {
  package enum Status: Hashable, Sendable {
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

  private var status = Status.trusted

  package init() {}

  package func status(at now: Instant) -> Status {
    switch status {
    case .trusted: .trusted
    case .warned(_, let until), .stopped(let until): until <= now ? .trusted : status
    }
  }

  /// - Parameter reportsCall: whether the app tells CallKit of a call within its handler.
  package mutating func receive(
    reportsCall: Bool, _ process: AppProcess, _ plan: VoIPCallPlan, at now: Instant
  ) -> Outcome {
    status = status(at: now)
    if case .stopped(let until) = status { return .notDelivered(until: until) }
    guard !reportsCall else { return .rang(launched: process == .terminated || process == .forceQuit) }
    var failures: UInt32 = 1
    var end = now.advanced(by: plan.window)
    if case .warned(let before, let until) = status {
      failures = before + 1
      end = until
    }
    guard failures < plan.failures else {
      let until = plan.stopsFor.map { now.advanced(by: $0) } ?? .distantFuture
      status = .stopped(until: until)
      return .killedAndStopped(until: until)
    }
    status = .warned(failures: failures, until: end)
    return .killed(failures: failures)
  }
}

extension VoIPCallReports.Outcome {
  /// By what name the push log has it.
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

/// When VoIP pushes stop for an app that reports no calls.
///
/// Documented: repeated failures may stop them. Observed: three in a day, by one project.
package struct VoIPCallPlan: Hashable, Sendable {
  /// The failure that stops them; below one means the first.
  package var failures: UInt32 = 3
  /// From the first failure until all are forgotten. Assumed: fixed, not sliding.
  package var window: Duration = .seconds(24 * 3600)
  /// How long they stay away; nil until the app is installed anew. Assumed.
  package var stopsFor: Duration?

  package init() {}
}

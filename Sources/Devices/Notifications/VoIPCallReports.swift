import APNs
import Timeline

/// The time at which an app reports a call to CallKit for a VoIP push.
package enum CallReporting: Hashable, Sendable {
  case atOnce
  /// A delay after the push, by which its handler has returned.
  case late(Duration)
  case never
}

/// VoIP pushes of one app on one device, and whether the app reports a call for each.
///
///     trusted ──call not reported──▶ warned ──third within a day──▶ stopped ──its time, if any──▶ trusted
///                                     └──the day is over──▶ trusted
///
/// Documented: they are delivered at once and launch the app even after it was terminated or force-quit; an app that
/// reports no call is killed. Assumed: a reported call does not reset the number of failures.
package struct VoIPCallReports: Hashable, Sendable {
  package enum Status: Hashable, Sendable {
    case trusted
    case warned(failures: UInt32, until: Instant)
    /// `Instant.distantFuture` if only a new install ends it.
    case stopped(until: Instant)
  }

  package enum Outcome: Hashable, Sendable {
    /// The phone rings.
    case rang(launched: Bool)
    case killed(failures: UInt32)
    /// Killed, although it has reported a call.
    case reportedLate(after: Duration, failures: UInt32)
    /// Killed, and the limit of failures is reached.
    case killedAndStopped(until: Instant)
    /// APNs accepted it, but the phone did not deliver it.
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

  package mutating func receive(
    reporting: CallReporting, _ process: AppProcess, _ plan: VoIPCallPlan, at now: Instant
  ) -> Outcome {
    status = status(at: now)
    if case .stopped(let until) = status { return .notDelivered(until: until) }
    guard reporting != .atOnce else { return .rang(launched: process == .terminated || process == .forceQuit) }
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
    if case .late(let delay) = reporting { return .reportedLate(after: delay, failures: failures) }
    return .killed(failures: failures)
  }
}

extension VoIPCallReports.Outcome {
  /// The name of the outcome in the push log.
  package var name: String {
    switch self {
    case .rang: "call-reported"
    case .killed: "call-not-reported"
    case .reportedLate: "call-reported-late"
    case .killedAndStopped: "call-not-reported-and-stopped"
    case .notDelivered: "voip-stopped"
    }
  }

  package var sentence: String {
    switch self {
    case .rang: "the app was given the push at once and reported a call"
    case .killed: "the app did not report a call to CallKit, so iOS killed it"
    case .reportedLate(let delay, _):
      "the app's handler returned before the app reported a call, after \(DurationText.write(delay)), so iOS killed it"
    case .killedAndStopped: "the app failed to report calls too often: iOS killed it and stops delivering VoIP pushes"
    case .notDelivered: "iOS no longer delivers VoIP pushes to this app, which failed to report calls"
    }
  }

  package var evidence: Evidence { source.told(in: "other-pushes.md#\(name)") }

  private var source: Evidence {
    switch self {
    case .rang, .killed, .notDelivered: .documented("Apple, Responding to VoIP Notifications from PushKit")
    case .reportedLate: .documented("Apple, WWDC26 session 226")
    case .killedAndStopped:
      .observed("a public project counts three failures a day; documented: repeated failures stop them")
    }
  }
}

/// The rule that stops the VoIP pushes of an app that does not report calls.
///
/// Documented: repeated failures may stop them. Observed: three in a day, by one project.
package struct VoIPCallPlan: Hashable, Sendable {
  /// The number of failures that stops them; 0 means 1.
  package var failures: UInt32 = 3
  /// Length of the window, from its first failure. Assumed: fixed, not sliding.
  package var window: Duration = .seconds(24 * 3600)
  /// Time for which they are stopped; nil until the app is installed again. Assumed.
  package var stopsFor: Duration?

  package init() {}
}

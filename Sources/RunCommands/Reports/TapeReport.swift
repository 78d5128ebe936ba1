import Configuration
import Devices
import Orders
import Pushpit
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The report of the run on a tape, which is read in portions and played again.
package struct TapeReport {
  package let report: ReportFile
  package let ending: Replay.Ending
  /// A sentence about the end of the replay.
  package let sentence: String

  /// - Parameter progress: takes a line about how far it has come, after every megabyte of tape.
  /// - Throws: `ReplayProblem` for a file that is not a tape, or that this program cannot play.
  package init(_ path: String, progress: (String) -> Void = { _ in }) throws {
    // An answer that is sent later is counted while its push is kept, as on a server.
    var logs = EventLogs(pushLogCapacity: Settings().pushLogEntries, audits: true)
    var replay = Replay(path)
    replay.checkHeader = { logs.tally = RunTally(by: WorldSource.reportClock(of: $0)) }
    let played = try replay.play(to: { list, world, _ in logs.read(list, in: world) }, progress: progress)
    ending = played.ending
    sentence = played.report
    let header = replay.header
    var notes: [String] = []
    switch ending {
    case .same: break
    case .cut:
      notes.append("The tape is truncated or damaged. The report covers everything up to that place: \(played.report)")
    case .differs:
      notes.append("This program's results differ from those on the tape, so the report ends there. \(played.report)")
    }
    let isVirtual = header.map { $0.sources["scenario"] != nil && $0.sources["scenario"]?["live"]?.members == nil }
    let origin = RunReport.Origin(
      command: "the tape \(path)", program: header?.program ?? Version.text,
      plan: replay.plan ?? FleetPlan(devices: 0, seed: 0, apps: []), began: header?.began ?? Instant(seconds: 0),
      isVirtual: isVirtual ?? false)
    report = ReportFile(RunReport(origin, logs, notes: notes))
  }
}

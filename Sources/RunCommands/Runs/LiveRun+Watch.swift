import Scenarios
import Simulation
import Timeline

extension LiveRun {
  /// The parts of a run that are kept.
  struct Record {
    /// The file for a tape; nil for none.
    var tape: String?
    /// True if its numbers are counted for a report.
    var reports = false
  }

  /// A watch on a run, by somebody who plays many.
  struct Watch {
    /// Receives the world at the end of the scenario, with its audit.
    let atEnd: (Ending) -> Void
    /// True if the run is to end at once. Signals are the watcher's.
    let isCancelled: () -> Bool
  }

  /// The end of a run that is watched.
  struct Ending {
    let simulator: Simulator
    let scenario: Scenario
    /// Names of faults that have struck and were then removed.
    let struck: Set<String>
    /// The machine's times at which the backend was told the time.
    let ticks: [Instant]
    /// The reason why the scenario was not played to its end; nil if it was.
    let abandoned: String?
    /// True if it was abandoned because the backend did not answer a tick in time.
    let hangs: Bool
    /// True if the scenario had begun.
    let hasBegun: Bool
  }
}

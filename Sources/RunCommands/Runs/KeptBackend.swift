import ScenarioFiles
import Transport

/// The backend that plays share: it is reset before each play, instead of being ended and started.
final class KeptBackend {
  struct Running {
    /// As in the file, without its port.
    let plan: BackendPlan
    let process: BackendProcess
    let port: FreePort?
    let folder: RunFolder
  }

  private var running: Running?
  /// True once a play has ended.
  private(set) var hasPlayed = false

  /// The backend of a plan, if it is running. A backend of another plan is ended.
  func running(of plan: BackendPlan?) -> Running? {
    if let other = running, other.plan != plan || other.process.isOver { end() }
    return running
  }

  func keep(_ running: Running) { (self.running, hasPlayed) = (running, true) }

  /// The last play ends it.
  func release() { (running, hasPlayed) = (nil, true) }

  private func end() {
    running?.process.end()
    running = nil
  }

  deinit { end() }
}

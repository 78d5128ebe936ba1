import Dispatch
import Scenarios
import Simulation
import Synchronization
import Transport

/// Plays a divided scenario: each thread plays one part after the other. What the threads share is under one lock.
final class DividedRun: Sendable {
  private struct State {
    var played: [DividedScenario.Played?]
    var progress: [ScenarioPlayer.Progress?]
    /// The next part to play.
    var next = 0
    /// Threads that play.
    var running: Int
    /// True if the caller was notified of news that it has not looked at.
    var isTold = false
  }

  private let scenario: DividedScenario
  private let state: Mutex<State>
  private let news = DispatchSemaphore(value: 0)

  init(_ scenario: DividedScenario, threads: Int) {
    self.scenario = scenario
    state = Mutex(
      State(
        played: Array(repeating: nil, count: scenario.parts), progress: Array(repeating: nil, count: scenario.parts),
        running: max(1, min(threads, scenario.parts))))
  }

  /// The report of one world; nil if only one world can tell, or if the system has no threads for it.
  ///
  /// - Parameter say: called on this thread, with how far all parts have come.
  func play(_ say: (ScenarioPlayer.Progress) -> Void) -> ScenarioReport? {
    let threads = (0..<state.withLock(\.running)).map { _ in LoopThread { [self] in playParts() } }
    // Those that run play the parts of those that are missing.
    state.withLock { $0.running -= threads.count { $0 == nil } }
    while let progress = wait() { say(progress) }
    for thread in threads { thread?.join() }
    let played = state.withLock { $0.played.compactMap(\.self) }
    return played.count == scenario.parts ? scenario.report(played) : nil
  }

  private func playParts() {
    while let part = takePart() {
      var told = 0
      let played = scenario.play(part) { progress in
        // The caller wakes up for each.
        guard progress.percent > told else { return }
        told = progress.percent
        tell { $0.progress[part] = progress }
      }
      tell { $0.played[part] = played }
    }
    tell { $0.running -= 1 }
  }

  private func takePart() -> Int? {
    state.withLock { state in
      guard state.next < scenario.parts else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func tell(_ change: (inout sending State) -> Void) {
    let isNew = state.withLock { state in
      change(&state)
      defer { state.isTold = true }
      return !state.isTold
    }
    if isNew { news.signal() }
  }

  /// Waits until a part has come further; nil if all are over.
  private func wait() -> ScenarioPlayer.Progress? {
    while state.withLock({ $0.running > 0 }) {
      news.wait()
      let progress = state.withLock { state in
        state.isTold = false
        return state.progress.compactMap(\.self)
      }
      if !progress.isEmpty { return .all(progress, parts: scenario.parts) }
    }
    return nil
  }
}

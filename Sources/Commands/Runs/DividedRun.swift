import Dispatch
import Simulation
import Synchronization
import Transport

/// Plays a divided scenario: each part by a thread of its own. What its threads share is under one lock.
final class DividedRun: Sendable {
  private struct State {
    var played: [DividedScenario.Played?]
    var progress: [ScenarioPlayer.Progress?]
    var running: Int
    /// Whether the caller was told of news that it has not looked at.
    var isTold = false
  }

  private let scenario: DividedScenario
  private let state: Mutex<State>
  private let news = DispatchSemaphore(value: 0)

  init(_ scenario: DividedScenario) {
    self.scenario = scenario
    state = Mutex(
      State(
        played: Array(repeating: nil, count: scenario.parts), progress: Array(repeating: nil, count: scenario.parts),
        running: scenario.parts))
  }

  /// The report of one world; nil if only one world can tell, or if the system has no threads for it.
  ///
  /// - Parameter say: called on this thread, with how far all parts have come.
  func play(_ say: (ScenarioPlayer.Progress) -> Void) -> ScenarioReport? {
    let threads = (0..<scenario.parts).map { part in LoopThread { [self] in play(part) } }
    let missing = threads.count { $0 == nil }
    state.withLock { $0.running -= missing }
    while let progress = wait() { say(progress) }
    for thread in threads { thread?.join() }
    let played = state.withLock { $0.played.compactMap(\.self) }
    return missing == 0 ? scenario.report(played) : nil
  }

  private func play(_ part: Int) {
    let played = scenario.play(part) { progress in
      tell { $0.progress[part] = progress }
    }
    tell {
      $0.played[part] = played
      $0.running -= 1
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
      if progress.count == scenario.parts { return .all(progress) }
    }
    return nil
  }
}

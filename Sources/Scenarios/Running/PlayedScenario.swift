import Simulation
import Timeline

/// A scenario that a client of the admin API plays, step by step, on this server's phones.
package struct PlayedScenario: Sendable {
  /// The number of this scenario among all that were opened in this process, from 1.
  package let number: UInt64
  package fileprivate(set) var director: ScenarioDirector
  package fileprivate(set) var hasBegun = false
  /// Ready to read events; nil while it reads them.
  fileprivate var observer: Observer?
  /// True if the world's clock ran before the scenario was opened.
  fileprivate let clockRan: Bool

  package var isOver: Bool { director.due == nil && director.passed >= director.scenario.length }
}

extension Simulator {
  /// The scenario of that number.
  package func scenario(_ id: String) throws(CommandProblem) -> PlayedScenario {
    if let played, "\(played.number)" == id { return played }
    throw CommandProblem(
      .unknown, field: "id",
      sentence:
        "No scenario \(id) is being played: it was ended, by its client or by another POST /v1/scenarios or a reset.")
  }

  /// Begins with new phones, stops the clock, and gets ready to play a scenario. One that is being played ends.
  ///
  /// - Parameter observer: the director's, passed because making it takes long with many expectations.
  package mutating func openScenario(
    _ director: ScenarioDirector, _ observer: Observer, wall: Instant
  ) throws(CommandProblem) -> Beginning {
    let beginning = try beginAnew(wall: wall)
    scenariosOpened += 1
    var director = director
    director.provider.count(scenario: scenariosOpened)
    played = PlayedScenario(
      number: scenariosOpened, director: director, observer: observer, clockRan: clock.mode != .manual)
    clock.stand(wall: wall)
    return beginning
  }

  /// The time line begins, now or later; everything that happens from then on counts.
  package mutating func beginScenario(at begins: Instant?, wall: Instant) throws(CommandProblem) {
    guard let scenario = played?.director.scenario, played?.hasBegun == false else {
      throw CommandProblem(.conflict, field: "begins", sentence: "The scenario has begun already; leave begins out.")
    }
    let now = now(wall: wall).world
    let begins = begins ?? now
    guard begins >= now, begins <= WorldClock.end.advanced(by: .zero - scenario.length) else {
      throw CommandProblem(
        .impossible, field: "begins",
        sentence:
          "The scenario cannot begin then: the world's clock is at \(now.rfc3339) and ends at"
          + " \(WorldClock.end.rfc3339)."
      )
    }
    clock.advance(by: now.duration(to: begins))
    played?.director.begin(at: begins)
    played?.hasBegun = true
    played?.observer?.begin(at: begins)
    readers.logs.observer = played?.observer.take()
  }

  /// Moves the time line, as far as is done in one go.
  ///
  /// - Parameter show: receives the events, in batches.
  /// - Returns: whether the target is reached.
  package mutating func moveScenario(to target: Duration, wall: Instant, show: ([WorldEvent]) -> Void) -> Bool {
    guard var playing = played else { return true }
    // Uniquely referenced, because otherwise all its moments would be copied.
    played = nil
    let end = min(target, playing.director.scenario.length)
    let isThere = playing.director.moveSome(to: end, &self, wall: wall, show: show)
    played = playing
    return isThere
  }

  /// Ends the scenario, and closes the connections of its provider: no later event counts. The clock runs again if it
  /// ran before. Settle afterwards.
  ///
  /// - Returns: the ended scenario; nil if none was being played.
  package mutating func endScenario(wall: Instant) -> PlayedScenario? {
    guard var ended = played.take() else { return nil }
    if let observer = readers.logs.observer.take() { ended.observer = observer }
    ended.director.provider.disconnect(from: &world, at: now(wall: wall))
    if ended.clockRan { clock.run(wall: wall) }
    return ended
  }
}

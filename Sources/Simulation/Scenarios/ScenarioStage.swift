import Timeline

/// The world a scenario is played in, with its readers.
struct ScenarioStage: Sendable {
  var station: Station
  var watch: Watch
  private var events: [Event] = []

  init(_ scenario: Scenario) {
    var clock = WorldClock()
    clock.stand(at: scenario.begins)
    station = Station(world: scenario.world(), clock: clock, ledgerCapacity: scenario.ledgerPushes)
    watch = Watch(scenario)
  }

  /// Shows the readers what has happened.
  ///
  /// - Parameter step: whose doing it is; nil for what came by itself.
  mutating func settle(_ step: Int?) {
    station.settle(into: &events)
    watch.read(events, of: step)
  }

  /// Lets time pass, from what is due to what is due.
  mutating func advance(to now: Now) {
    while let due = station.world.nextDue, due <= now.world {
      station.world.advance(to: Now(world: due, wall: now.wall))
      settle(nil)
    }
    station.world.advance(to: now)
    settle(nil)
  }
}

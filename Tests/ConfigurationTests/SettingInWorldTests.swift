import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Settings whose effect no scenario can show: on provider tokens, channels, calls and parts of the screen.
@Suite("The effect of a setting in a world made from settings")
struct SettingInWorldTests {
  /// The result with the default, and the result with a value.
  private func found<Found>(
    _ key: String, _ value: String, beside pairs: [(key: String, value: String)] = [], fleet: String = "{}",
    _ look: (inout SettingsWorld) throws -> Found
  ) throws -> (usual: Found, set: Found) {
    var usual = try SettingsWorld(pairs, fleet: fleet)
    var set = try SettingsWorld(pairs + [(key, value)], fleet: fleet)
    return (try look(&usual), try look(&set))
  }

  @Test("rules.providerTokenLife is how long a provider token is valid after its iat")
  func providerTokenLife() throws {
    let reasons = try found("rules.providerTokenLife", "3h") { world in
      world.advance(by: .seconds(2 * 3600))
      return try world.push().answer.rejection?.reason
    }
    #expect(reasons.usual == .expiredProviderToken && reasons.set == nil)
  }

  @Test("fleet.cell is the part of the fleet in this process, and pushes to the rest get BadDeviceToken")
  func cells() throws {
    let refused = try found("fleet.cell", "1/2") { world in try world.push().answer.rejection?.reason }
    #expect(refused.usual == nil && refused.set == .badDeviceToken)
  }

  @Test("rules.channelsPerApp is the maximum number of channels of an app")
  func channelsPerApp() throws {
    let statuses = try found("rules.channelsPerApp", "1") { world in
      [try world.makeChannel().status, try world.makeChannel().status]
    }
    #expect(statuses.usual == [201, 201] && statuses.set == [201, 400])
  }

  @Test("rules.broadcastPriority decides whether a broadcast needs a priority")
  func broadcastPriority() throws {
    let statuses = try found("rules.broadcastPriority", "optional") { world in
      let channel = try #require(try world.makeChannel().id)
      return try world.broadcast(on: channel)
    }
    #expect(statuses.usual == 400 && statuses.set == 200)
  }

  @Test("rules.broadcastDisabled names the apps whose requests about channels are rejected")
  func broadcastDisabled() throws {
    let statuses = try found("rules.broadcastDisabled", SettingsWorld.app) { world in try world.makeChannel().status }
    #expect(statuses.usual == 201 && (400...499).contains(statuses.set))
  }

  private static let caller = "{apps: [{bundleId: com.example.app, services: [voip], reportsCalls: never}]}"

  private func ring(_ world: inout SettingsWorld) throws -> Fate {
    try world.push(.service(.voip), "{}", topic: SettingsWorld.app + ".voip", type: "voip").firstFate
  }

  @Test("calls.failures is the number of unreported calls that stops VoIP pushes")
  func callFailures() throws {
    let fates = try found("calls.failures", "1", fleet: Self.caller) { world in try ring(&world) }
    #expect(fates.usual == .delivered(.call(.killed(failures: 1))))
    #expect(fates.set == .delivered(.call(.killedAndStopped(until: .distantFuture))))
  }

  @Test("calls.window is the time after which failures are forgotten")
  func callWindow() throws {
    let fates = try found("calls.window", "1h", fleet: Self.caller) { world in
      _ = try ring(&world)
      world.advance(by: .seconds(2 * 3600))
      world.issuedAt = world.now.world.seconds
      return try ring(&world)
    }
    #expect(fates.usual == .delivered(.call(.killed(failures: 2))))
    #expect(fates.set == .delivered(.call(.killed(failures: 1))))
  }

  @Test("calls.stopsFor is how long VoIP pushes are stopped")
  func callStop() throws {
    let fates = try found("calls.stopsFor", "1h", beside: [("calls.failures", "1")], fleet: Self.caller) { world in
      _ = try ring(&world)
      world.advance(by: .seconds(2 * 3600))
      world.issuedAt = world.now.world.seconds
      return try ring(&world)
    }
    #expect(fates.usual == .delivered(.call(.notDelivered(until: .distantFuture))))
    let until = SettingsWorld.began.advanced(by: .seconds(3 * 3600))
    #expect(fates.set == .delivered(.call(.killedAndStopped(until: until))))
  }

  @Test("budgets.start.decrementWhenExhausted decides whether refused starts are charged")
  func startDebt() throws {
    let left = try found(
      "budgets.start.decrementWhenExhausted", "false", beside: [("budgets.start.capacity", "1")]
    ) { world in
      for _ in 0..<3 { try world.start() }
      return try world.view().apps[0].startsLeft
    }
    #expect(left.usual == -2 && left.set == 0)
  }

  @Test("fleet.mix.watch is the share of phones with a watch, which also shows alerts")
  func watch() throws {
    let seen = try found("fleet.mix.watch", "100%") { world in
      try world.start()
      return [try world.view().hasWatch, world.screen().alert?.shown.isOnWatch]
    }
    #expect(seen.usual == [false, false] && seen.set == [true, true])
  }

  @Test("fleet.mix.island is the share of phones with a Dynamic Island")
  func island() throws {
    let present = try found("fleet.mix.island", "0%") { world in
      if case .absent = world.screen().island { false } else { true }
    }
    #expect(present.usual && !present.set)
  }

  @Test("seen.alertShows is how long an alert stays on the screen")
  func alertShows() throws {
    let shown = try found("seen.alertShows", "1m") { world in
      try world.start()
      return [Duration.zero, .seconds(30), .seconds(90)].map { world.screen(after: $0).alert != nil }
    }
    #expect(shown.usual == [true, false, false] && shown.set == [true, true, false])
  }

  @Test("seen.focusQuietsActivities decides whether a Focus silences the alerts of Live Activities")
  func focus() throws {
    let titles = try found("seen.focusQuietsActivities", "true") { world in
      try world.order(.flip(.focus, on: true, app: nil))
      try world.start()
      return world.screen().alert?.title
    }
    #expect(titles.usual == "Go" && titles.set == nil)
  }

  @Test("seen.alertSoundsWhenDenied decides whether a Live Activity's alert sounds if notifications are denied")
  func sounds() throws {
    let sounds = try found("seen.alertSoundsWhenDenied", "true") { world in
      try world.order(.permit(.denied, app: SettingsWorld.app))
      try world.start()
      return world.screen().alert?.sound
    }
    #expect(sounds.usual == nil && sounds.set == "default")
  }

  @Test("seen.sharedIsland decides what two apps show in the Dynamic Island")
  func sharedIsland() throws {
    let two = """
      {apps: [{bundleId: com.example.app, attributesTypes: [A]}, {bundleId: com.example.other, attributesTypes: [B]}]}
      """
    let islands = try found("seen.sharedIsland", "minimalAndCompact", fleet: two) { world in
      for app in [SettingsWorld.app, "com.example.other"] {
        try world.order(.open(app: app))
        try world.order(.startActivity(app: app, attributesType: nil))
        try world.order(.leave(app: app))
      }
      return switch world.screen(after: .seconds(60)).island {
      case .minimal(let cards): "\(cards.count) minimal"
      case .mixed: "a compact and a minimal"
      default: "another"
      }
    }
    #expect(islands.usual == "2 minimal" && islands.set == "a compact and a minimal")
  }
}

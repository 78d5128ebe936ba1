import APNs
import Devices
import Simulation
import Testing

/// Keys of an app whose effect no scenario can show: on the form of tokens, services, sounds and calls.
@Suite("The effect of an app's setting in a world made from settings")
struct AppSettingInWorldTests {
  /// The result with the default of a key such as `fleet.apps.sounds`, and the result with a value.
  private func found<Found>(
    _ key: String, _ value: String, with others: String = "services: [voip, pushToTalk]",
    _ look: (inout SettingsWorld) throws -> Found
  ) throws -> (usual: Found, set: Found) {
    let app = "bundleId: \(SettingsWorld.app), attributesTypes: [MatchAttributes]\(others.isEmpty ? "" : ", ")\(others)"
    let name = key.dropFirst("fleet.apps.".count)
    let pairs = [(key: "reports.backend", value: "http://127.0.0.1:1")]
    var usual = try SettingsWorld(pairs, fleet: "{apps: [{\(app)}]}")
    var set = try SettingsWorld(pairs, fleet: "{apps: [{\(app), \(name): \(value)}]}")
    return (try look(&usual), try look(&set))
  }

  @Test("deviceTokenBytes is the length of device tokens, in bytes")
  func deviceTokens() throws {
    let digits = try found("fleet.apps.deviceTokenBytes", "80") { try $0.token(.app).count }
    #expect(digits.usual == 64 && digits.set == 160)
  }

  @Test("liveActivityTokenBytes is the length of push-to-start tokens, in bytes")
  func liveActivityTokens() throws {
    let digits = try found("fleet.apps.liveActivityTokenBytes", "32") { try $0.token(.pushToStart(type: 0)).count }
    #expect(digits.usual == 160 && digits.set == 64)
  }

  @Test("services are those for which the app has tokens")
  func services() throws {
    let kinds = try found("fleet.apps.services", "[location]", with: "") { $0.tokenKinds() }
    #expect(kinds.usual.contains(.service(.voip)) && !kinds.usual.contains(.service(.locationQuery)))
    #expect(!kinds.set.contains(.service(.voip)) && kinds.set.contains(.service(.locationQuery)))
  }

  @Test("reportsCalls decides whether an app survives a VoIP push")
  func reportsCalls() throws {
    let fates = try found("fleet.apps.reportsCalls", "never") { world in
      try world.push(.service(.voip), "{}", topic: SettingsWorld.app + ".voip", type: "voip").firstFate
    }
    #expect(fates.set == .delivered(.call(.killed(failures: 1))))
    guard case .delivered(.call(.rang)) = fates.usual else {
      Issue.record("\(fates.usual)")
      return
    }
  }

  @Test("joinsChannels decides whether an app must say who speaks when a Push to Talk push comes")
  func joinsChannels() throws {
    let fates = try found("fleet.apps.joinsChannels", "true") { world in
      try world.push(
        .service(.pushToTalk), #"{"aps":{}}"#, topic: SettingsWorld.app + ".voip-ptt", type: "pushtotalk"
      ).firstFate
    }
    #expect(fates.usual == .delivered(.service(.needsJoin)))
    #expect(fates.set == .delivered(.service(.reportsSpeaker)))
  }

  @Test("sounds are the files in the app's bundle; any other file is replaced by the default sound")
  func sounds() throws {
    let names = try found("fleet.apps.sounds", "[goal.caf]") { world in
      _ = try world.push(.app, #"{"aps":{"alert":"A","sound":"goal.caf"}}"#)
      return world.screen().notifications.first?.shown.sound?.name
    }
    #expect(names.usual == "default" && names.set == "goal.caf")
  }

  @Test("backend overrides reports.backend")
  func backend() throws {
    let reports = #"reports: {on: {launch: [{url: "{{backend}}/launched"}]}}"#
    let urls = try found("fleet.apps.backend", "\"http://127.0.0.1:2\"", with: reports) { world in
      // Only a new process is a launch.
      try world.order(.terminate(app: nil))
      try world.order(.open(app: nil))
      return world.calls()
    }
    #expect(urls.usual == ["http://127.0.0.1:1/launched"])
    #expect(urls.set == ["http://127.0.0.1:2/launched"])
  }
}

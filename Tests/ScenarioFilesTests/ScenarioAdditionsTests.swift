import Configuration
import Grammar
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ScenarioFiles

@Suite("Additions to a scenario file")
struct ScenarioAdditionsTests {
  private static let text = """
    # a comment
    for: 10m
    settings: {fleet: {devices: 4, ideal: true}, wire.initialStreams: 5}
    faults: [{name: old, then: {answer: Shutdown}, limit: 1}]
    steps: [{at: 1m, push: {payload: {aps: {alert: Goal}}}}]
    expect: [{pushes: {}, count: 4..}]
    """

  private static func read(_ additions: ScenarioAdditions, _ text: String = text) throws -> ScenarioFile {
    try ScenarioFile.parse(text, named: "story.yaml").with(additions)
  }

  @Test("faults and steps come beside those of the file")
  func beside() throws {
    var additions = ScenarioAdditions()
    additions.faults = [["name": "hunt 1", "limit": 1, "then": ["lose": true]]]
    additions.steps = [[["at": "30s", "do": "lock", "where": [:]], ["at": "50s", "do": "unlock", "where": [:]]]]
    let scenario = try Self.read(additions).scenario
    #expect(scenario.faults == ["old", "hunt 1"])
    #expect(scenario.steps.map(\.first).filter { $0 > .zero } == [.seconds(60), .seconds(30), .seconds(50)])
  }

  @Test("a setting takes the place of the one in the file, in dots or nested")
  func settings() throws {
    var additions = ScenarioAdditions()
    additions.settings = [.init("wire.initialStreams", 7), .init("fleet.devices", 9)]
    let file = try Self.read(additions)
    #expect(file.settings.wire.initialStreams == 7)
    #expect(file.scenario.plan.devices == 9)
  }

  @Test("a quiet time is added only to a file without one")
  func quiet() throws {
    var additions = ScenarioAdditions()
    additions.quiet = "2m"
    #expect(try Self.read(additions).scenario.length == .seconds(720))
    #expect(try Self.read(additions, Self.text + "\nquiet: 1m").scenario.length == .seconds(660))
  }

  @Test("expectations and the name take the place of those of the file")
  func replaced() throws {
    var additions = ScenarioAdditions()
    additions.name = "a find"
    additions.expect = [["name": "none", "pushes": [:], "count": 0]]
    let scenario = try Self.read(additions).scenario
    #expect(scenario.name == "a find")
    #expect(scenario.expectations.map(\.name) == ["none"])
  }

  @Test("an addition that the file cannot have is rejected, and the file stays as it was")
  func rejected() throws {
    let file = try ScenarioFile.parse(Self.text, named: "story.yaml")
    var additions = ScenarioAdditions()
    additions.settings = [.init("wire.initialStream", 7)]
    #expect(throws: InputProblem.self) { try file.with(additions) }
    #expect(try file.with(ScenarioAdditions()).scenario.faults == ["old"])
  }

  @Test(
    "paths of the backend and of profiles are changed for another folder",
    arguments: ["fleet: {apps: [APPS]}", "fleet.apps: [APPS]"])
  func moved(settings: String) throws {
    var additions = ScenarioAdditions()
    additions.path = { "elsewhere/" + $0 }
    let text = """
      backend: {command: node server.js, url: "http://127.0.0.1:{{port}}"}
      settings: {\(settings.replacing("APPS", with: "{profile: sightscreen}, {profile: app.yml}, {profile: b.json}"))}
      """
    let added = try additions.added(to: text, named: "story.yaml")
    #expect(added.contains("directory: elsewhere/."))
    #expect(added.contains("profile: elsewhere/app.yml") && added.contains("profile: elsewhere/b.json"))
    #expect(added.contains("profile: sightscreen"))
  }
}

import Configuration
import Devices
import Grammar
import ScenarioFiles
import Testing

@Suite("The path of a profile in a scenario")
struct ProfilePathTests {
  private static func parse(_ profile: String, named name: String, among files: [String]) throws -> ScenarioFile {
    let text = """
      settings: {fleet: {apps: [{profile: \(profile)}]}}
      steps: [{push: {payload: {aps: {alert: Hello}}}}]
      expect: [{pushes: {}, count: 1..}]

      """
    let texts = Dictionary(uniqueKeysWithValues: files.map { ($0, "bundleId: com.example.found\n") })
    return try ScenarioFile.parse(text, named: name, files: SourceFiles(recorded: texts))
  }

  @Test(
    "the path of a profile starts at the scenario's file, like `directory`",
    arguments: [
      ("app.yaml", "day.yaml", "app.yaml"), ("app.yaml", "stories/day.yaml", "stories/app.yaml"),
      ("../app.yaml", "stories/day.yaml", "stories/../app.yaml"), ("app.yaml", "/a/day.yaml", "/a/app.yaml"),
      ("/b/app.yaml", "stories/day.yaml", "/b/app.yaml"),
    ])
  func relative(_ profile: String, _ scenario: String, _ file: String) throws {
    let apps = try Self.parse(profile, named: scenario, among: [file]).settings.apps
    #expect(apps.map(\.profile.bundleID) == ["com.example.found"])
  }

  @Test("the path of a missing profile is named in the error, and a shipped profile has no path")
  func missing() throws {
    do {
      _ = try Self.parse("app.yaml", named: "stories/day.yaml", among: ["app.yaml"])
      Issue.record("a file of the working directory was taken")
    } catch let problem as InputProblem {
      #expect("\(problem)".contains("stories/app.yaml is neither a shipped profile"), "\(problem)")
    }
    let shipped = try Self.parse("plain", named: "stories/day.yaml", among: [])
    #expect(!shipped.settings.apps.isEmpty)
  }
}

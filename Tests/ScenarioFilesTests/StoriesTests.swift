import Foundation
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

@Suite("Shipped scenarios")
struct StoriesTests {
  @Test("each shipped scenario passes", arguments: ScenarioFolder.stories)
  func stories(name: String) throws {
    let report = ScenarioPlayer.play(try ScenarioFolder.read(name))
    #expect(report.passed, "\(report.text)")
    #expect(!report.verdicts.isEmpty, "\(name) expects nothing")
    #expect(report.findings.isEmpty, "\(report.text)")
  }

  @Test("shipped scenarios pass with seeds 1 to 20", arguments: ScenarioFolder.stories)
  func seeds(name: String) throws {
    let scenario = try ScenarioFolder.read(name)
    var swarm = Swarm()
    for seed in 1...20 as ClosedRange<UInt64> { swarm.add(ScenarioPlayer.play(scenario.seeded(seed))) }
    #expect(swarm.passed, "\(swarm.text)")
  }

  @Test("the scenarios of the guide do what the guide describes", arguments: ScenarioFolder.examples)
  func examples(example: ScenarioFolder.Example) throws {
    let report = ScenarioPlayer.play(try ScenarioFile.parse(example.text, named: "\(example)").scenario)
    #expect(report.passed != example.fails, "\(report.text)")
  }

  @Test("shipped scenarios exist, and the guide names each")
  func count() throws {
    #expect(ScenarioFolder.stories.count >= 8)
    #expect(ScenarioFolder.examples.count >= 5 && ScenarioFolder.examples.contains { $0.fails })
    let guide = try ScenarioFolder.text("README.md")
    for name in ScenarioFolder.stories { #expect(guide.contains("(\(name))"), "\(name)") }
  }

  @Test("shipped scenarios give the same report again, byte for byte", arguments: ScenarioFolder.stories)
  func again(name: String) throws {
    let scenario = try ScenarioFolder.read(name)
    let (first, second) = (ScenarioPlayer.play(scenario), ScenarioPlayer.play(scenario))
    #expect(first.text == second.text)
    #expect(first.json.text == second.json.text)
    #expect(JUnit.text([first.suite]) == JUnit.text([second.suite]))
  }

  @Test(
    "shipped scenarios have the same result whether or not a report is made of the run",
    arguments: ScenarioFolder.stories)
  func counted(name: String) throws {
    let scenario = try ScenarioFolder.read(name)
    var pushes: UInt64 = 0
    let counted = ScenarioPlayer.play(scenario, counted: { pushes = $0.pushLog.total })
    #expect(ScenarioPlayer.play(scenario).json.text == counted.json.text)
    #expect(pushes == counted.head.pushes)
  }

  @Test("shipped scenarios have other draws with another seed")
  func otherSeed() throws {
    let scenario = try ScenarioFolder.read("offline-and-back.yaml")
    #expect(ScenarioPlayer.play(scenario).head.events != ScenarioPlayer.play(scenario.seeded(2)).head.events)
  }

  @Test("the failure in the guide is the real one")
  func shownFailure() throws {
    let example = try #require(ScenarioFolder.examples.first { $0.fails })
    let report = ScenarioPlayer.play(try ScenarioFile.parse(example.text, named: "x.yaml").scenario)
    let guide = try ScenarioFolder.text("README.md")
    for line in try #require(report.verdicts.first).details.prefix(3) { #expect(guide.contains(line), "\(line)") }
  }

  @Test("the schema in the folder is the one that the program prints")
  func schema() throws {
    #expect(try ScenarioFolder.text("scenario.schema.json") == ScenarioSchema.text + "\n")
  }
}

import RunCommands
import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Scenarios with fewer faults")
struct FewerFaultsTests {
  private static let story = """
    # A comment that stays.
    settings: {fleet: {devices: 20, ideal: true}}
    faults:
      - {name: busy, when: {devices: [d3]}, then: {answer: TooManyRequests}}
      - {name: down, when: {devices: [d4]}, then: {answer: ServiceUnavailable}}
    steps:
      - {at: 5s, fault: {name: lossy, when: {devices: [d5]}, then: {lose: true}}}
      - {after: 5s, push: {payload: {aps: {alert: One}}}}
      - {after: 5s, deleteFault: lossy}
    expect:
      - {name: nobody is refused for the day, pushes: {}, none: {reason: TooManyRequests}}
    """

  private func file(_ text: String = story, seed: UInt64? = nil) throws -> ScenarioFile {
    try ScenarioFile.parse(text, named: "s.yaml", seed: seed)
  }

  @Test("an omitted fault is never set, and everything else happens at its time")
  func leavingOut() throws {
    let whole = try file().scenario
    let less = try file().leavingOut(["lossy", "busy"], place: "--without").scenario
    #expect(whole.faults == ["busy", "down", "lossy"] && less.faults == ["down"])
    #expect(less.steps.count == whole.steps.count - 3, "its heal goes with it")
    #expect(less.length == whole.length && less.steps.last?.first == .seconds(10))
    #expect(ScenarioPlayer.play(less).passed && !ScenarioPlayer.play(whole).passed)
  }

  @Test("an unknown fault name is reported, with the nearest name")
  func unknown() throws {
    #expect {
      try file().leavingOut(["bsy"], place: "--without")
    } throws: {
      "\($0)" == "--without: this scenario sets no fault bsy; did you mean busy?"
    }
    #expect {
      try file(Self.story + "\nwithout: [lost]")
    } throws: {
      "\($0)".hasPrefix("s.yaml:12:10: this scenario sets no fault lost; ")
    }
  }

  @Test("a failing scenario shrinks to the fault that it needs, in a file with the same failure and its comments")
  func shrinks() throws {
    var runs = ScenarioRuns(.simulated)
    let found = try #require(try runs.shrink(try file(seed: 9)))
    #expect(found.words.hasPrefix("it fails with 1 of its 3 faults: busy"))
    #expect(found.text.contains("# A comment that stays."))
    let small = try file(found.text)
    #expect(small.scenario.seed == 9 && small.scenario.faults == ["busy"])
    #expect(ScenarioPlayer.play(small.scenario).failures == ["nobody is refused for the day"])
    // What has been shrunk can be shrunk again, and stays what it is.
    let again = try #require(try runs.shrink(small))
    #expect(try file(again.text).scenario.faults == ["busy"])
  }

  @Test("a scenario that fails without a fault is reported as such, and one that passes is not shrunk")
  func others() throws {
    var runs = ScenarioRuns(.simulated)
    let always = Self.story + "\n  - {name: too many, pushes: {}, count: 3}"
    #expect(try runs.shrink(try file(always))?.words.hasPrefix("it fails without any of its 3 faults") ?? false)
    #expect(try runs.shrink(try file().leavingOut(["busy"], place: "x")) == nil)
  }

  @Test("a text in one pair of braces is rewritten, with the same meaning")
  func flow() throws {
    let text =
      "{steps: [{fault: {name: a, then: {lose: true}}}, {push: {payload: {aps: {alert: One}}}}], "
      + "expect: [{name: all come, pushes: {}, all: {outcome: banner}}], settings: {fleet: {devices: 2, ideal: true}}}"
    var runs = ScenarioRuns(.simulated)
    let found = try #require(try runs.shrink(try file(text)))
    #expect(try file(found.text).scenario.faults == ["a"])
  }

  @Test("a swarm with --mix prints the seed and the omitted faults, and their command gives the same report")
  func mixes() throws {
    var runs = ScenarioRuns(.simulated)
    let text = try runs.play(try file(), swarm: 12, mixes: true)
    #expect(!runs.passed && text.contains("--without ") && text.contains(" of 12 seeds: 1, "))
    let mixes = Set(try (2...12).map { try file(seed: $0).scenario.mix($0) })
    #expect(mixes.count > 3, "twelve seeds make different mixes")
    for seed in 2...12 as ClosedRange<UInt64> {
      let scenario = try file(seed: seed).scenario
      #expect(
        text.contains("--seed \(seed)\n") == (scenario.mix(seed).isEmpty)
          || text.contains("--seed \(seed) --without \(scenario.mix(seed).joined(separator: ","))")
            == !scenario.mix(seed).contains("busy")
      )
    }
  }
}

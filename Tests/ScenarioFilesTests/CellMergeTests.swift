import APNs
import Configuration
import Devices
import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import WireFormats

@Suite("A scenario on the cells of a fleet")
struct CellMergeTests {
  /// Plays each cell's part, and passes its report on as JSON, as the admin API does.
  private func merged(_ scenario: Scenario, cells: Int) throws -> ScenarioReport {
    let parts = try (0..<cells).map { number in
      var part = scenario
      part.plan.cell = Cell(number, of: cells)
      let text = ScenarioPlayer.play(part).part.text
      return (cell: number, report: try #require(ScenarioReport(part: try JSONValue.parse(Array(text.utf8)))))
    }
    return .merged(parts, command: "again")
  }

  private func words(_ verdict: Verdict) -> String {
    "\(verdict.name) \(verdict.at) \(verdict.passed) \(verdict.wanted) \(verdict.found)"
  }

  @Test(
    "a scenario on cells has the verdicts, numbers and pushes of one process, whatever expectations there are",
    arguments: stories)
  func alike(name: String) throws {
    let scenario = try ScenarioFolder.read(name)
    let whole = ScenarioPlayer.play(scenario)
    let merged = try merged(scenario, cells: 4)
    #expect(merged.verdicts.map(words) == whole.verdicts.map(words))
    #expect(merged.head == whole.head && merged.passed && merged.findings == whole.findings)
  }

  /// Every shipped scenario but one, whose fault strikes every third push: each cell counts its own pushes.
  private static let stories = ScenarioFolder.stories.filter { $0 != "retry-storm.yaml" }

  private func parse(_ lines: String, devices: Int = 16) throws -> Scenario {
    let head = "settings: {fleet: {devices: \(devices), ideal: true}, timing: {immediate: true}}\n"
    return try ScenarioFile.parse(head + lines, named: "x.yaml").scenario
  }

  @Test("a scenario on cells is judged by the sum of the cells' numbers, not by the number of one cell")
  func sums() throws {
    let story = """
      steps: [{push: {payload: {aps: {alert: A}}}}]
      expect:
        - {pushes: {}, count: 16}
        - {pushes: {}, count: 4}
        - {pushes: {device: d5}, all: {status: 200}}
        - {pushes: {}, all: {status: 400}}
        - {screens: {}, show: {notifications: 1}, on: 16}
        - {connections: {}, count: 1}
        - {connections: {}, count: 4}
      """
    let merged = try merged(try parse(story), cells: 4)
    #expect(merged.verdicts.map(\.passed) == [true, false, true, false, true, true, false])
    #expect(merged.verdicts.map(\.found) == ["16", "16", "1 of 1", "0 of 16", "16 of 16", "1", "1"])
    let lines = merged.text.split(separator: "\n")
    #expect(lines.first == "FAIL  x (seed 1, 16 devices, 1m, 4 cells): 16 pushes, \(merged.head.events) events")
    #expect(lines.contains("  ok    16 pushes: 16 (4 + 4 + 4 + 4)"), "\(merged.text)")
    #expect(merged.text.contains("1 of 1 (0 of 0 + 1 of 1 + 0 of 0 + 0 of 0)"))
    #expect(lines.last == "  rerun with: again")
    let failure = merged.verdicts[3]
    #expect(failure.pushes.map { $0.prefix(13) } == Array(repeating: "cell 0: push ", count: 4) + ["cell 1: push "])
  }

  @Test("the report of cells contains a line of all cells once, and a note about what is not the whole fleet's")
  func findings() throws {
    let story = """
      faults: [{name: never, when: {device: d2}, then: {answer: ServiceUnavailable}}]
      steps:
        - {push: {device: d1, payload: {aps: {alert: A}}}}
        - {push: {device: d1, tokenKind: update, payload: {aps: {timestamp: 1, event: update, content-state: {}}}}}
        - {do: goOffline, where: {devices: [d1, d2]}}
        - {do: goOnline, where: {devices: [d2]}}
        - {do: goOnline, where: {devices: [d2, d1]}}
        - {do: goOnline, where: {devices: [d2, d1]}}
      expect: [{pushes: {}, count: 1}]
      """
    let scenario = try parse(story)
    let whole = ScenarioPlayer.play(scenario)
    let merged = try merged(scenario, cells: 4)
    #expect(merged.passed == whole.passed && merged.verdicts.map(words) == whole.verdicts.map(words))
    func places(_ report: ScenarioReport) -> [String] {
      report.findings.map { "\($0.place) \($0.isFailure)" }.sorted()
    }
    #expect(places(merged) == places(whole) && whole.findings.count == 4, "\(merged.text)\n\(whole.text)")
    for said in [
      "x.yaml:5:5 at 0s: it sent no push: none of the selected devices has such a token.",
      "x.yaml:8:5 at 0s: cell 2: nothing was done: d2: d2 is already online.",
      "x.yaml:9:5 at 0s: cell 1: nothing was done: d1: d1 is already online. cell 2: nothing was done: d2:",
      "the fault never never struck: nothing met its condition while it was in force.",
    ] { #expect(merged.text.contains(said), "\(merged.text)") }
  }

  // MARK: - On a running server

  private func problem(_ lines: String, cell: Cell? = Cell(1, of: 4), seed: UInt64? = nil) throws -> String? {
    var server = Settings()
    server.devices = 50
    server.cell = cell
    do throws(InputProblem) {
      let file = try ScenarioFile.parse(lines, named: "x.yaml", seed: seed, on: server)
      #expect(file.scenario.plan == server.plan)
      return nil
    } catch {
      return error.description
    }
  }

  private let last = "\nsteps: [{push: {payload: {aps: {alert: A}}}}]\nexpect: [{pushes: {}, all: {status: 200}}]"

  @Test("a scenario for a running server may set what the server has, and nothing else")
  func settings() throws {
    #expect(try problem("settings: {fleet: {devices: 50}}\nseed: 1" + last) == nil)
    #expect(try problem("name: x" + last, seed: 1) == nil)
    for (lines, said) in [
      ("settings: {fleet: {devices: 60}}", "x.yaml:1:29: fleet.devices is 60, but the server has 50"),
      ("settings: {fleet: {cell: 2/4}}", "fleet.cell is 2/4, but the server has 1/4"),
      ("seed: 2", "the seed is 2, but the server has 1; start it with --seed 2"),
      ("settings: {fleet: {seed: 3}}", "fleet.seed is 3, but the server has 1"),
      ("settings: {fleet: {apps: [{bundleId: com.example.mine, teamId: TEAM123456}]}}", "fleet.apps or fleet.os is"),
      ("settings: {clock: manual}", "the clock of a scenario is always manual"),
      ("backend: {command: ./server}", "a running server starts no backend"),
    ] {
      let found = try problem(lines + last)
      #expect(found?.contains(said) == true, "\(lines): \(found ?? "read")")
    }
    for (step, said) in [
      ("backend: kill", "a running server has started no backend"),
      ("keys: {revoke: all}", "the keys of a running server are changed by POST and DELETE /v1/keys"),
      (
        "certificates: {revoke: all}",
        "the certificates of a running server are changed by POST and DELETE /v1/certificates"
      ),
    ] {
      let found = try problem("steps: [{\(step)}]\nexpect: [{events: {}, count: 0}]")
      #expect(found?.contains(said) == true, "\(step): \(found ?? "read")")
    }
    #expect(try problem("name: x" + last, seed: 5)?.hasPrefix("--seed: the seed is 5, but the server has 1") == true)
  }

  @Test("the order of events is asked of devices of one cell only")
  func orders() throws {
    func ordered(_ filter: String) -> String {
      "steps: [{do: goOffline, device: d1}]\nexpect: [{events: {\(filter)}, ordered: [wentOffline, wentOnline]}]"
    }
    #expect(try problem(ordered("devices: [d1, d5]")) == nil)
    for filter in ["", "devices: [d1, d2]"] {
      #expect(try problem(ordered(filter))?.contains("devices of several cells is not known") == true)
      #expect(try problem(ordered(filter), cell: nil) == nil)
    }
  }
}

import Devices
import Scenarios
import Simulation
import Timeline

/// A scenario in words, for its author: the steps and expectations with their times.
package struct Explanation: Sendable {
  package let text: String

  package init(_ file: ScenarioFile) {
    let scenario = file.scenario
    let apps = scenario.plan.apps.map(\.bundleID).joined(separator: ", ")
    var lines = [
      "\(scenario.file): \(scenario.name)",
      "  \(DurationText.write(scenario.length)) with \(scenario.plan.devices) devices, seed \(scenario.seed); \(apps)",
    ]
    if let backend = file.backend { lines.append("  beside \(Self.words(backend))") }
    let moments =
      scenario.steps.map { (at: $0.first, words: Self.words($0)) }
      + scenario.expectations.map { (at: $0.at ?? scenario.length, words: "expected: \($0.name)") }
    // At the same time, steps come before expectations, each in the order of the file.
    for (_, moment) in moments.enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
      lines.append(Self.line(moment.at, moment.words))
    }
    text = lines.joined(separator: "\n")
  }

  private static func words(_ backend: BackendPlan) -> String {
    let name = backend.command.isEmpty ? backend.url ?? "a backend" : backend.command.joined(separator: " ")
    return backend.tick == nil ? name : "\(name), which receives the time every \(DurationText.write(backend.step))"
  }

  private static func words(_ step: Scenario.Step) -> String {
    let name = step.name.map { "\($0): " } ?? ""
    guard step.times > 1 else { return name + step.words }
    return "\(name)\(step.words), \(step.times) times, every \(DurationText.write(step.every)), the last at "
      + DurationText.write(step.last)
  }

  private static func line(_ at: Duration, _ words: String) -> String {
    let time = DurationText.write(at)
    return "  " + time + String(repeating: " ", count: max(1, 10 - time.count)) + words
  }
}

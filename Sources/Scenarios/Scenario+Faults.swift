import Simulation
import Timeline

extension Scenario {
  /// Names of the faults that the scenario sets, in the order of the file.
  package var faults: [String] {
    var names: [String] = []
    for step in steps {
      if case .fault(let fault) = step.stepAction, !names.contains(fault.name) { names.append(fault.name) }
    }
    return names
  }

  /// A copy of the scenario without some of its faults. Everything else stays at its time.
  package func without(_ names: [String]) -> Scenario {
    guard !names.isEmpty else { return self }
    var copy = self
    copy.steps = steps.filter { step in
      switch step.stepAction {
      case .fault(let fault): !names.contains(fault.name)
      case .deleteFault(let name): !(name.map { names.contains($0) } ?? false)
      default: true
      }
    }
    return copy
  }

  /// About half of the faults, drawn by a seed.
  package func mix(_ seed: UInt64) -> [String] {
    let chance = Chance(seed: seed).stream(for: "fault mix")
    return faults.enumerated().filter { chance.bits(UInt64($0.offset), 0) & 1 == 0 }.map(\.element)
  }
}

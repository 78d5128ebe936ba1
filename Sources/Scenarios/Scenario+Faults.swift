import Simulation
import Timeline

extension Scenario {
  /// Names of the faults that the scenario sets, in the order of the file.
  package var faults: [String] {
    var names: [String] = []
    for step in steps {
      if let name = step.fault?.name, !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// A copy of the scenario without some of its faults. Everything else stays at its time.
  package func without(_ names: [String]) -> Scenario {
    guard !names.isEmpty else { return self }
    var copy = self
    copy.steps = steps.filter { step in
      let name = step.fault?.name ?? (step.action as? DeleteFaultStep)?.name
      return !(name.map { names.contains($0) } ?? false)
    }
    return copy
  }

  /// About half of the faults, drawn by a seed.
  package func mix(_ seed: UInt64) -> [String] {
    let chance = Chance(seed: seed).stream(for: "fault mix")
    return faults.enumerated().filter { chance.bits(UInt64($0.offset), 0) & 1 == 0 }.map(\.element)
  }
}

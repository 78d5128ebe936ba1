import APNs
import Devices
import Simulation
import Timeline

/// A scenario whose devices are divided among worlds of their own, so that several threads can play it. Each thread
/// plays one part after the other, and each part has few enough phones for the cache of a processor.
///
/// Each part is a cell of the fleet. The report is that of one world, byte for byte. If that is not certain, there is
/// none: `init` returns nil if the scenario has something that counts over all devices, and `report` returns nil if
/// something failed or the numbers of the parts cannot be added up.
package struct DividedScenario: Sendable {
  /// For a smaller fleet, threads cost more time than they save.
  package static let fewestDevices: UInt32 = 500
  package static let mostParts = Cell.counts.upperBound
  /// The number of phones that fit in the cache of a processor; measured, with a table in Benchmarks/README.md.
  private static let devicesAPart: UInt32 = 400
  /// Up to this many tokens (`MatchCounts`), the draws of a fault's odds are the same in a part as in the whole fleet.
  private static let mostWithOdds: UInt32 = 100_000

  /// The result of a part.
  package struct Played: Sendable {
    package let report: ScenarioReport
    /// The largest number of pushes that its store has had.
    let stored: Int
  }

  private let whole: Scenario
  private let flags: [String]
  private let cells: [Cell]

  package var parts: Int { cells.count }

  /// Number of parts of a scenario, which threads play one after the other: at least one for each thread.
  package static func parts(_ scenario: Scenario, threads: Int) -> Int {
    min(max(threads, Int(scenario.plan.devices / devicesAPart)), mostParts)
  }

  /// Nil if only one world can play it.
  ///
  /// - Parameter flags: flags of the command that repeats the run.
  package init?(_ scenario: Scenario, parts: Int, flags: [String] = []) {
    guard Cell.counts.contains(parts), Self.isDivisible(scenario) else { return nil }
    whole = scenario
    self.flags = flags
    cells = (0..<parts).compactMap { Cell($0, of: parts) }
  }

  /// Plays one of the parts, from 0; any thread can do it.
  package func play(_ part: Int, _ progress: (ScenarioPlayer.Progress) -> Void = { _ in }) -> Played {
    var scenario = whole
    scenario.plan.cell = cells[part]
    let (report, simulator) = ScenarioPlayer.playPart(scenario, flags: flags, progress)
    return Played(report: report, stored: simulator.world.mostStored)
  }

  /// The report of one world, from those of all parts in their order; nil if only one world can tell.
  package func report(_ played: [Played]) -> ScenarioReport? {
    let merged = ScenarioReport.merged(
      zip(cells, played).map { (cell: $0.number, report: $1.report) }, command: "")
    // A failure names single pushes and devices by numbers that exist only in one undivided world.
    guard played.count == parts, merged.passed, !merged.allFindings.contains(where: \.isOfCells),
      // One undivided world would discard a push for which its store has no room.
      played.reduce(0, { $0 + $1.stored }) <= whole.plan.store.most
    else { return nil }
    let verdicts = merged.verdicts.map { verdict in
      var verdict = verdict
      verdict.parts = nil
      return verdict
    }
    return ScenarioReport(
      merged.head, verdicts: verdicts, findings: merged.allFindings, from: .played(isLive: false, flags: flags))
  }
}

/// The conditions under which a scenario can be divided.
extension DividedScenario {
  private static func isDivisible(_ scenario: Scenario) -> Bool {
    let plan = scenario.plan
    return plan.cell == nil && plan.devices >= fewestDevices
      // Counts all pushes of a connection, but each part has connections of its own.
      && scenario.rulebook.errorsPerConnection == nil && !scenario.rulebook.narrowsStreams
      && scenario.rulebook.block == nil
      // They draw by the numbers of pushes, which each part counts for itself.
      && plan.store.keeps == .newest && plan.store.acknowledgement.upperBound == .zero
      && scenario.steps.allSatisfy { $0.fault.map { isDivisible($0, plan.devices) } ?? true }
      && scenario.expectations.allSatisfy { $0.question.filters?.allSatisfy(isDivisible) ?? false }
  }

  private static func isDivisible(_ fault: Fault, _ devices: UInt32) -> Bool {
    let condition = fault.condition
    let isOfEachDevice =
      switch fault.consequence {
      case .devices, .prompts: true
      case .push(let fault): fault.kind.isOfOnePush
      // Their state depends on the connection, or on other calls.
      case .connection, .reports, .listener: false
      }
    return isOfEachDevice && fault.limit == nil && condition.skip == 0 && condition.every == 1
      && !condition.isOfConnections && isDivisible(condition.filter)
      && (fault.odds == .always || devices <= mostWithOdds)
  }

  /// Ids and numbers of connections are made by the world.
  private static func isDivisible(_ filter: Filter) -> Bool {
    filter.id == nil && filter.connection == nil && filter.topics == nil && filter.keys == nil
  }
}

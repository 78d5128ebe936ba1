import APNs
import Devices
import Simulation
import Timeline

/// The contents of the report of a run. The HTML file, the JSON and the text are made of it.
package struct RunReport: Sendable {
  /// The program, the command and the fleet of a run.
  package struct Origin: Sendable {
    /// As typed, or nearly so.
    package let command: String
    /// The version of Pushpit that ran.
    package let program: String
    package let devices: UInt32
    package let seed: UInt64
    package let apps: [String]
    /// The time at which the world began.
    package let began: Instant
    /// True if the run was played in virtual time, by a simulated sender.
    package let isVirtual: Bool

    package init(command: String, program: String, plan: FleetPlan, began: Instant, isVirtual: Bool) {
      self.command = command
      self.program = program
      devices = plan.devices
      seed = plan.seed
      apps = plan.apps.map(\.bundleID)
      self.began = began
      self.isVirtual = isVirtual
    }
  }

  /// The numbers of processors that can be used at the same time.
  package struct Processors: Hashable, Sendable {
    package let ofPushpit: Int
    package let ofMachine: Int

    package init(ofPushpit: Int, ofMachine: Int) {
      self.ofPushpit = ofPushpit
      self.ofMachine = ofMachine
    }
  }

  /// Findings of one kind, with the latest.
  package struct Finding: Sendable {
    package let kind: AuditFinding.Kind
    package let count: UInt64
    package let latest: AuditFinding?
  }

  package static let phonesShown = 10

  package let origin: Origin
  package let tally: RunTally
  package let fanOuts: FanOutTally
  package let findings: [Finding]
  package let limit: LoadLimit
  package let processors: Processors?
  /// The scenario's expectations; nil if the run was not of a scenario.
  package var scenario: ScenarioReport?
  /// Sentences that the reader must see first, such as that the tape is cut.
  package var notes: [String]

  /// - Parameter logs: with a tally.
  package init(_ origin: Origin, _ logs: EventLogs, processors: Processors? = nil, notes: [String] = []) {
    let tally = logs.tally ?? RunTally()
    self.origin = origin
    self.tally = tally
    self.processors = processors
    self.notes = notes
    fanOuts = tally.fanOuts.closed
    limit = LoadLimit(tally, isVirtual: origin.isVirtual, processors: processors)
    let audited = logs.audited
    findings = AuditFinding.Kind.allCases.compactMap { kind in
      guard let audited, audited.count(kind) > 0 else { return nil }
      return Finding(kind: kind, count: audited.count(kind), latest: audited.latest(kind))
    }
    if let note = audited?.note { self.notes.append(note) }
    if isEmpty { self.notes.append("No push arrived and no phone was reached: this is the report of an empty run.") }
  }

  package var isEmpty: Bool { tally.pushes == 0 && tally.broadcasts.count == 0 && tally.broadcasts.refused == 0 }

  /// True if times are those of the scenario rather than of this machine's clock.
  package var isBySimulatedClock: Bool { origin.isVirtual || tally.clock == .simulated }

  package var accepted: UInt64 { tally.answers[nil] ?? 0 }

  /// Average over the time from the first to the last push; nil if that is less than a second.
  package var rate: Double? {
    let seconds = tally.length / .seconds(1)
    return seconds >= 1 ? Double(tally.pushes) / seconds : nil
  }

  /// Answers as decided: 200 first, then by number.
  package var answers: [(status: Int, reason: String?, count: UInt64)] {
    tally.answers.map { ($0.key?.status ?? 200, $0.key?.rawValue, $0.value) }
      .sorted { $0.0 == 200 || $1.0 == 200 ? $0.0 == 200 : ($1.2, $0.1 ?? "") < ($0.2, $1.1 ?? "") }
  }

  package var fates: [(fate: PushFate, count: UInt64)] {
    tally.fates.list.filter { $0.count > 0 }.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }.map(\.element)
  }

  package var kinds: [(kind: RunTally.Kind, counts: RunTally.KindCounts)] {
    tally.kinds.map { ($0.key, $0.value) }.sorted {
      ($0.0.type?.rawValue ?? "", $1.0.priority.rawValue) < ($1.0.type?.rawValue ?? "", $0.0.priority.rawValue)
    }
  }

  /// The phones on which most pushes went wrong.
  package var worstPhones: [(device: DeviceID, phone: TroubledPhone)] {
    let all = tally.phones.all.sorted { ($1.value.total, $0.key) < ($0.value.total, $1.key) }
    return all.prefix(Self.phonesShown).map { ($0.key, $0.value) }
  }

  /// The tokens that were answered 429 most often.
  package var throttledTokens: [(address: Address, count: UInt64)] {
    let all = tally.throttled.all.sorted {
      ($1.value, $0.key.device, $0.key.generation) < ($0.value, $1.key.device, $1.key.generation)
    }
    return all.prefix(Self.phonesShown).map { ($0.key, $0.value) }
  }

  package static func name(_ address: Address, apps: [String]) -> String {
    let app = apps.indices.contains(address.app) ? apps[address.app] : "app \(address.app)"
    return "\(address.device.text), \(address.slot.kind.name) token of \(app)"
  }
}

import Simulation
import Timeline

/// The limit that kept a run from sending faster, by a rule that the report states.
package enum LoadLimit: Hashable, Sendable {
  /// The run is too small to tell.
  case tooSmall
  /// In virtual time nothing takes time.
  case virtualTime
  /// Time passed faster than by the machine's clock, so rates are those of the story.
  case simulatedClock
  /// Answers of 429 by APNs's limits.
  case throttling(share: Double)
  /// Pushpit's processors were busy: their share.
  case pushpit(Double)
  /// The machine was busy, mostly with something else: its share, and that of Pushpit.
  case machine(Double, pushpit: Double)
  /// Pushpit had time left: its share.
  case sender(Double)
  /// Unknown without processor times.
  case unknown

  package static let leastPushes: UInt64 = 100
  package static let leastTime: Duration = .seconds(2)
  /// Assumed: the shares from which on something is the limit.
  package static let throttledShare = 0.05
  package static let busyShare = 0.85
  /// The busiest parts of the run: those with at least this share of the pushes of the busiest.
  package static let busiestShare = 0.8

  package static let rule = """
    Fewer than \(leastPushes) pushes, or less than \(leastTime.components.seconds) s from the first to the last, are \
    not \
    judged. Otherwise the first of these that holds is the limit: throttling, if at least \
    \(Int(throttledShare * 100)) % of all pushes were answered 429, not counting what faults \
    ordered; Pushpit, if in the busiest parts of the run (at \
    least \(Int(busiestShare * 100)) % of the highest rate) it used at least \(Int(busyShare * 100)) % of its \
    processors; the machine, if all of its processors were as busy as that together; else the sender, because Pushpit \
    was waiting for it. Processor times are taken once a second by serve and run; a tape has none.
    """

  /// - Parameters:
  ///   - processors: those that Pushpit can use at the same time, and those of the machine; nil if no processor times
  ///     were taken.
  init(_ tally: RunTally, isVirtual: Bool, processors: RunReport.Processors?) {
    if isVirtual {
      self = .virtualTime
      return
    }
    if tally.clock == .simulated {
      self = .simulatedClock
      return
    }
    guard tally.pushes >= Self.leastPushes, tally.length >= Self.leastTime else {
      self = .tooSmall
      return
    }
    let share = Double(tally.throttledByLimits) / Double(tally.pushes)
    guard share < Self.throttledShare else {
      self = .throttling(share: share)
      return
    }
    let most = tally.series.slots.map(\.pushes).max() ?? 0
    let busiest = tally.series.slots.filter {
      $0.sampled > 0 && Double($0.pushes) >= Self.busiestShare * Double(most)
    }
    guard let processors, !busiest.isEmpty else {
      self = .unknown
      return
    }
    let sampled = Double(busiest.reduce(0) { $0 + $1.sampled })
    let own = Double(busiest.reduce(0) { $0 + $1.processor }) / sampled / Double(max(1, processors.ofPushpit))
    let known = busiest.compactMap(\.machine)
    let all = Double(known.reduce(0, +)) / sampled / Double(max(1, processors.ofMachine))
    if own >= Self.busyShare {
      self = .pushpit(min(1, own))
    } else if known.count == busiest.count, all >= Self.busyShare {
      self = .machine(min(1, all), pushpit: own)
    } else {
      self = .sender(own)
    }
  }

  package var name: String {
    switch self {
    case .tooSmall: "not judged"
    case .virtualTime: "none"
    case .simulatedClock: "not judged"
    case .throttling: "throttling"
    case .pushpit: "Pushpit"
    case .machine: "the machine"
    case .sender: "the sender"
    case .unknown: "unknown"
    }
  }

  package var sentence: String {
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
    return switch self {
    case .tooSmall: "There were too few pushes, or too little time, to tell what the limit was."
    case .virtualTime: "The run was played in virtual time, in which nothing limits a sender."
    case .simulatedClock:
      "The simulated clock ran faster than this machine's, so rates are those of the scenario and show no limit."
    case .throttling(let share): "\(percent(share)) of the pushes were answered 429 by limits of APNs."
    case .pushpit(let share):
      "At the highest rates, Pushpit used \(percent(share)) of its processors; a faster sender would have waited for"
        + " it."
    case .machine(let share, let own):
      "At the highest rates, the machine's processors were \(percent(share)) busy, but Pushpit used only"
        + " \(percent(own)) of its own: something else, such as the sender, used them."
    case .sender(let share):
      "At the highest rates, Pushpit used \(percent(share)) of its processors, so it was waiting for pushes."
    case .unknown:
      "There are no processor times, so it is unknown whether the sender or Pushpit was slower. Reports of serve and"
        + " run contain them."
    }
  }
}

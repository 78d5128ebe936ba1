/// Counts of a hunt's variants so far.
package struct HuntTally: Sendable {
  /// A kind of perturbation, or a known failure mode.
  package struct Reach: Hashable, Sendable {
    package fileprivate(set) var played = 0
    /// Number of variants in which it struck.
    package fileprivate(set) var struck = 0
    /// Number of variants in which it struck, and that were judged.
    package fileprivate(set) var judged = 0
    /// Number of variants with it that failed.
    package fileprivate(set) var failed = 0
    /// The groups of failures of variants with it.
    package fileprivate(set) var failures: Set<HuntFailure.Group> = []

    /// True if the backend was right in spite of it.
    package var isSurvived: Bool { judged > 0 && failed == 0 }
  }

  package private(set) var played = 0
  /// Number of variants that showed nothing that an earlier one had not shown.
  package private(set) var withoutNews = 0
  /// Number of variants that could not be played.
  private(set) var unplayed = 0
  /// The reason for the first of them.
  private var firstProblem: String?
  /// By kind, in the order in which they came.
  package private(set) var kinds: [(name: String, reach: Reach)] = []
  /// By the number of a known failure mode, in their order.
  package private(set) var modes: [(number: Int, reach: Reach)] = []
  /// Groups of failures that did not come again often enough.
  package private(set) var unsteady: [HuntFailure.Group] = []
  /// Failures that went away when the story waited longer, the first of each group.
  package private(set) var late: [HuntFailure] = []
  private var doubts: [HuntFailure.Group: Int] = [:]
  private var delays: [HuntFailure.Group: Int] = [:]
  private var seen: Set<String> = []

  /// Number of different things that happened.
  package var features: Int { seen.count }

  /// Number of times that a group may fail without coming again, before it is not played again any more.
  private static let mostDoubts = 3
  /// Number of times that a group may go away when the story waits longer: a test often fails at one place only, and
  /// the next failure there may not be late.
  private static let mostDelays = 10

  /// A clause about variants that could not be played; nil if all could.
  package var unplayedWords: String? {
    guard let firstProblem else { return nil }
    return unplayed == 1
      ? "1 variant could not be played: \(firstProblem)"
      : "\(unplayed) variants could not be played; the first one: \(firstProblem)"
  }

  /// True if it is not worth the time to look into a failure of that group once more.
  func isDoubtful(_ group: HuntFailure.Group) -> Bool {
    doubts[group, default: 0] >= Self.mostDoubts || delays[group, default: 0] >= Self.mostDelays
  }

  mutating func unsteady(_ group: HuntFailure.Group) {
    doubts[group, default: 0] += 1
    if unsteady.count < Hunt.mostTold, !unsteady.contains(group) { unsteady.append(group) }
  }

  mutating func late(_ failure: HuntFailure) {
    delays[failure.group, default: 0] += 1
    if late.count < Hunt.mostTold, !late.contains(where: { $0.group == failure.group }) { late.append(failure) }
  }

  /// True if a mode has reached the backend. Steps and settings always strike.
  private static func isReached(_ mode: Int, by variant: Variant, struck: [Bool]) -> Bool {
    let faults = zip(variant.perturbations, struck).filter { $0.0.place == .faults }
    let needsAll = KnownModes.all.first { $0.number == mode }?.needsAllFaults ?? false
    return faults.isEmpty || (needsAll ? faults.allSatisfy { $0.1 } : faults.contains { $0.1 })
  }

  mutating func count(_ variant: Variant, _ result: VariantResult) {
    guard result.isPlayed else {
      // A smaller story may be over before a step of it.
      guard variant.purpose != .shrinking else { return }
      firstProblem = firstProblem ?? result.problem
      return unplayed += 1
    }
    played += 1
    let before = seen.count
    seen.formUnion(result.features)
    if seen.count == before { withoutNews += 1 }
    guard variant.purpose != .shrinking else { return }
    for (index, perturbation) in variant.perturbations.enumerated() {
      let place = kinds.firstIndex { $0.name == perturbation.kind } ?? kinds.endIndex
      if place == kinds.endIndex { kinds.append((perturbation.kind, Reach())) }
      kinds[place].reach.count(struck: result.struck.indices.contains(index) && result.struck[index], result)
    }
    guard case .known(let number) = variant.purpose else { return }
    let place = modes.firstIndex { $0.number == number } ?? modes.endIndex
    if place == modes.endIndex { modes.append((number, Reach())) }
    modes[place].reach.count(struck: Self.isReached(number, by: variant, struck: result.struck), result)
  }
}

extension HuntTally.Reach {
  fileprivate mutating func count(struck isStruck: Bool, _ result: VariantResult) {
    played += 1
    if isStruck { struck += 1 }
    if isStruck, result.isJudged { judged += 1 }
    if !result.failures.isEmpty { failed += 1 }
    if failures.count < Hunt.mostTold { failures.formUnion(result.failures.map(\.group)) }
  }
}

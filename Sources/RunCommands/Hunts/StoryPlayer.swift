import Grammar
import Hunting
import Pushpit
import ScenarioFiles
import Scenarios
import Simulation
import Synchronization

/// Plays variants of a story, one after the other, with a backend of its own. It belongs to one thread.
final class StoryPlayer {
  /// Who sends the pushes of the story.
  enum Driver: Sendable {
    /// The backend under test.
    case backend(LiveOptions)
    /// The built-in provider, in virtual time.
    case provider(Resender.Bug?)
  }

  /// The state that all players of a hunt share.
  final class Shared: Sendable {
    let story: Story
    let driver: Driver
    /// By seed, of the whole story.
    let plain = Mutex<[UInt64: Witness]>([:])
    /// The last part of the story that was played without trouble; nil as witness if it does not pass.
    let part = Mutex<(part: Part, witness: Witness?)?>(nil)
    let isCancelled: @Sendable () -> Bool

    init(_ story: Story, _ driver: Driver, isCancelled: @escaping @Sendable () -> Bool) {
      self.story = story
      self.driver = driver
      self.isCancelled = isCancelled
    }
  }

  private let shared: Shared
  private let backend = KeptBackend()

  init(_ shared: Shared) { self.shared = shared }

  struct Part: Hashable {
    let seed: UInt64
    let cut: StoryCut
  }

  /// Plays a variant.
  ///
  /// - Returns: what came of it; nil if it was cancelled.
  /// - Throws: `InputProblem`, `StartFailure`.
  func play(_ variant: Variant) throws -> (result: VariantResult, ground: HuntingGround?)? {
    let plain = try plainWitness(of: variant)
    guard variant.cut.isWhole || plain != nil else { return (VariantResult(), nil) }
    let file = try shared.story.with(
      variant.perturbations, variant.cut, seed: variant.seed, expect: variant.expectation.map { [$0] })
    guard let (report, seen) = try play(file) else { return nil }
    if let abandoned = seen.abandoned, !seen.hasBegun { return (VariantResult(problem: abandoned), nil) }
    let ground = seen.witness.ground(door: .scenario, length: shared.story.length)
    return (judge(seen.witness, report, of: variant, plain: plain), ground)
  }

  /// The play without trouble that a variant is compared with; nil before it was played, or if that part of the story
  /// does not pass.
  private func plainWitness(of variant: Variant) throws -> Witness? {
    guard !variant.cut.isWhole else { return shared.plain.withLock { $0[variant.seed] } }
    let part = Part(seed: variant.seed, cut: variant.cut)
    if let known = shared.part.withLock({ $0 }), known.part == part { return known.witness }
    // Nil if that part cannot be played, for example if it is over before a step.
    let file = try? shared.story.with([], variant.cut, seed: variant.seed)
    let played = try file.flatMap { try play($0) }
    guard !shared.isCancelled() else { return nil }
    let isSound = played.map { report, seen in
      report.passed && seen.abandoned == nil && Oracles.judge(plain: seen.witness).isEmpty
    }
    let witness = isSound ?? false ? played?.seen.witness : nil
    shared.part.withLock { $0 = (part, witness) }
    return witness
  }

  /// - Returns: nil if it was cancelled.
  private func play(_ file: ScenarioFile) throws -> (report: ScenarioReport, seen: Seen)? {
    let (report, seen): (ScenarioReport, Seen?)
    switch shared.driver {
    case .backend(let options): (report, seen) = try play(file, options)
    case .provider(let bug):
      let end = ScenarioPlayer.watched(file.scenario, resending: Resender(bug), isCancelled: shared.isCancelled)
      guard let end else { return nil }
      report = end.report
      seen = Seen(witness: Witness(end.simulator, file.scenario, ended: nil, struck: end.struck))
    }
    guard let seen, !shared.isCancelled() else { return nil }
    return (report, seen)
  }

  private struct Seen {
    let witness: Witness
    var abandoned: String?
    var hasBegun = true
  }

  private func play(_ file: ScenarioFile, _ options: LiveOptions) throws -> (ScenarioReport, Seen?) {
    var seen: Seen?
    let run = try LiveRun(
      file, options, record: LiveRun.Record(), sharing: backend,
      watch: LiveRun.Watch(
        atEnd: { end in
          let witness = Witness(
            end.simulator, end.scenario, ended: end.abandoned, hangs: end.hangs, struck: end.struck,
            ticks: end.ticks)
          seen = Seen(witness: witness, abandoned: end.abandoned, hasBegun: end.hasBegun)
        },
        isCancelled: shared.isCancelled)
    ) { _ in }
    let report = run.play()
    return (report, seen)
  }

  private func judge(
    _ witness: Witness, _ report: ScenarioReport, of variant: Variant, plain: Witness?
  ) -> VariantResult {
    if variant.perturbations.isEmpty, variant.cut.isWhole, !report.passed {
      return VariantResult(problem: report.text)
    }
    if variant.purpose == .plain {
      shared.plain.withLock { plain in if plain[variant.seed] == nil { plain[variant.seed] = witness } }
    }
    var result = VariantResult()
    if variant.purpose == .plain {
      result.failures = Oracles.judge(plain: witness)
    } else if witness.ended == nil, report.findings.contains(where: \.isFailure) {
      // Trouble has prevented a step of the story, such as on an app that was deleted, or on a card that came later: as
      // a scenario of its own, it may fail with any backend. That the backend has died is such a finding, too, and is
      // judged.
      result.isJudged = false
    } else if let plain {
      result.failures = Oracles.judge(witness, plain: plain)
      result.isJudged = Oracles.judges(witness, plain: plain)
    }
    result.missesExpectation = variant.expectation.map { _ in !report.passed }
    result.features = witness.features
    result.lines = witness.lines
    result.struck = witness.struck(variant.perturbations)
    return result
  }
}

import Timeline
import WireFormats

/// A search for the smallest trouble that breaks a story: says which variant to play next, and takes what came of it.
///
/// Same seed, same results: same variants. Several variants may be played at a time, except while one is investigated.
package struct Hunt: Sendable {
  package struct Options: Sendable {
    package var seed: UInt64 = 1
    /// The seeds with which the story is played, in turn; at least one.
    package var seeds: [UInt64] = [1]
    /// Plays the story once without any push that reaches a phone, to see whether it expects one.
    package var asksWhatItExpects = false
    /// Oracles, and kinds of findings, whose failures the owner of the story accepts.
    package var accepted: Set<String> = []
    /// Kinds of perturbations, and reasons of answers, that are not played.
    package var without: Set<String> = []
    /// Examples of earlier hunts, which are played first.
    package var kept: [[Perturbation]] = []
    package var modes: [KnownMode] = KnownModes.all
    /// Ends after the known failure modes.
    package var isKnownOnly = false
    /// Factor for the time that the story waits while a failure is played again: by the machine's clock, a failure
    /// may come only of a machine that is busy, or of a backend that is slow. 1 if the clock is the player's.
    package var patience = 1

    package init() {}

    /// Number of plays of the story itself: the first seed is played twice, to see whether two plays are alike.
    package var plainPlays: Int { seeds.count + 1 }
  }

  /// The next thing to do.
  package enum Next: Hashable, Sendable {
    case play(Variant)
    /// Nothing, until the result of a variant that is being played is known.
    case wait
    case over
  }

  /// The reason why a hunt is over before its time.
  package enum Refusal: Hashable, Sendable {
    /// The story could not be played to its end, or fails by itself.
    case failsByItself(String)
    /// Two plays of the story differ.
    case differs(String)
    /// The story itself has failed after that variant, and passed when it was played again.
    case failedOnce(Variant?, String)
    /// The story itself has failed after that variant, and the hunt has ended before it was played again.
    case failedLast(Variant?, String)
    /// The story itself fails after that variant, which may have left something behind.
    case contaminated(Variant?, String)
    /// The backend has pushed nothing in the story.
    case pushesNothing
  }

  private enum Stage {
    case plain(begun: Int)
    /// The story is played without any push that reaches a phone.
    case asking
    case hunting
    case investigating(Investigation)
    /// The story itself has failed, and is played once more.
    case doubting(Variant?, String)
    case over(Refusal?)
  }

  /// Number of variants after which the story itself is played again.
  private static let controlEvery = 20
  private static let mostPlaysAtATime = 64
  /// Maximum number of finds, and of failures of other kinds that are told: a story whose failures never have the same
  /// words has one for each variant, and each report contains them all.
  static let mostTold = 100

  package let options: Options
  package private(set) var ground: HuntingGround?
  package private(set) var tally = HuntTally()
  package private(set) var finds: [HuntFind] = []
  /// Failures of the story itself.
  package private(set) var plainFailures: [HuntFailure] = []
  /// True if the story passes even if no push reaches a phone.
  package private(set) var expectsNothing = false
  private var stage = Stage.plain(begun: 0)
  private var playing: [Int: Variant] = [:]
  private var made = 0
  private var sinceControl = 0
  /// The last variant that was judged.
  private var last: Variant?
  private var plainLines: [UInt64: [String]] = [:]
  private var plays: PerturbationSource
  /// Failures that were not looked into yet, the first one last: several variants may be played at a time.
  private var pending: [(variant: Variant, failure: HuntFailure)] = []

  package init(_ options: Options) {
    self.options = options
    plays = PerturbationSource(options)
  }

  // MARK: - What to play

  package mutating func next() -> Next {
    switch stage {
    case .over: return .over
    case .plain(let begun):
      guard begun < options.plainPlays else { return playing.isEmpty ? begin() : .wait }
      stage = .plain(begun: begun + 1)
      return play(.plain, [], seed: options.seeds[begun % options.seeds.count])
    case .asking: return .wait
    case .doubting: return alone { $0.play(.control, [], seed: $0.options.seeds[0]) }
    case .investigating(let subject):
      return alone { hunt in
        guard let next = subject.next else { return hunt.play(.control, [], seed: subject.variant.seed) }
        return hunt.play(
          .shrinking, next.perturbations, cut: next.cut, seed: subject.variant.seed,
          patience: subject.isPatient ? hunt.options.patience : 1, expectation: subject.expectation)
      }
    case .hunting:
      if sinceControl >= Self.controlEvery { return alone { $0.control() } }
      guard playing.count < Self.mostPlaysAtATime else { return .wait }
      guard let ground, let (purpose, perturbations) = plays.next(ground, made: made) else {
        if !playing.isEmpty { return .wait }
        stage = .over(nil)
        return .over
      }
      sinceControl += 1
      return play(purpose, perturbations, seed: options.seeds[made % options.seeds.count])
    }
  }

  private mutating func begin() -> Next {
    if let ground, ground.pushes == 0, !ground.hasBroadcasts {
      stage = .over(.failsByItself("it sends no push"))
      return .over
    }
    guard options.asksWhatItExpects else {
      stage = .hunting
      return next()
    }
    stage = .asking
    return play(.asking, [.fault(["lose": true])], seed: options.seeds[0])
  }

  private mutating func control() -> Next {
    sinceControl = 0
    return play(.control, [], seed: options.seeds[made % options.seeds.count])
  }

  /// Plays only if nothing else is being played.
  private mutating func alone(_ play: (inout Hunt) -> Next) -> Next { playing.isEmpty ? play(&self) : .wait }

  private mutating func play(
    _ purpose: Variant.Purpose, _ perturbations: [Perturbation], cut: StoryCut = StoryCut(), seed: UInt64,
    patience: Int = 1, expectation: JSONValue? = nil
  ) -> Next {
    made += 1
    let variant = Variant(
      number: made, seed: seed, purpose: purpose, perturbations: perturbations, cut: cut, patience: patience,
      expectation: expectation)
    playing[made] = variant
    return .play(variant)
  }

  // MARK: - What came of it

  /// - Parameters:
  ///   - number: of a variant that is being played; others are ignored.
  ///   - ground: what the story offers, as this play has shown it; only that of the first variant counts.
  package mutating func take(_ result: VariantResult, of number: Int, ground: HuntingGround? = nil) {
    guard let variant = playing.removeValue(forKey: number) else { return }
    if variant.number == 1 { self.ground = ground }
    var counted = result
    counted.failures = unexpected(result)
    tally.count(variant, counted)
    switch stage {
    case .over: break
    case .plain: takePlain(result, of: variant)
    case .asking:
      expectsNothing = result.isPlayed && result.failures.isEmpty
      stage = .hunting
    case .doubting(let suspect, let sentence):
      let still = unexpected(result).first.map(\.sentence) ?? result.problem
      stage = .over(
        still == nil
          ? .failedOnce(suspect, sentence)
          : .contaminated(suspect, sentence))
    case .investigating(let subject): investigate(subject, after: variant, result)
    case .hunting: judge(variant, result)
    }
  }

  private mutating func takePlain(_ result: VariantResult, of variant: Variant) {
    if let problem = result.problem { return stage = .over(.failsByItself(problem)) }
    if let ground, ground.door == .test, ground.pushes == 0 { return stage = .over(.pushesNothing) }
    for failure in result.failures where !plainFailures.contains(where: { $0.group == failure.group }) {
      if !isAccepted(failure) { plainFailures.append(failure) }
    }
    guard let before = plainLines[variant.seed] else { return plainLines[variant.seed] = result.lines }
    if let line = Self.difference(before, result.lines) { stage = .over(.differs(line)) }
  }

  /// The first line that only one of two plays has.
  private static func difference(_ one: [String], _ other: [String]) -> String? {
    guard one != other else { return nil }
    let (first, second) = (Set(one), Set(other))
    let only = one.first { !second.contains($0) } ?? other.first { !first.contains($0) }
    return only ?? "the order of what happens"
  }

  /// Failures that neither the story itself has nor its owner accepts, and that were not found yet.
  private func unexpected(_ result: VariantResult) -> [HuntFailure] {
    result.failures.filter { failure in
      !isAccepted(failure) && !plainFailures.contains { $0.group == failure.group }
    }
  }

  private func isAccepted(_ failure: HuntFailure) -> Bool {
    options.accepted.contains(failure.group.oracle) || options.accepted.contains(failure.group.subject)
  }

  private mutating func judge(_ variant: Variant, _ result: VariantResult) {
    let failures = unexpected(result)
    if variant.purpose == .control {
      if let sentence = failures.first?.sentence ?? result.problem { stage = .doubting(last, sentence) }
      return
    }
    if result.isPlayed { last = variant }
    keep(failures, of: variant)
    investigateNext()
  }

  /// Looks into the first failure that waits, if it is not known by now.
  private mutating func investigateNext() {
    stage = .hunting
    while let (variant, failure) = pending.popLast() {
      let isKnown = finds.contains { $0.group == failure.group } || tally.isDoubtful(failure.group)
      guard !isKnown, let ground, finds.count < Self.mostTold else { continue }
      return stage = .investigating(Investigation(failure, of: variant, on: ground))
    }
  }

  /// Keeps failures until there is time to look into them, the ones of the first variant last.
  private mutating func keep(_ failures: [HuntFailure], of variant: Variant) {
    pending = failures.reversed().map { (variant, $0) } + pending
  }

  private mutating func investigate(_ subject: Investigation, after variant: Variant, _ result: VariantResult) {
    var subject = subject
    // Variants that were on their way when it failed.
    guard variant.purpose == .control || variant.purpose == .shrinking else {
      return keep(unexpected(result), of: variant)
    }
    if subject.stage == .control {
      if let sentence = unexpected(result).first?.sentence ?? result.problem {
        pending.append((subject.variant, subject.failure))
        return stage = .doubting(subject.variant, sentence)
      }
      subject.passedControl()
      return stage = .investigating(subject)
    }
    let failure = result.failures.first { $0.group == subject.group }
    let outcome =
      result.problem == nil
      ? subject.played(failure, missesExpectation: result.missesExpectation) : subject.couldNotPlay()
    switch outcome {
    case .goesOn: stage = .investigating(subject)
    case .unsteady:
      if options.patience > 1, !subject.failsPatiently {
        tally.late(subject.failure)
      } else {
        tally.unsteady(subject.group)
      }
      investigateNext()
    case .found:
      finds.append(HuntFind(subject, number: finds.count + 1, after: tally.played))
      investigateNext()
    }
  }

  // MARK: - The end

  /// True once the story itself was played with every seed.
  package var hasBegun: Bool { if case .plain = stage { false } else { true } }

  /// The reason why it is over before its time; nil if it is not, or has simply ended.
  package var refusal: Refusal? { if case .over(let refusal) = stage { refusal } else { nil } }

  /// The failure of the story itself that is to be played again; nil if it has not just failed. If the hunt ends now,
  /// what fails proves nothing.
  package var doubt: String? { if case .doubting(_, let sentence) = stage { sentence } else { nil } }

  /// True while a failure is played again.
  package var isInvestigating: Bool {
    switch stage {
    case .investigating, .doubting: true
    default: false
    }
  }

  /// Groups of failures that there was no time to look into, each once.
  package var unexamined: [HuntFailure.Group] {
    var groups = pending.reversed().map(\.failure.group).filter { !tally.isDoubtful($0) }
    if case .investigating(let subject) = stage, !subject.isSteady { groups.insert(subject.group, at: 0) }
    var seen = Set(finds.map(\.group))
    return groups.filter { seen.insert($0).inserted }
  }

  /// Numbers of the known failure modes that the story can have, and that were not played.
  package var unplayedModes: [Int] {
    guard let ground else { return options.modes.map(\.number) }
    return options.modes.filter { mode in
      plays.isPossible(mode, ground) && !tally.modes.contains { $0.number == mode.number }
    }.map(\.number)
  }

  /// Ends it now. A failure that is being made smaller is a find as it is.
  package mutating func end() {
    if let unfinished { finds.append(unfinished) }
    if case .investigating(let subject) = stage, !subject.isSteady {
      pending.append((subject.variant, subject.failure))
    }
    if case .doubting(let suspect, let sentence) = stage { stage = .over(.failedLast(suspect, sentence)) }
    if hasBegun, refusal == nil { stage = .over(nil) }
  }

  /// The failure that is being made smaller, as small as it has failed more than once; nil if no failure is.
  package var unfinished: HuntFind? {
    guard case .investigating(let subject) = stage, subject.isSteady else { return nil }
    return HuntFind(subject.unfinished, number: finds.count + 1, after: tally.played)
  }
}

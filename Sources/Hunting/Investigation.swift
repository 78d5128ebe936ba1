import WireFormats

/// A variant that failed, and what is being found out about it: whether it fails again, and with how little.
///
/// Delta debugging: removing any perturbation, or making it simpler, makes the failure disappear. Then the story itself
/// is made smaller, as far as the failure stays.
struct Investigation: Sendable {
  enum Stage: Hashable, Sendable {
    /// The story itself is played, to see whether the variant has left something behind.
    case control
    /// The variant is played again.
    case repeating
    /// Smaller ones are tried, from candidate number `next` on.
    case reducing(Part, next: Int)
    /// The smallest is played again.
    case confirming
  }

  /// The parts that are made smaller, one after the other.
  enum Part: Hashable, Sendable {
    case trouble, story

    /// Maximum number of candidates that are tried. A smaller story takes a play without trouble, too.
    fileprivate var mostTries: Int { self == .trouble ? 80 : 8 }
  }

  /// Fails in this many of five plays, or it is not kept.
  static let fewestFailures = 4
  /// Failures after which smaller variants are tried. A failing test takes its whole patience, so only the smallest
  /// variant is played five times.
  private static let failuresToShrink = 2
  static let replays = 5

  /// Something to play.
  struct Trial: Hashable, Sendable {
    var perturbations: [Perturbation]
    var cut = StoryCut()
  }

  let variant: Variant
  private let ground: HuntingGround
  /// The failure of the smallest variant so far.
  private(set) var failure: HuntFailure
  private(set) var smallest: Trial
  private(set) var stage = Stage.control
  /// Of the plays of the smallest.
  private(set) var fails = 1
  private(set) var plays = 1
  /// Number of plays of the smallest that could not be played, for a reason such as a port that something else has
  /// taken.
  private var unplayed = 0
  /// Of the replays of the smallest in which its expectation was evaluated.
  private(set) var expectationFails = 0
  private(set) var expectationPlays = 0
  /// True if the smallest variant has failed although the story waited longer.
  private(set) var failsPatiently = false
  /// Number of candidates of the current part that were tried.
  private var tries = 0
  private var candidates: [Trial] = []
  /// The variant as it was before it was made smaller, once it has failed again; nil before that, and if what is left
  /// of it has failed too seldom, so that it was taken up again.
  private var steady: (trial: Trial, failure: HuntFailure, plays: Int)?

  init(_ failure: HuntFailure, of variant: Variant, on ground: HuntingGround) {
    self.failure = failure
    self.variant = variant
    self.ground = ground
    smallest = Trial(perturbations: variant.perturbations)
  }

  var group: HuntFailure.Group { failure.group }

  /// The state of an investigation after a play.
  enum Outcome: Hashable, Sendable {
    case goesOn
    /// The variant fails too seldom.
    case unsteady
    /// The smallest variant fails in enough plays.
    case found
  }

  /// Nil for the story itself.
  var next: Trial? {
    switch stage {
    case .control: nil
    case .repeating, .confirming: smallest
    case .reducing(_, let next): candidates[next]
    }
  }

  /// True once the variant has failed more than once.
  var isSteady: Bool {
    switch stage {
    case .control, .repeating: false
    case .reducing, .confirming: true
    }
  }

  /// True if the story is to wait longer in the next play: until the smallest variant has failed in such a play, which
  /// takes the whole patience of the story, so that one is enough.
  var isPatient: Bool {
    switch stage {
    case .repeating, .confirming: !failsPatiently
    case .control, .reducing: false
    }
  }

  /// The expectation to evaluate in the next play: the file of a find must fail as the find does.
  var expectation: JSONValue? { stage == .confirming ? failure.expectation : nil }

  /// The variant to play could not be played, which says nothing about it, unless it can never be played.
  mutating func couldNotPlay() -> Outcome {
    unplayed += 1
    switch stage {
    case .repeating, .confirming: return unplayed < Self.replays ? .goesOn : takeBack()
    case .control, .reducing: return played(nil)
    }
  }

  /// The story itself has passed.
  mutating func passedControl() { stage = .repeating }

  /// - Parameters:
  ///   - failure: that of the group, if the variant failed with it.
  ///   - missesExpectation: true if the expectation fails; nil if none was evaluated.
  mutating func played(_ failure: HuntFailure?, missesExpectation: Bool? = nil) -> Outcome {
    if let missesExpectation {
      expectationPlays += 1
      if missesExpectation { expectationFails += 1 }
    }
    switch stage {
    case .control: return .goesOn
    case .repeating, .confirming:
      plays += 1
      if let failure {
        fails += 1
        failsPatiently = true
        // The expectation must stay the same while it is evaluated, in the replays of the smallest.
        if stage == .repeating { self.failure = failure }
      }
      if plays - fails > Self.replays - Self.fewestFailures { return takeBack() }
      if stage == .confirming { return plays == Self.replays ? .found : .goesOn }
      guard fails >= Self.failuresToShrink else { return .goesOn }
      steady = (smallest, self.failure, plays)
      unplayed = 0
      return reduce(.trouble)
    case .reducing(let part, let next):
      tries += 1
      if let failure {
        take(failure, from: next)
        return reduce(part)
      }
      guard next + 1 < candidates.count, tries < part.mostTries else { return pass(part) }
      stage = .reducing(part, next: next + 1)
    }
    return .goesOn
  }

  /// Goes on with a candidate that fails as well.
  private mutating func take(_ failure: HuntFailure, from next: Int) {
    smallest = candidates[next]
    self.failure = failure
    (fails, plays, unplayed, failsPatiently) = (1, 1, 0, false)
  }

  /// As it is when the time is over: what is left may have failed only once, by chance.
  var unfinished: Investigation {
    var copy = self
    if let steady, fails < Self.failuresToShrink {
      (copy.smallest, copy.failure) = (steady.trial, steady.failure)
      (copy.fails, copy.plays) = (Self.failuresToShrink, steady.plays)
      (copy.expectationFails, copy.expectationPlays) = (0, 0)
    }
    return copy
  }

  /// Goes back to the whole variant, which is a find as well: what is left has failed too seldom, perhaps since a
  /// single play of it has failed by chance.
  private mutating func takeBack() -> Outcome {
    guard let steady, steady.trial != smallest else { return .unsteady }
    (smallest, failure, self.steady) = (steady.trial, steady.failure, nil)
    (fails, plays, unplayed, failsPatiently) = (Self.failuresToShrink, steady.plays, 0, false)
    (expectationFails, expectationPlays) = (0, 0)
    return .goesOn
  }

  /// Goes on with what is smaller than the smallest.
  private mutating func reduce(_ part: Part) -> Outcome {
    candidates =
      switch part {
      case .trouble: Self.smaller(smallest.perturbations).map { Trial(perturbations: $0) }
      case .story: smallest.cut.smaller(ground, smallest.perturbations).map { Trial(perturbations: $0.1, cut: $0.cut) }
      }
    guard !candidates.isEmpty, tries < part.mostTries else { return pass(part) }
    stage = .reducing(part, next: 0)
    return .goesOn
  }

  /// Goes on after a part that cannot be made smaller any more.
  private mutating func pass(_ part: Part) -> Outcome {
    tries = 0
    guard part == .story else { return reduce(.story) }
    stage = .confirming
    return .goesOn
  }

  /// Variants that are a little smaller: without one of the perturbations, or with a simpler one.
  private static func smaller(_ all: [Perturbation]) -> [[Perturbation]] {
    var variants: [[Perturbation]] = []
    if all.count > 1 {
      for index in all.indices {
        var rest = all
        rest.remove(at: index)
        variants.append(rest)
      }
    }
    for index in all.indices {
      for simpler in all[index].simpler {
        var copy = all
        copy[index] = simpler
        variants.append(copy)
      }
    }
    return variants
  }
}

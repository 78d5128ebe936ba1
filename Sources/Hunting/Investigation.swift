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
    /// Smaller variants are tried, from candidate number `next` on.
    case shrinking(next: Int)
    /// Smaller parts of the story are tried, from candidate number `next` on.
    case cutting(next: Int)
    /// The smallest is played again.
    case confirming
  }

  /// Fails in this many of five plays, or it is not kept.
  static let fewestFailures = 4
  /// Failures after which smaller variants are tried. A failing test takes its whole patience, so only the smallest
  /// variant is played five times.
  private static let failuresToShrink = 2
  static let replays = 5
  /// Maximum number of smaller variants that are tried.
  private static let mostTries = 80
  /// Maximum number of smaller parts of the story that are tried. Each takes a play without trouble, too.
  private static let mostCuts = 8

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
  /// Of the replays of the smallest in which its expectation was evaluated.
  private(set) var expectationFails = 0
  private(set) var expectationPlays = 0
  /// True if the smallest variant has failed although the story waited longer.
  private(set) var failsPatiently = false
  private var tries = 0
  private var cuts = 0
  private var candidates: [Trial] = []

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
    case .shrinking(let next), .cutting(let next): candidates[next]
    }
  }

  /// True once the variant has failed more than once.
  var isSteady: Bool {
    switch stage {
    case .control, .repeating: false
    case .shrinking, .cutting, .confirming: true
    }
  }

  /// True if the story is to wait longer in the next play: until the smallest variant has failed in such a play, which
  /// takes the whole patience of the story, so that one is enough.
  var isPatient: Bool {
    switch stage {
    case .repeating, .confirming: !failsPatiently
    case .control, .shrinking, .cutting: false
    }
  }

  /// The expectation to evaluate in the next play: the file of a find must fail as the find does.
  var expectation: JSONValue? { stage == .confirming ? failure.expectation : nil }

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
        self.failure = failure
      }
      if plays - fails > Self.replays - Self.fewestFailures { return .unsteady }
      if stage == .confirming { return plays == Self.replays ? .found : .goesOn }
      return fails < Self.failuresToShrink ? .goesOn : shrink()
    case .shrinking(let next):
      tries += 1
      if let failure {
        take(failure, from: next)
        return shrink()
      }
      guard next + 1 < candidates.count, tries < Self.mostTries else { return cut() }
      stage = .shrinking(next: next + 1)
    case .cutting(let next):
      cuts += 1
      if let failure {
        take(failure, from: next)
        return cut()
      }
      guard next + 1 < candidates.count, cuts < Self.mostCuts else { return confirm() }
      stage = .cutting(next: next + 1)
    }
    return .goesOn
  }

  /// Goes on with a candidate that fails as well.
  private mutating func take(_ failure: HuntFailure, from next: Int) {
    smallest = candidates[next]
    self.failure = failure
    (fails, plays, failsPatiently) = (1, 1, false)
  }

  /// Goes on with what is smaller than the smallest.
  private mutating func shrink() -> Outcome {
    candidates = Self.smaller(smallest.perturbations).map { Trial(perturbations: $0) }
    guard !candidates.isEmpty, tries < Self.mostTries else { return cut() }
    stage = .shrinking(next: 0)
    return .goesOn
  }

  /// Goes on with smaller parts of the story.
  private mutating func cut() -> Outcome {
    candidates = smallest.cut.smaller(ground, smallest.perturbations).map { Trial(perturbations: $0.1, cut: $0.cut) }
    guard !candidates.isEmpty, cuts < Self.mostCuts else { return confirm() }
    stage = .cutting(next: 0)
    return .goesOn
  }

  private mutating func confirm() -> Outcome {
    stage = .confirming
    return plays == Self.replays ? .found : .goesOn
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

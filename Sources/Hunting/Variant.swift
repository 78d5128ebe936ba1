import WireFormats

/// A story with perturbations: what is played next.
package struct Variant: Hashable, Sendable {
  /// The reason why it is played.
  package enum Purpose: Hashable, Sendable {
    /// The story itself, to know what it does without trouble.
    case plain
    /// The story without any push that reaches a phone, to see whether it expects one.
    case asking
    /// The story itself again, to see whether an earlier variant has left something behind.
    case control
    /// An example that an earlier hunt has kept.
    case kept
    /// A known failure mode, by its number in docs/behavior/failure-modes.md.
    case known(Int)
    /// Drawn, or made of one that showed something new.
    case drawn
    /// A variant that failed, once more, with what is left of it.
    case shrinking

    package var name: String {
      switch self {
      case .plain: "plain"
      case .asking: "asking"
      case .control: "control"
      case .kept: "kept"
      case .known: "known"
      case .drawn: "drawn"
      case .shrinking: "shrinking"
      }
    }
  }

  /// From 1, in the order in which the hunt has made them.
  package let number: Int
  package let seed: UInt64
  package let purpose: Purpose
  package let perturbations: [Perturbation]
  /// The part of the story that is played.
  package var cut = StoryCut()
  /// Factor for the time that the story waits. A failure that goes away with a greater one was only late.
  package var patience = 1
  /// An entry of `expect` in place of the story's, to see whether it fails; nil if no expectation is evaluated.
  package var expectation: JSONValue?
}

/// A failure of a variant that an oracle, or the assertion of a test, has told.
package struct HuntFailure: Hashable, Sendable {
  /// The words that failures of one bug have in common: the oracle, and what it names.
  package struct Group: Hashable, Sendable {
    /// The name of the oracle, such as `lastStateLost`; `test` for an assertion.
    package let oracle: String
    package let subject: String

    package init(_ oracle: String, _ subject: String) {
      self.oracle = oracle
      self.subject = subject
    }
  }

  package let group: Group
  /// For people, with the names and numbers of this play.
  package let sentence: String
  /// An entry of `expect` in a scenario file that fails as this does, and that a right backend passes with the same
  /// perturbations; nil for the assertion of a test, and for a backend that ends.
  package let expectation: JSONValue?
  /// The example with trouble and without, a line for each thing that happened to it.
  package let timeline: [String]

  package init(_ group: Group, _ sentence: String, expectation: JSONValue? = nil, timeline: [String] = []) {
    self.group = group
    self.sentence = sentence
    self.expectation = expectation
    self.timeline = timeline
  }
}

/// The result of a variant.
package struct VariantResult: Hashable, Sendable {
  /// The story itself was played to its end. Otherwise nothing is judged.
  package var isPlayed = true
  /// False if apps have asked the backend for something else than in the plain play, so that most oracles say nothing.
  package var isJudged = true
  package var failures: [HuntFailure] = []
  /// The things that happened in it, each once; compared with other variants.
  package var features: [String] = []
  /// The state at its end, a line for each thing; two plays of the story itself must not differ in them.
  package var lines: [String] = []
  /// For each perturbation, whether it struck.
  package var struck: [Bool] = []
  /// True if the variant's expectation fails; nil if none was evaluated.
  package var missesExpectation: Bool?
  /// The reason why it could not be played; nil if it was.
  package var problem: String?

  package init() {}

  package init(problem: String) {
    isPlayed = false
    self.problem = problem
  }
}

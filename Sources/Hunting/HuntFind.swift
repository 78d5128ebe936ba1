import WireFormats

/// A failure with the fewest perturbations that bring it about.
package struct HuntFind: Sendable {
  /// Number of plays of a find, unless the time is over before.
  package static let replays = Investigation.replays

  package let number: Int
  package let group: HuntFailure.Group
  /// For people, of the last play of the smallest variant.
  package let sentence: String
  /// The example with trouble and without.
  package let timeline: [String]
  /// An entry of `expect` that fails; nil if no expectation can tell the failure.
  package let expectation: JSONValue?
  package let seed: UInt64
  package let perturbations: [Perturbation]
  /// The part of the story in which they bring it about.
  package let cut: StoryCut
  /// The number of perturbations of the variant that failed first.
  package let drawn: Int
  /// The failure mode that it comes from; nil if it was drawn.
  package let mode: Int?
  package let fails: Int
  package let plays: Int
  /// Number of replays in which `expectation` failed, and of those in which it was evaluated.
  package let expectationFails: Int
  package let expectationPlays: Int
  /// The number of variants that were played before it was found and made smaller.
  package let after: Int

  init(_ subject: Investigation, number: Int, after: Int) {
    self.number = number
    self.after = after
    group = subject.group
    sentence = subject.failure.sentence
    expectation = subject.failure.expectation
    timeline = subject.failure.timeline
    seed = subject.variant.seed
    (perturbations, cut) = (subject.smallest.perturbations, subject.smallest.cut)
    drawn = subject.variant.perturbations.count
    mode = if case .known(let mode) = subject.variant.purpose { mode } else { nil }
    fails = subject.fails
    plays = subject.plays
    (expectationFails, expectationPlays) = (subject.expectationFails, subject.expectationPlays)
  }
}

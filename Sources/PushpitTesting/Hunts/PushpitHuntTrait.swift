import Testing

/// Plays the test again and again, each time with other faults; see `.hunt(seconds:seed:accept:)`.
public struct PushpitHuntTrait: SuiteTrait, TestTrait {
  let seconds: Double
  /// Nil for one that is drawn.
  let seed: Int?
  let accept: [String]
  let variants: Int?
  let sourceLocation: SourceLocation

  static let mostSeed = Int(Int32.max)

  public var isRecursive: Bool { true }

  public func prepare(for test: Test) async throws {
    try PushpitError.checkTrait(of: test, ".hunt")
    guard seconds > 0, seconds.isFinite else {
      throw PushpitError(.misuse, "seconds of the trait .hunt is how long to hunt, more than 0, and not \(seconds).")
    }
    guard seed.map((0...Self.mostSeed).contains) ?? true else {
      throw PushpitError(.misuse, "seed of the trait .hunt is from 0 to \(Self.mostSeed), and not \(seed ?? 0).")
    }
    guard variants ?? 1 >= 1 else {
      throw PushpitError(.misuse, "variants of the trait .hunt is 1 or more, and not \(variants ?? 0).")
    }
  }
}

extension Trait where Self == PushpitHuntTrait {
  /// Plays a test that passes again and again, each time with other faults, and fails with the smallest that breaks it,
  /// as traits to paste. Needs `.pushpit`.
  ///
  /// Finds are kept in `.pushpit/hunts` of the working directory, and are played first the next time.
  ///
  /// - Parameters:
  ///   - seconds: how long to hunt; a failure that is being made smaller may take half as long again.
  ///   - seed: draws the same variants again; by default each hunt draws others, and reports its seed.
  ///   - accept: words of faults, such as `goAway`, and reasons, such as `TooManyRequests`, that are not played.
  ///   - variants: the number of variants after which it ends, if the time is not over before.
  public static func hunt(
    seconds: Double, seed: Int? = nil, accept: [String] = [], variants: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    PushpitHuntTrait(
      seconds: seconds, seed: seed, accept: accept, variants: variants, sourceLocation: sourceLocation)
  }
}

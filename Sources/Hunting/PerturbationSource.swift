/// Draws variants: kept examples first, then known failure modes, then new ones.
///
/// Changed and joined copies of variants that had shown something new found no more bugs, nor sooner:
/// Benchmarks/README.md#hunts.
struct PerturbationSource: Sendable {
  /// Attempts to draw one that was not played before, and one of which not all is left out.
  private static let attempts = 20
  private static let mostAttempts = 1000
  /// Weights of 1, 2, 3 and 4 perturbations in a new variant.
  private static let sizes = [45, 30, 15, 10]

  private let options: Hunt.Options
  private var kept: [[Perturbation]]
  private var modes: [KnownMode]
  private var played: Set<[Perturbation]> = []

  init(_ options: Hunt.Options) {
    self.options = options
    kept = options.kept.filter { $0.allSatisfy { Self.isPlayed($0, options) } }.reversed()
    modes = options.modes.reversed()
  }

  /// - Parameter made: number of variants that were made before.
  /// - Returns: nil if only known failure modes are wanted, and all were played; and if all that is drawn is left out.
  mutating func next(
    _ ground: HuntingGround, made: Int
  ) -> (purpose: Variant.Purpose, perturbations: [Perturbation])? {
    if let example = kept.popLast() { return (.kept, example) }
    while let mode = modes.popLast() {
      guard isPossible(mode, ground) else { continue }
      let perturbations = mode.perturbations(ground)
      played.insert(perturbations)
      return (.known(mode.number), perturbations)
    }
    guard !options.isKnownOnly else { return nil }
    var draws = Draws(seed: options.seed, variant: made)
    var drawn = draw(ground, &draws)
    for _ in 0..<Self.attempts where drawn.isEmpty || played.contains(drawn) { drawn = draw(ground, &draws) }
    for _ in 0..<Self.mostAttempts where drawn.isEmpty { drawn = draw(ground, &draws) }
    guard !drawn.isEmpty else { return nil }
    played.insert(drawn)
    return (.drawn, drawn)
  }

  /// True if the story has what the mode needs, and no part of the mode is left out.
  func isPossible(_ mode: KnownMode, _ ground: HuntingGround) -> Bool {
    let perturbations = mode.perturbations(ground)
    return !perturbations.isEmpty && perturbations.allSatisfy(isPlayed)
  }

  private func draw(_ ground: HuntingGround, _ draws: inout Draws) -> [Perturbation] {
    let count = 1 + draws.index(of: Self.sizes)
    let new = Perturbation.joined((0..<count).compactMap { _ in PerturbationKinds.draw(ground, &draws) })
    let drawn = new.filter { perturbation in
      // A backend may renew its provider token once in 20 minutes, which is longer than many tests.
      isPlayed(perturbation) && !(ground.door == .test && perturbation.names.contains("ExpiredProviderToken"))
    }
    return Perturbation.few(drawn, strikes: ground.strikesTogether)
  }

  private func isPlayed(_ perturbation: Perturbation) -> Bool { Self.isPlayed(perturbation, options) }

  private static func isPlayed(_ perturbation: Perturbation, _ options: Hunt.Options) -> Bool {
    perturbation.names.isDisjoint(with: options.without)
  }
}

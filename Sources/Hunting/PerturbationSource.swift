/// Draws variants: kept examples first, then known failure modes, then new ones and changed copies of those that showed
/// something new.
struct PerturbationSource: Sendable {
  /// Variants with more perturbations would say little about each.
  private static let most = 6
  private static let mostKept = 500
  /// Attempts to draw one that was not played before.
  private static let attempts = 20
  /// Weights of 1, 2, 3 and 4 perturbations in a new variant.
  private static let sizes = [45, 30, 15, 10]

  private let options: Hunt.Options
  private var kept: [[Perturbation]]
  private var modes: [KnownMode]
  /// Variants that showed something new.
  private var corpus: [[Perturbation]] = []
  private var features: Set<String> = []
  private var played: Set<[Perturbation]> = []

  init(_ options: Hunt.Options) {
    self.options = options
    kept = options.kept.filter { $0.allSatisfy { Self.isPlayed($0, options) } }.reversed()
    modes = options.modes.reversed()
  }

  /// - Parameter made: number of variants that were made before.
  /// - Returns: nil if only known failure modes are wanted, and all were played.
  mutating func next(
    _ ground: HuntingGround, made: Int
  ) -> (purpose: Variant.Purpose, perturbations: [Perturbation])? {
    if let example = kept.popLast() { return (.kept, example) }
    while let mode = modes.popLast() {
      let perturbations = mode.perturbations(ground)
      if !perturbations.isEmpty, perturbations.allSatisfy(isPlayed) {
        played.insert(perturbations)
        return (.known(mode.number), perturbations)
      }
    }
    guard !options.isKnownOnly else { return nil }
    var draws = Draws(seed: options.seed, variant: made)
    var drawn = draw(ground, &draws)
    for _ in 0..<Self.attempts where drawn.isEmpty || played.contains(drawn) { drawn = draw(ground, &draws) }
    played.insert(drawn)
    return (.drawn, drawn)
  }

  /// Keeps a variant that showed something new.
  mutating func take(_ variant: Variant, _ result: VariantResult) {
    let before = features.count
    features.formUnion(result.features)
    guard options.usesCoverage, features.count > before, !variant.perturbations.isEmpty, corpus.count < Self.mostKept
    else { return }
    corpus.append(variant.perturbations)
  }

  private func draw(_ ground: HuntingGround, _ draws: inout Draws) -> [Perturbation] {
    let parent = draws.happens(50) ? draws.pick(corpus) : nil
    let drawn = (parent.map { changed($0, in: ground, &draws) } ?? new(ground, &draws)).filter { perturbation in
      // A backend may renew its provider token once in 20 minutes, which is longer than many tests.
      isPlayed(perturbation) && !(ground.door == .test && perturbation.names.contains("ExpiredProviderToken"))
    }
    return Perturbation.few(drawn, strikes: ground.strikesTogether)
  }

  private func isPlayed(_ perturbation: Perturbation) -> Bool { Self.isPlayed(perturbation, options) }

  private static func isPlayed(_ perturbation: Perturbation, _ options: Hunt.Options) -> Bool {
    perturbation.names.isDisjoint(with: options.without)
  }

  private func new(_ ground: HuntingGround, _ draws: inout Draws) -> [Perturbation] {
    let count = 1 + draws.index(of: Self.sizes)
    return Perturbation.joined((0..<count).compactMap { _ in PerturbationKinds.draw(ground, &draws) })
  }

  /// A copy of a variant with one thing added, dropped, replaced or moved, or joined with another one.
  private func changed(_ parent: [Perturbation], in ground: HuntingGround, _ draws: inout Draws) -> [Perturbation] {
    var copy = parent
    let place = draws.below(copy.count)
    switch draws.below(options.splices ? 5 : 4) {
    case 0: if let new = PerturbationKinds.draw(ground, &draws) { copy.append(new) }
    case 1 where copy.count > 1: copy.remove(at: place)
    case 2: if let new = PerturbationKinds.draw(ground, &draws) { copy[place] = new }
    case 4: copy += draws.pick(corpus) ?? []
    default: copy[place] = PerturbationKinds.moved(copy[place], in: ground, &draws)
    }
    return Array(Perturbation.joined(copy).prefix(Self.most))
  }
}

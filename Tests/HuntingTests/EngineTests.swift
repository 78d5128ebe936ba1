import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Engine of hunts")
struct EngineTests: RuledHunts {
  // MARK: - Finds

  @Test("each of two variants that fail while both are being played is looked into")
  func together() throws {
    var options = Self.keptOnly
    options.kept = [[Self.lost], [Self.abort]]
    var hunt = Hunt(options)
    var begun: [Variant] = []
    for _ in 0..<500 {
      switch hunt.next() {
      case .play(let variant): begun.append(variant)
      case .wait, .over:
        guard let variant = begun.popLast() else { break }
        var result = Self.result(failing: false)
        if let kind = Self.kinds(variant).first {
          result.failures = [HuntFailure(HuntFailure.Group("lastStateLost", kind), "a card stays behind")]
        }
        hunt.take(result, of: variant.number, ground: Self.ground)
      }
    }
    #expect(Set(hunt.finds.map(\.group.subject)) == ["loseAnswer", "abort"])
  }

  @Test("a hunt goes on as long as one kind of trouble is not left out")
  func oneKindLeft() {
    var draws = Draws(seed: 1, variant: 1)
    let kinds = (0..<5000).compactMap { _ in PerturbationKinds.draw(Self.ground, &draws) }.flatMap(\.names)
    var options = Hunt.Options()
    options.modes = []
    options.without = Set(kinds).subtracting(["close"])
    let (_, variants) = hunt(options, plays: 60) { _ in Self.result(failing: false) }
    let drawn = variants.filter { $0.purpose == .drawn }
    #expect(variants.count == 60 && drawn.allSatisfy { Self.kinds($0) == ["close"] })
  }

  @Test("a variant that cannot be played is counted apart")
  func unplayed() {
    var options = Self.keptOnly
    options.kept = [[Self.lost], [Self.abort]]
    let (hunt, variants) = hunt(options, plays: 500) {
      Self.kinds($0) == ["abort"] ? VariantResult(problem: "no port is free") : Self.result(failing: false)
    }
    #expect(hunt.tally.unplayed == 1 && hunt.tally.played == variants.count - 1)
  }

  @Test("pushes of a test arrive late or twice only if all are updates of cards, which have timestamps")
  func arrival() {
    func kinds(_ words: [HuntingGround.Word]) -> Set<String> {
      var ground = HuntingGround(door: .test, length: .seconds(1), devices: ["d0"])
      (ground.pushes, ground.words) = (3, words)
      var draws = Draws(seed: 1, variant: 1)
      return Set((0..<500).compactMap { _ in PerturbationKinds.draw(ground, &draws)?.kind })
    }
    #expect(kinds([.init("event", "update", count: 2), .init("event", "end", count: 1)]).contains("arrival"))
    for words in [[], [.init("event", "update", count: 2), .init("event", "start", count: 1)]] as [[HuntingGround.Word]]
    {
      #expect(kinds(words).isDisjoint(with: ["arrival"]) && kinds(words).contains("delay"))
    }
  }

  @Test("a story whose failures never have the same words has a bounded number of finds and of unsteady failures")
  func bounded() {
    var options = Hunt.Options()
    options.modes = []
    func ended(isSteady: Bool) -> Hunt {
      var plays = 0
      return hunt(options, plays: 2500) { variant in
        plays += 1
        var result = Self.result(failing: false)
        let words = isSteady ? "\(variant.perturbations.map(\.json.text))" : "\(plays)"
        guard !variant.perturbations.isEmpty else { return result }
        result.failures = [HuntFailure(HuntFailure.Group("test", words), words)]
        return result
      }.hunt
    }
    #expect(ended(isSteady: true).finds.count == 100)
    #expect(ended(isSteady: false).tally.unsteady.count == 100)
  }

  @Test("one bug is found once, and a failure of the story itself or an accepted one is no find")
  func once() {
    var options = Self.keptOnly
    options.kept = [[Self.lost], [Self.lost, Self.abort]]
    let (twice, _) = hunt(options, plays: 500) { Self.result(failing: !$0.perturbations.isEmpty) }
    #expect(twice.finds.count == 1)
    let (always, _) = hunt(options, plays: 500) { _ in Self.result(failing: true) }
    #expect(always.finds.isEmpty && always.plainFailures.map(\.group) == [Self.failure.group])
    options.accepted = ["lastStateLost"]
    let (accepted, _) = hunt(options, plays: 500) { Self.result(failing: !$0.perturbations.isEmpty) }
    #expect(accepted.finds.isEmpty && accepted.plainFailures.isEmpty)
  }

  // MARK: - Refusals

  @Test("a story that fails by itself, or differs from play to play, is refused with the reason")
  func refused() {
    let (failed, variants) = hunt(Self.keptOnly, plays: 500) { _ in VariantResult(problem: "no card") }
    #expect(failed.refusal == .failsByItself("no card") && variants.count == 1)
    var plays = 0
    let (differs, _) = hunt(Self.keptOnly, plays: 500) { _ in
      plays += 1
      var result = VariantResult()
      result.lines = ["d0: a card", "d1: \(plays) cards"]
      return result
    }
    guard case .differs(let line)? = differs.refusal else {
      Issue.record("\(String(describing: differs.refusal))")
      return
    }
    #expect(line.hasPrefix("d1: "))
  }

  @Test("a variant that leaves something behind, so that the story itself fails after it, is told as what did it")
  func contaminated() {
    var options = Self.keptOnly
    options.kept = [[Self.abort], [Self.lost]]
    var isSpoilt = false
    let (hunt, variants) = hunt(options, plays: 500) { variant in
      if variant.perturbations == [Self.lost] { isSpoilt = true }
      return Self.result(failing: isSpoilt)
    }
    let culprit = variants.first { $0.perturbations == [Self.lost] }
    #expect(hunt.refusal == .contaminated(culprit, "a card stays behind"))
    #expect(hunt.finds.isEmpty)
  }

  @Test("a story that fails once by itself, and passes when it is played again, is refused with the variant before it")
  func failedOnce() {
    var options = Self.keptOnly
    options.kept = [[Self.abort], [Self.lost]]
    var controls = 0
    let (hunt, variants) = hunt(options, plays: 500) { variant in
      if variant.purpose == .control { controls += 1 }
      return Self.result(failing: variant.perturbations == [Self.lost] || variant.purpose == .control && controls == 1)
    }
    let before = variants.first { $0.perturbations == [Self.lost] }
    #expect(hunt.refusal == .failedOnce(before, "a card stays behind"))
  }

  @Test("a hunt that ends while the story itself is in doubt says so")
  func endsInDoubt() {
    var options = Self.keptOnly
    options.kept = [[Self.lost]]
    // After the plays without trouble, the variant and the story itself fail.
    var (hunt, variants) = hunt(options, plays: options.plainPlays + 2) { variant in
      Self.result(failing: variant.purpose != .plain)
    }
    hunt.end()
    #expect(hunt.refusal == .failedLast(variants.dropLast().last, "a card stays behind"))
    #expect(hunt.unexamined == [Self.failure.group])
  }

  @Test("a variant that could not be played is not blamed for what follows")
  func innocent() {
    var options = Self.keptOnly
    options.kept = [[Self.abort]] + Array(repeating: [Self.lost], count: 25)
    let (hunt, variants) = hunt(options, plays: 500) { variant in
      variant.purpose == .plain || variant.perturbations == [Self.abort]
        ? Self.result(failing: false) : VariantResult(problem: "no licence")
    }
    let played = variants.first { $0.perturbations == [Self.abort] }
    #expect(hunt.refusal == .contaminated(played, "no licence"))
  }

  @Test("a known failure mode is reached if one of its faults has struck, unless it needs all of them")
  func reached() {
    var options = Hunt.Options()
    options.isKnownOnly = true
    func struck(_ strikes: @escaping (Int) -> Bool) -> [Int] {
      let (hunt, variants) = hunt(options, plays: 500) { variant in
        var result = Self.result(failing: false)
        result.struck = variant.perturbations.indices.map { variant.perturbations[$0].place != .faults || strikes($0) }
        return result
      }
      let faulty = variants.filter { $0.perturbations.contains { $0.place == .faults } }.compactMap { variant in
        if case .known(let number) = variant.purpose { number } else { nil }
      }
      return hunt.tally.modes.filter { faulty.contains($0.number) && $0.reach.struck > 0 }.map(\.number)
    }
    #expect(struck { $0 == 0 }.contains(18) && struck { $0 == 1 }.contains(18))
    // A GOAWAY with open streams.
    #expect(!struck { $0 == 0 }.contains(1) && !struck { $0 == 1 }.contains(1) && struck { _ in true }.contains(1))
    #expect(struck { _ in false }.isEmpty)
  }

  @Test("the story itself is played again every twenty variants")
  func controls() {
    let (_, variants) = hunt(Hunt.Options(), plays: 120) { _ in Self.result(failing: false) }
    let places = variants.indices.filter { variants[$0].purpose == .control }
    #expect(places.count >= 4)
    for (one, next) in zip(places, places.dropFirst()) { #expect(next - one == 21) }
  }

  // MARK: - Variants

  @Test("one seed gives the same variants, and another seed other ones")
  func seeded() {
    func variants(_ seed: UInt64) -> [[Perturbation]] {
      var options = Hunt.Options()
      options.seed = seed
      let (_, variants) = hunt(options, plays: 200) {
        Self.result(failing: false, features: Self.kinds($0).sorted())
      }
      return variants.map(\.perturbations)
    }
    #expect(variants(1) == variants(1))
    #expect(variants(1) != variants(2))
  }

  @Test("the known failure modes come first, each once, and alone end the hunt if nothing else is wanted")
  func known() {
    var options = Hunt.Options()
    options.isKnownOnly = true
    let (hunt, variants) = hunt(options, plays: 500) { _ in Self.result(failing: false) }
    let numbers = variants.compactMap { if case .known(let number) = $0.purpose { number } else { nil } }
    #expect(numbers.count > 20 && Set(numbers).count == numbers.count)
    #expect(numbers == KnownModes.all.map(\.number).filter { numbers.contains($0) })
    #expect(hunt.refusal == nil && hunt.tally.modes.map(\.number) == numbers)
  }

  @Test("a hunt that ends early knows which failure modes it has not played")
  func unplayedModes() {
    var options = Hunt.Options()
    options.isKnownOnly = true
    let (whole, _) = hunt(options, plays: 500) { _ in Self.result(failing: false) }
    #expect(whole.unplayedModes.isEmpty)
    let (cut, _) = hunt(options, plays: options.plainPlays + 3) { _ in Self.result(failing: false) }
    #expect(cut.unplayedModes == whole.tally.modes.map(\.number).dropFirst(3).map(\.self))
  }

  @Test("a known failure mode is survived only if a variant in which it struck was judged")
  func unjudged() {
    var options = Hunt.Options()
    options.isKnownOnly = true
    func reaches(isJudged: Bool) -> [HuntTally.Reach] {
      let (hunt, _) = hunt(options, plays: 500) { variant in
        var result = Self.result(failing: false)
        result.struck = variant.perturbations.map { _ in true }
        result.isJudged = isJudged
        return result
      }
      return hunt.tally.modes.map(\.reach)
    }
    #expect(reaches(isJudged: true).allSatisfy { $0.isSurvived })
    let unjudged = reaches(isJudged: false)
    #expect(!unjudged.isEmpty && unjudged.allSatisfy { $0.struck == 1 && !$0.isSurvived })
  }

  @Test("a hunt that ends in the first play has played no failure mode")
  func unbegun() { #expect(Hunt(Hunt.Options()).unplayedModes == KnownModes.all.map(\.number)) }

  @Test("a known failure mode that needs what a story does not have is left out")
  func unknown() {
    var bare = HuntingGround(door: .test, length: .seconds(1), devices: [])
    bare.pushes = 1
    let numbers = KnownModes.all.filter { !$0.perturbations(bare).isEmpty }.map(\.number)
    #expect(!numbers.contains(24) && !numbers.contains(36) && numbers.contains(19))
    #expect(numbers.count < KnownModes.all.count { !$0.perturbations(Self.ground).isEmpty })
  }

  @Test("every perturbation can be written as JSON and read again")
  func json() throws {
    let (_, variants) = hunt(Hunt.Options(), plays: 300) { _ in Self.result(failing: false) }
    let all = variants.flatMap(\.perturbations)
    #expect(Set(all.map(\.place)) == Set(Perturbation.Place.allCases))
    for perturbation in all {
      let text = perturbation.json.text
      #expect(Perturbation(try JSONValue.parse(Array(text.utf8))) == perturbation, "\(text)")
    }
    #expect(Perturbation(["in": "faults", "kind": "abort"]) == nil)
    #expect(Perturbation(["in": "sky", "kind": "abort", "entry": ["then": ["abort": true]]]) == nil)
  }
}

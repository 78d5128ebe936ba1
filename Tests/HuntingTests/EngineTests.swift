import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Engine of hunts")
struct EngineTests {
  static let ground: HuntingGround = {
    var ground = HuntingGround(door: .scenario, length: .seconds(1200), devices: (0..<10).map { "d\($0)" })
    ground.pushes = 200
    ground.words = [
      .init("event", "start", count: 10), .init("event", "update", count: 150), .init("event", "end", count: 10),
      .init("pushType", "liveactivity", count: 170), .init("pushType", "alert", count: 30),
    ]
    ground.calls = ["activityToken", "deviceToken", "pushToStartToken"]
    ground.tokenKinds = ["device", "pushToStart", "update"]
    ground.canRestart = true
    return ground
  }()

  /// Plays a hunt against a rule instead of a backend.
  private func hunt(
    _ options: Hunt.Options, plays: Int, result: (Variant) -> VariantResult
  ) -> (hunt: Hunt, variants: [Variant]) {
    var hunt = Hunt(options)
    var variants: [Variant] = []
    while variants.count < plays, case .play(let variant) = hunt.next() {
      variants.append(variant)
      hunt.take(result(variant), of: variant.number, ground: Self.ground)
    }
    return (hunt, variants)
  }

  private static let failure = HuntFailure(HuntFailure.Group("lastStateLost", "a lost answer"), "a card stays behind")

  private static func result(failing isFailing: Bool, features: [String] = []) -> VariantResult {
    var result = VariantResult()
    result.lines = ["d0: a card"]
    result.features = features
    if isFailing { result.failures = [failure] }
    return result
  }

  private static let abort = Perturbation.fault(["abort": true], [.init("limit", 1)])
  private static let lost = Perturbation.fault(
    ["loseAnswer": "CANCEL"], [.init("when", ["event": "update", "skip": 8]), .init("limit", 6)])
  private static let others = [
    Perturbation.fault(["close": true], [.init("limit", 2)]), .setting("wire.initialStreams", 1),
    .fault(["delay": "5s"], [.init("limit", 3)]), .fault(["answer": "TooManyRequests"], [.init("limit", 3)]),
  ]

  private static var keptOnly: Hunt.Options {
    var options = Hunt.Options()
    options.modes = []
    options.isKnownOnly = true
    return options
  }

  private static func kinds(_ variant: Variant) -> Set<String> { Set(variant.perturbations.map(\.kind)) }

  // MARK: - Finds

  @Test(
    "a find keeps only the perturbations that are needed together, in their simplest form, and fails five of five times"
  )
  func smallest() throws {
    var options = Self.keptOnly
    options.kept = [[Self.others[0], Self.lost, Self.others[1], Self.abort] + Self.others[2...]]
    let (hunt, _) = hunt(options, plays: 500) {
      Self.result(failing: Self.kinds($0).isSuperset(of: ["loseAnswer", "abort"]))
    }
    let find = try #require(hunt.finds.first)
    #expect(hunt.finds.count == 1)
    #expect(find.perturbations == [.fault(["loseAnswer": "CANCEL"], [.init("limit", 1)]), Self.abort])
    #expect(find.drawn == 6 && find.fails == 5 && find.plays == 5)
    #expect(find.sentence == "a card stays behind")
  }

  @Test("the replays of a find evaluate its expectation, and no other variant does")
  func expectation() throws {
    let expectation: JSONValue = ["pushes": [:], "count": "3.."]
    var options = Self.keptOnly
    options.kept = [[Self.lost, Self.abort]]
    var replays = 0
    let (hunt, variants) = hunt(options, plays: 500) { variant in
      var result = Self.result(failing: false)
      guard Self.kinds(variant).contains("abort") else { return result }
      result.failures = [HuntFailure(Self.failure.group, "a card stays behind", expectation: expectation)]
      replays += variant.expectation == nil ? 0 : 1
      result.missesExpectation = variant.expectation.map { _ in replays > 1 }
      return result
    }
    let find = try #require(hunt.finds.first)
    #expect(find.expectationFails == 3 && find.expectationPlays == 4)
    let asked = variants.filter { $0.expectation != nil }
    #expect(asked.count == 4 && asked.allSatisfy { $0.expectation == expectation && $0.perturbations == [Self.abort] })
  }

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

  @Test("a variant is a find as it was if what is left of it fails too seldom")
  func takenBack() throws {
    var options = Self.keptOnly
    options.kept = [[Self.lost, Self.abort]]
    var lucky = 0
    let (hunt, _) = hunt(options, plays: 500) { variant in
      let isWhole = variant.perturbations == [Self.lost, Self.abort]
      lucky += variant.perturbations == [Self.abort] ? 1 : 0
      return Self.result(failing: isWhole || variant.perturbations == [Self.abort] && lucky == 1)
    }
    let find = try #require(hunt.finds.first)
    #expect(find.perturbations == [Self.lost, Self.abort] && find.fails == 5 && find.plays == 5)
    #expect(hunt.tally.unsteady.isEmpty)
  }

  @Test("a find that the time cuts off is one that has failed twice")
  func cutOff() throws {
    var options = Self.keptOnly
    options.kept = [[Self.lost, Self.abort]]
    var lucky = 0
    var (hunt, _) = hunt(options, plays: 12) { variant in
      let isWhole = variant.perturbations == [Self.lost, Self.abort]
      lucky += variant.perturbations == [Self.abort] ? 1 : 0
      var result = Self.result(failing: isWhole || variant.perturbations == [Self.abort] && lucky == 1)
      if isWhole { result.failures = [HuntFailure(Self.failure.group, "the whole variant")] }
      return result
    }
    hunt.end()
    let find = try #require(hunt.finds.first)
    #expect(find.perturbations == [Self.lost, Self.abort] && find.fails == 2 && find.plays == 2)
    #expect(find.sentence == "the whole variant")
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

  @Test("a failure that there was no time to look into is told as not examined")
  func unexamined() {
    var options = Self.keptOnly
    options.kept = [[Self.lost]]
    // The plays without trouble, and the variant.
    var (hunt, _) = hunt(options, plays: options.plainPlays + 1) { Self.result(failing: !$0.perturbations.isEmpty) }
    hunt.end()
    #expect(hunt.finds.isEmpty && hunt.unexamined == [Self.failure.group])
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

  @Test("a failure that does not come again is not a find, and is told as unsteady")
  func unsteady() {
    var options = Self.keptOnly
    options.kept = [[Self.lost]]
    var failures = 0
    let (hunt, _) = hunt(options, plays: 500) { variant in
      guard !variant.perturbations.isEmpty else { return Self.result(failing: false) }
      failures += 1
      return Self.result(failing: failures <= 3)
    }
    #expect(hunt.finds.isEmpty && hunt.tally.unsteady == [Self.failure.group])
  }

  @Test("a failure is a find if it also comes while the story waits longer, and is told as late if not")
  func late() {
    var options = Self.keptOnly
    options.patience = 4
    options.kept = [[Self.lost], [Self.abort]]
    func play(_ isFailing: (Variant) -> Bool) -> (hunt: Hunt, variants: [Variant]) {
      hunt(options, plays: 500) { Self.result(failing: !$0.perturbations.isEmpty && isFailing($0)) }
    }
    let (late, _) = play { $0.patience == 1 }
    #expect(late.finds.isEmpty && late.tally.late == [Self.failure] && late.tally.unsteady.isEmpty)
    let (found, variants) = play { _ in true }
    #expect(found.finds.count == 1 && found.tally.late.isEmpty)
    // One before it is made smaller, and one of the smallest.
    #expect(variants.count { $0.patience == 4 } == 2)
    // What is left of the one is only late.
    let (slipped, _) = play { $0.patience == 1 || $0.perturbations == [Self.lost] }
    #expect(slipped.finds.map(\.perturbations) == [[Self.lost]] && slipped.tally.late.isEmpty)
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

  @Test("a failure that fails in four of five plays is a find")
  func nearlySteady() {
    var options = Self.keptOnly
    options.kept = [[Self.abort]]
    var plays = 0
    let (hunt, _) = hunt(options, plays: 500) { variant in
      guard !variant.perturbations.isEmpty, variant.cut.isWhole else { return Self.result(failing: false) }
      plays += 1
      return Self.result(failing: plays != 3)
    }
    #expect(hunt.finds.map(\.fails) == [4] && hunt.finds.map(\.plays) == [5])
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

  @Test("a find keeps only as many phones, and as much of the story, as its failure needs")
  func cut() throws {
    var options = Self.keptOnly
    options.kept = [[.fault(["abort": true], [.init("when", ["devices": ["d7"]]), .init("limit", 1)])]]
    let (hunt, variants) = hunt(options, plays: 500) { variant in
      let isLong = variant.cut.length.map { $0 >= .seconds(500) } ?? true
      let isWide = variant.cut.phones.map { $0 >= 2 } ?? true
      return Self.result(failing: isLong && isWide && variant.perturbations.first?.value["when"]?["devices"] != nil)
    }
    let find = try #require(hunt.finds.first)
    #expect(find.cut.phones == 2 && find.cut.length == .seconds(600))
    #expect(find.cut.words == ["settings: {fleet.devices: 2}", "for: 10m"])
    #expect(find.perturbations.first?.value["when"] == ["devices": ["d0"]])
    #expect(variants.count { !$0.cut.isWhole } <= 10)
  }

  @Test("with fewer phones, trouble passes over as many fewer pushes")
  func skipped() {
    let late = Perturbation.fault(
      ["abort": true], [.init("when", ["event": "update", "skip": 40]), .init("limit", 1)])
    let parts = StoryCut().smaller(Self.ground, [late])
    #expect(parts.map(\.cut.phones) == [1, 5, nil, nil])
    #expect(parts.map { $0.1[0].value["when"]?["skip"] } == [4, 20, 40, 40])
  }

  @Test("a find of a test is not cut, because a test has its one phone")
  func uncut() {
    let ground = HuntingGround(door: .test, length: .seconds(5), devices: ["d0"])
    #expect(StoryCut().smaller(ground, [Self.abort]).isEmpty)
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

import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Investigations of failures")
struct InvestigationTests: RuledHunts {
  @Test(
    "a find keeps only the perturbations that are needed together, in their simplest form, and fails five of five times"
  )
  func smallest() throws {
    var options = Self.keptOnly
    let needless: [Perturbation] = [
      .fault(["close": true], [.init("limit", 2)]), .setting("wire.initialStreams", 1),
      .fault(["delay": "5s"], [.init("limit", 3)]), .fault(["answer": "TooManyRequests"], [.init("limit", 3)]),
    ]
    options.kept = [[needless[0], Self.lost, needless[1], Self.abort] + needless[2...]]
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

  /// Plays a hunt with a variant of which a part alone fails only the first time.
  private func misled(plays: Int) -> Hunt {
    var options = Self.keptOnly
    options.kept = [[Self.lost, Self.abort]]
    var isFirst = true
    return hunt(options, plays: plays) { variant in
      var result = Self.result(failing: false)
      if variant.perturbations == [Self.lost, Self.abort] {
        result.failures = [HuntFailure(Self.failure.group, "the whole variant")]
      } else if variant.perturbations == [Self.abort], isFirst {
        isFirst = false
        result.failures = [Self.failure]
      }
      return result
    }.hunt
  }

  @Test("a variant is a find as it was if what is left of it fails too seldom")
  func takenBack() throws {
    let hunt = misled(plays: 500)
    let find = try #require(hunt.finds.first)
    #expect(find.perturbations == [Self.lost, Self.abort] && find.fails == 5 && find.plays == 5)
    #expect(find.sentence == "the whole variant" && hunt.tally.unsteady.isEmpty)
  }

  @Test("a find that the time cuts off is one that has failed twice")
  func cutOff() throws {
    var hunt = misled(plays: 12)
    hunt.end()
    let find = try #require(hunt.finds.first)
    #expect(find.perturbations == [Self.lost, Self.abort] && find.fails == 2 && find.plays == 2)
    #expect(find.sentence == "the whole variant")
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

  @Test("a play of a failure that cannot be played says nothing about it, unless none can be played")
  func unplayable() {
    var options = Self.keptOnly
    options.kept = [[Self.abort]]
    func found(unplayed: ClosedRange<Int>) -> [HuntFind] {
      var plays = 0
      return hunt(options, plays: 500) { variant in
        guard !variant.perturbations.isEmpty else { return Self.result(failing: false) }
        plays += 1
        return unplayed.contains(plays) ? VariantResult(problem: "no port is free") : Self.result(failing: true)
      }.hunt.finds
    }
    #expect(found(unplayed: 2...5).map { $0.fails } == [5])
    #expect(found(unplayed: 2...500).isEmpty)
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
}

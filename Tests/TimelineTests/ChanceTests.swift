import Testing
import Timeline

@Suite("Chance")
struct ChanceTests {
  /// A change here changes every fleet, every token and every story that users have written down: never do it.
  ///
  /// The numbers come from the Python of `KeyedHashTests`, not from the Swift they judge.
  @Test("the draws of chance never change between releases")
  func drawsNeverChange() {
    let chance = Chance(seed: 7)
    #expect(chance.bits(0) == 0x6BA4_6C4C_43C6_F4AF)
    #expect(chance.wideBits(1, 2) == (0x62BE_0134_59EB_09ED, 0x829C_BBE2_79F7_DEB2))
    let versions = chance.stream(for: "iOS version")
    #expect(versions.bits(0) == 0xF657_A099_20EB_A406)
    #expect(versions.bits(3, 9) == 0x1C94_4E1E_11B2_678E)
    #expect((0..<10).map { versions.below(100, subject: $0) } == [96, 29, 90, 80, 22, 44, 8, 73, 78, 70])
    let delays = (0..<3).map { versions.duration(in: .seconds(3600)...(.seconds(86400)), subject: $0, count: 1) }
    #expect(delays == [8_737_226_299_407, 85_872_059_153_714, 58_270_500_208_471].map { Duration.nanoseconds($0) })
  }

  @Test("no draw depends on which others were made before it")
  func drawsStandAlone() {
    let chance = Chance(seed: 1).stream(for: "one")
    let forwards = (0..<50).map { chance.bits($0, 3) }
    let backwards = (0..<50).reversed().map { chance.bits($0, 3) }
    #expect(forwards == backwards.reversed())
  }

  @Test("another seed, name, subject or count gives another draw")
  func everythingCounts() {
    let chance = Chance(seed: 1)
    let draws = [
      chance.bits(0), Chance(seed: 2).bits(0), chance.stream(for: "a").bits(0), chance.stream(for: "b").bits(0),
      chance.bits(1), chance.bits(0, 1),
    ]
    #expect(Set(draws).count == draws.count)
  }

  @Test("a whole number is below its bound, and every number is drawn about as often")
  func belowIsEven() {
    let chance = Chance(seed: 11)
    var counts = [Int](repeating: 0, count: 10)
    for subject: UInt64 in 0..<100_000 {
      let drawn = chance.below(10, subject: subject)
      guard drawn < 10 else {
        Issue.record("seed 11, subject \(subject): \(drawn)")
        return
      }
      counts[Int(drawn)] += 1
    }
    // Ten thousand each, give or take five standard deviations of 95.
    #expect(counts.allSatisfy { (9525...10475).contains($0) }, "seed 11: \(counts)")
    #expect(chance.below(1, subject: 5) == 0)
  }

  @Test("odds of 0 never match, odds of 1 always do, others as often as they say")
  func oddsStrike() {
    let chance = Chance(seed: 5)
    func strikes(_ odds: Odds) -> Int { (0..<20_000).count { chance.strikes(odds, subject: UInt64($0)) } }
    #expect(strikes(.never) == 0)
    #expect(strikes(.always) == 20_000)
    #expect(strikes(Odds(0, in: 7)) == 0)
    // A quarter of 20,000, give or take five standard deviations of 61.
    #expect((4694...5306).contains(strikes(Odds(1, in: 4))))
  }

  @Test("a duration is within its range, both ends included")
  func durationsLieWithin() {
    let chance = Chance(seed: 9)
    let narrow = (0..<1000).map { chance.duration(in: .nanoseconds(4)...(.nanoseconds(6)), subject: UInt64($0)) }
    #expect(Set(narrow) == [.nanoseconds(4), .nanoseconds(5), .nanoseconds(6)])
    #expect(chance.duration(in: .seconds(3)...(.seconds(3)), subject: 1) == .seconds(3))
    let wide = (0..<1000).map { chance.duration(in: .seconds(-60)...(.seconds(60)), subject: UInt64($0)) }
    #expect(wide.allSatisfy { (.seconds(-60)...(.seconds(60))).contains($0) })
    #expect(wide.contains { $0 < .zero } && wide.contains { $0 > .zero })
  }
}

import Scenarios
import Simulation
import Testing

@Suite("Shrinking")
struct ShrinkerTests {
  private static func names(_ count: Int) -> [String] { (0..<count).map { "f\($0)" } }

  @Test("shrinking leaves the one fault that is needed, or the two that fail only together")
  func few() {
    let all = Self.names(20)
    #expect(Shrinker.smallest(of: all) { $0.contains("f7") } == ["f7"])
    #expect(Shrinker.smallest(of: all) { $0.contains("f3") && $0.contains("f18") } == ["f3", "f18"])
  }

  @Test("shrinking leaves no fault if the run fails without any, and all if each is needed")
  func bounds() {
    #expect(Shrinker.smallest(of: Self.names(5)) { _ in true } == [])
    #expect(Shrinker.smallest(of: []) { _ in true } == [])
    #expect(Shrinker.smallest(of: Self.names(5)) { $0.count == 5 } == Self.names(5))
  }

  /// A fault that is not needed would be one too many in the file that a person has to understand.
  @Test("of any failing set, everything that is left is needed", arguments: 0..<200)
  func minimal(seed: UInt64) {
    var dice = SystemlessDice(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    let all = Self.names(Int(dice.next() % 12) + 1)
    // Fails with any of some sets, or with an odd number of the others: not monotonous, as real failures are not.
    let sets = (0..<3).map { _ in Set(all.filter { _ in dice.next() % 3 == 0 }) }
    func fails(_ some: [String]) -> Bool {
      some.count == all.count
        || sets.contains { !$0.isEmpty && $0.isSubset(of: some) && some.count % 2 == $0.count % 2 }
    }
    let left = Shrinker.smallest(of: all, fails: fails)
    #expect(fails(left), "seed \(seed)")
    #expect(left == all.filter { left.contains($0) }, "seed \(seed): the order is kept")
    if !left.isEmpty {
      for spared in left { #expect(!fails(left.filter { $0 != spared }), "seed \(seed): \(spared) can be spared") }
    }
  }
}

/// xorshift64: enough to draw examples.
private struct SystemlessDice {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 11
  }
}

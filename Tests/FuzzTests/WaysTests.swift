import TestSupport
import Testing

@testable import FuzzTargets

/// The differential fuzzer with inputs drawn from seeds: sound steps, which random bytes rarely make.
@Suite("The ways of a push into the world")
struct WaysTests {
  private static let steps = 50
  private static let seeds: Range<UInt64> = 0..<200

  /// An input of `WaysTarget`; no byte of a step is 0xFF, which ends it.
  static func input(seed: UInt64) -> [UInt8] {
    var dice = Dice(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<steps {
      let (what, how) = (dice.below(255), dice.below(255))
      // A push has as many targets as `WayStep` takes from `how`, two bytes each; without more bytes its body is sound.
      let more = what % 16 < 8 ? 3 + 2 * [1, 1, 2, 5][how / 8 % 4] : 2
      bytes += [UInt8(what), UInt8(how)] + (0..<more).map { _ in UInt8(dice.below(255)) } + [0xFF]
    }
    return bytes
  }

  @Test("hundreds of pushes take the ways into the world, with every kind of answer and fault")
  func variety() throws {
    var seen: Set<String> = []
    var counts = [0, 0, 0]
    for seed in Self.seeds {
      for (index, world) in try WaysTarget.worlds(after: Self.input(seed: seed)).enumerated() {
        counts[index] += world.pushesThatWay
        seen.formUnion(world.seen)
      }
    }
    let missing = Set([
      "200", "BadCertificate", "BadDeviceToken", "ExpiredProviderToken", "TooManyProviderTokenUpdates", "Unregistered",
      "TopicDisallowed", "DeviceTokenNotForTopic", "abort", "freeze", "goAway", "streams", "restoreStreamLimit",
      "window",
      "respond", "respondInPieces", "pending", "nothing", "struck", "broadcast in portions",
      "broadcast: Delivered to Device",
    ]).subtracting(seen)
    #expect(missing.isEmpty, "\(missing.sorted())")
    #expect(counts[1] > 500 && counts[2] > 200, "\(counts)")
  }

  @Test("all ways of a push lead to equal verdicts, events and tapes", arguments: seeds)
  func equal(_ seed: UInt64) {
    do throws(FuzzFinding) {
      try WaysTarget.run(Self.input(seed: seed))
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}

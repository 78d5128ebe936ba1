import APNs
import Devices
import TestSupport
import Testing
import Timeline

@Suite("A token's rate")
struct RateStateTests {
  @Test("S23: a burst passes at once, then one per interval; a refused request costs nothing")
  func burst() {
    var state = RateState()
    let rate = RequestRate(perSecond: 1, burst: 3)
    func admit(_ milliseconds: Int64) -> Bool { state.admit(rate, at: Instant(milliseconds: milliseconds)) }
    let answers = [
      admit(0), admit(0), admit(0), admit(0), admit(999), admit(1000), admit(1000), admit(2000), admit(2500),
    ]
    #expect(answers == [true, true, true, false, false, true, false, true, false])
  }

  @Test("after a rest exactly the full burst is available again")
  func rest() {
    var state = RateState()
    let rate = RequestRate(perSecond: 10, burst: 5)
    for second: Int64 in [0, 100, 101, 5000] {
      let passed = (0..<20).count { _ in state.admit(rate, at: Instant(seconds: second)) }
      #expect(passed == 5)
    }
  }

  /// The bucket of tokens as textbooks have it, in units of a nanosecond of filling.
  private struct Bucket {
    let interval: Int64
    let capacity: Int64
    var level: Int64
    var filledAt: Int64 = 0

    mutating func admit(at now: Int64) -> Bool {
      level = min(capacity, level + now - filledAt)
      filledAt = now
      guard level >= interval else { return false }
      level -= interval
      return true
    }
  }

  @Test("A token's rate behaves as a bucket that fills at the rate")
  func agreesWithABucket() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      let rate = RequestRate(perSecond: [1, 2, 5, 10][dice.below(4)], burst: 1 + dice.below(12))
      let interval = rate.interval
      var bucket = Bucket(
        interval: interval, capacity: interval * Int64(rate.burst), level: interval * Int64(rate.burst))
      var state = RateState()
      var now: Int64 = 0
      for step in 0..<200 {
        now += Int64(dice.below(4)) * interval / Int64(1 + dice.below(5))
        let admitted = state.admit(rate, at: Instant(nanoseconds: now))
        guard admitted == bucket.admit(at: now) else {
          Issue.record("seed \(seed), step \(step)")
          return
        }
      }
    }
  }
}

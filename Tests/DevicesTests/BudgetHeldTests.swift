import Testing
import Timeline

@testable import Devices

@Suite("Held updates")
struct BudgetHeldTests {
  private static let began = Instant(seconds: 1_700_000_000)
  private let plan = LowPriorityPlan()

  private func after(_ duration: Duration) -> Instant { Self.began.advanced(by: duration) }

  @Test("S105: one is released at its time, to the nanosecond")
  func due() {
    var held = DeferredPushes()
    let holding = held.hold(.init(1), of: .a, for: .seconds(20), at: Self.began)
    #expect(holding == .held(until: after(.seconds(20))) && held.nextDue() == after(.seconds(20)))
    #expect(held.takeDue(by: after(.nanoseconds(19_999_999_999))) == nil && held[.a] == .init(1))
    let release = held.takeDue(by: after(.seconds(20)))
    #expect(release == .init(key: .a, push: .init(1), due: after(.seconds(20))))
    #expect(held.count == 0 && held.nextDue() == nil && held[.a] == nil)
  }

  @Test("S105: a newer one replaces the older at its time, which is coalesced", arguments: [true, false])
  func coalesces(isLowPriority: Bool) {
    let reason: Reaction.Hold = isLowPriority ? .lowPriority : .budget
    var held = DeferredPushes()
    _ = held.hold(.init(1, reason), of: .a, for: .seconds(20), at: Self.began)
    for number in 2...50 {
      let holding = held.hold(.init(number, reason), of: .a, for: .seconds(1), at: after(.milliseconds(number)))
      #expect(holding == .coalesced(.init(number - 1, reason), until: after(.seconds(20))))
    }
    #expect(held.takeDue(by: after(.seconds(20)))?.push.number == 50 && held.count == 0)
  }

  @Test("S108: of one update of each kind the earlier time applies, and the newer decides whether a flush releases it")
  func mixed() {
    var held = DeferredPushes()
    _ = held.hold(.init(1), of: .a, for: .seconds(100), at: Self.began)
    let spent = held.hold(.init(2, .budget), of: .a, for: .seconds(40), at: Self.began)
    #expect(spent == .coalesced(.init(1), until: after(.seconds(40))))
    #expect(held.flush(.screenOn, plan, at: after(.seconds(1))).isEmpty)
    let low = held.hold(.init(3), of: .a, for: .seconds(100), at: after(.seconds(2)))
    #expect(low == .coalesced(.init(2, .budget), until: after(.seconds(40))))
    #expect(held.flush(.screenOn, plan, at: after(.seconds(3))).map(\.push.number) == [3])
  }

  @Test("S105: a flush releases all of low priority and all that are due, in the order of their times")
  func flush() {
    var held = DeferredPushes()
    _ = held.hold(.init(1), of: .a, for: .seconds(100), at: Self.began)
    _ = held.hold(.init(2, .budget), of: .b, for: .seconds(30), at: Self.began)
    _ = held.hold(.init(3, .budget), of: .c, for: .seconds(60), at: Self.began)
    _ = held.hold(.init(4), of: .d, for: .seconds(50), at: Self.began)
    let released = held.flush(.priority10Delivered, plan, at: after(.seconds(40)))
    #expect(released.map(\.key) == [.b, .a, .d])
    #expect(released.map(\.due) == [after(.seconds(30)), after(.seconds(40)), after(.seconds(40))])
    #expect(held.count == 1 && held[.c] == .init(3, .budget))
  }

  @Test("S105: each cause flushes after the time in the plan", arguments: LowPriorityPlan.FlushCause.allCases)
  func causes(cause: LowPriorityPlan.FlushCause) {
    var held = DeferredPushes()
    _ = held.hold(.init(1), of: .a, for: .seconds(100), at: Self.began)
    var without = plan
    without.flushes.remove(cause)
    #expect(held.flush(cause, without, at: Self.began).isEmpty)
    #expect(held.flush(cause, plan, at: Self.began).map(\.push.number) == [1])
  }

  @Test("two due at once are released in the order their tokens were first held")
  func order() {
    var held = DeferredPushes()
    for key in [DeferralKey.c, .a, .b] {
      _ = held.hold(.init(1), of: key, for: .seconds(5), at: Self.began)
    }
    _ = held.hold(.init(2), of: .c, for: .seconds(5), at: after(.seconds(1)))
    var keys: [DeferralKey] = []
    while let release = held.takeDue(by: after(.seconds(5))) { keys.append(release.key) }
    #expect(keys == [.c, .a, .b])
  }

  @Test("a negative delay is zero: the update is due on arrival")
  func negativeDelay() {
    var held = DeferredPushes()
    let holding = held.hold(.init(1), of: .a, for: .seconds(-5), at: Self.began)
    #expect(holding == .held(until: Self.began))
  }

  @Test("one that is withdrawn is not released")
  func withdraw() {
    var held = DeferredPushes()
    _ = held.hold(.init(1), of: .a, for: .seconds(5), at: Self.began)
    #expect(held.withdraw(.b) == nil && held.withdraw(.a) == .init(1) && held.withdraw(.a) == nil)
    #expect(held.takeDue(by: .distantFuture) == nil)
  }

  @Test("the number held is bounded: beyond it a new token's update is delivered at once")
  func bounded() {
    var held = DeferredPushes()
    for number in 0..<DeferredPushes.most {
      _ = held.hold(.init(number), of: .numbered(number), for: .seconds(5), at: Self.began)
    }
    #expect(held.hold(.init(0), of: .numbered(DeferredPushes.most), for: .seconds(5), at: Self.began) == .noRoom)
    let newer = held.hold(.init(9), of: .numbered(7), for: .seconds(5), at: Self.began)
    #expect(newer == .coalesced(.init(7), until: after(.seconds(5))) && held.count == DeferredPushes.most)
  }

  @Test("S105: delays cover the range of the condition, and none is longer than its maximum")
  func delays() {
    let chance = Chance(seed: 3).stream(for: "priority 5")
    for condition: DeviceCondition in [.screenOn, .charging, .lowPower, .locked] {
      let range = plan.range(in: condition)
      let delays = (0..<2000).map { plan.delay(in: condition, by: chance, subject: 5, count: $0) }
      let width = range.upperBound - range.lowerBound
      #expect(delays.allSatisfy { range.contains($0) })
      #expect(delays.contains { $0 < range.lowerBound + width / 100 })
      #expect(delays.contains { $0 > range.upperBound - width / 100 })
    }
    var short = plan
    short.maxHold = .seconds(90)
    let delays = (0..<2000).map { short.delay(in: .lowPower, by: chance, subject: 5, count: $0) }
    #expect(delays.allSatisfy { $0 >= .seconds(60) && $0 <= .seconds(90) } && delays.contains(.seconds(90)))
  }

  @Test("S108: an overflow is deferred by 30 to 60 s, or dropped")
  func overflow() {
    let chance = Chance(seed: 3).stream(for: "overflow")
    let delays = (0..<2000).compactMap { UpdateBudgetPlan().overflow.delay(by: chance, subject: 5, count: $0) }
    #expect(delays.count == 2000 && delays.allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(60) })
    #expect(delays.contains { $0 < .seconds(31) } && delays.contains { $0 > .seconds(59) })
    #expect(UpdateBudgetPlan.Overflow.drop.delay(by: chance, subject: 5, count: 0) == nil)
  }

  @Test("draws are the same for the same seed, subject and count, and differ with each of them")
  func draws() {
    func delay(_ seed: UInt64, _ subject: UInt64, _ count: UInt64) -> Duration {
      plan.delay(in: .lowPower, by: Chance(seed: seed), subject: subject, count: count)
    }
    #expect(delay(1, 2, 3) == delay(1, 2, 3))
    #expect(delay(1, 2, 3) != delay(0, 2, 3) && delay(1, 2, 3) != delay(1, 0, 3) && delay(1, 2, 3) != delay(1, 2, 0))
  }
}

import APNs
import Devices
import Testing
import Timeline

@Suite("A phone under a stream of updates")
struct BudgetStoryTests {
  private static let began = Instant(seconds: 1_700_000_000)

  /// An innings of twenty overs, a ball every 30 to 50 s: about 80 minutes.
  private func innings(
    _ level: BudgetLevel, _ priority: Priority = .immediate, _ condition: DeviceCondition = [.locked],
    plan: BudgetPlan = BudgetPlan(), seed: UInt64
  ) -> (phone: BudgetPhone, balls: [Instant]) {
    var phone = BudgetPhone(plan, level, condition, seed: seed, began: Self.began)
    let rhythm = Chance(seed: seed).stream(for: "balls")
    var balls: [Instant] = []
    var now = Self.began
    for ball: UInt64 in 0..<120 {
      now = now.advanced(by: rhythm.duration(in: .seconds(30)...(.seconds(50)), subject: 0, count: ball))
      balls.append(now)
      phone.receive(priority, at: now)
    }
    phone.advance(to: now.advanced(by: .seconds(1000)))
    return (phone, balls)
  }

  /// Longest from a ball to an application of it or of a newer one.
  private func latencies(_ phone: BudgetPhone, _ balls: [Instant]) -> [Duration] {
    balls.indices.compactMap { ball in
      for later in ball..<balls.count {
        if case .applied(let at) = phone.fates[later] { return balls[ball].duration(to: at) }
      }
      return nil
    }
  }

  @Test("S111: priority 10 for every ball of an innings is throttled long before its end, and every push was accepted")
  func cricket() throws {
    for seed: UInt64 in 0..<20 {
      let (phone, balls) = innings(.standard, seed: seed)
      let first = try #require(phone.fates.indices.first { phone.fates[$0] != .applied(at: balls[$0]) })
      // Fifteen balls, about ten minutes of eighty.
      #expect(first == 15, "seed \(seed)")
      #expect(phone.tally.spent == 30 && phone.tally.exhausted == 90, "seed \(seed)")
      #expect(phone.fates.contains(.coalesced) && !phone.fates.contains(nil), "seed \(seed)")
    }
  }

  @Test("S108: throttled, the activity changes in coarse steps and still ends with the newest")
  func coarse() {
    for seed: UInt64 in 0..<20 {
      let (phone, balls) = innings(.standard, seed: seed)
      let latencies = latencies(phone, balls)
      #expect(latencies.count == 120 && latencies.allSatisfy { $0 <= .seconds(60) }, "seed \(seed)")
      #expect(latencies.contains { $0 > .seconds(30) }, "seed \(seed)")
      #expect(phone.drawings.last?.update == 119, "seed \(seed)")
    }
  }

  @Test("S108: where excess is dropped, the activity does not change until the hour is over")
  func dropped() throws {
    var plan = BudgetPlan()
    plan.update.overflow = .drop
    let (phone, balls) = innings(.standard, plan: plan, seed: 1)
    let stillness = try #require(phone.fates.indices.first { $0 > 14 && phone.fates[$0] == .applied(at: balls[$0]) })
    #expect(phone.fates[15..<stillness].allSatisfy { $0 == .dropped })
    let windowEnd = balls[0].advanced(by: .seconds(3600))
    #expect(balls[stillness] >= windowEnd && balls[stillness - 1] < windowEnd)
  }

  @Test("S112: with frequent updates the same innings is not throttled; S114: switched off, it is")
  func frequent() {
    let allowed = innings(BudgetLevel(isDeclared: true, isAllowed: true), seed: 2).phone
    #expect(allowed.tally.spent == 120 && allowed.tally.exhausted == 0)
    let forbidden = innings(BudgetLevel(isDeclared: true, isAllowed: false), seed: 2).phone
    #expect(forbidden.tally.exhausted == 90)
  }

  @Test("S113: an update a second exceeds even frequent updates")
  func overrun() {
    var phone = BudgetPhone(BudgetPlan(), .frequent, [.locked], seed: 3, began: Self.began)
    for second in 0..<1800 { phone.receive(.immediate, at: Self.began.advanced(by: .seconds(second))) }
    #expect(phone.tally.spent == 240 && phone.tally.exhausted == 1560)
  }

  @Test("S109: the same innings has fewer updates in Low Power Mode, and more on a charger")
  func conditions() {
    #expect(innings(.standard, .immediate, [.locked, .lowPower], seed: 4).phone.tally.spent == 14)
    #expect(innings(.standard, .immediate, [.locked], seed: 4).phone.tally.spent == 30)
    #expect(innings(.standard, .immediate, [.locked, .charging], seed: 4).phone.tally.spent == 44)
  }

  @Test("S108: the presets throttle the same innings after 4, 15 and 60 balls")
  func presets() {
    for (preset, granted) in [(UpdateBudgetPlan.Preset.strict, 4), (.standard, 15), (.lenient, 60)] {
      let (phone, balls) = innings(.standard, plan: BudgetPlan(update: preset, start: .conservative), seed: 5)
      #expect(phone.fates.indices.first { phone.fates[$0] != .applied(at: balls[$0]) } == granted)
    }
  }

  @Test("S107: within the budget priority 10 is applied the instant it arrives; S105: priority 5 hardly ever is")
  func latency() {
    let (immediate, balls) = innings(.frequent, .immediate, seed: 6)
    #expect(latencies(immediate, balls).allSatisfy { $0 == .zero })
    let (late, _) = innings(.frequent, .powerAware, seed: 6)
    let delays = latencies(late, balls)
    #expect(delays.count == 120 && delays.allSatisfy { $0 <= .seconds(120) })
    #expect(delays.filter { $0 > .seconds(5) }.count > 60)
  }

  @Test("S106: of ten thousand at priority 5 none is throttled; they coalesce, and the newest is shown")
  func manyOfLowPriority() {
    var phone = BudgetPhone(BudgetPlan(), .standard, [.locked, .lowPower], seed: 7, began: Self.began)
    let arrivals = (0..<10_000).map { Self.began.advanced(by: .seconds($0)) }
    for arrival in arrivals { phone.receive(.powerAware, at: arrival) }
    phone.advance(to: Self.began.advanced(by: .seconds(11_000)))
    #expect(phone.tally.free == 10_000 && phone.tally.exhausted == 0 && phone.remaining == 7)
    #expect(phone.fates.allSatisfy { $0 != nil && $0 != .dropped })
    #expect(phone.drawings.last?.update == 9999)
    #expect(latencies(phone, arrivals).allSatisfy { $0 <= .seconds(900) })
    let applied = phone.fates.count { if case .applied = $0 { true } else { false } }
    // Held for 60 to 900 s each time: between 10,000 / 901 and 10,000 / 60 of them.
    #expect((11...167).contains(applied))
  }

  @Test("S105: a screen that lights up shows what was held")
  func screenOn() {
    var phone = BudgetPhone(BudgetPlan(), .standard, [.lowPower, .locked], seed: 8, began: Self.began)
    phone.receive(.powerAware, at: Self.began.advanced(by: .seconds(20)))
    let lit = Self.began.advanced(by: .seconds(40))
    phone.flush(.screenOn, at: lit)
    #expect(phone.fates == [.applied(at: lit)] && phone.drawings.map(\.at) == [lit])
  }

  @Test("an update within the spacing is drawn late, and no two drawings are closer than that")
  func spacing() {
    var phone = BudgetPhone(BudgetPlan(), .frequent, [.screenOn], seed: 9, began: Self.began)
    for second in 0..<200 { phone.receive(.immediate, at: Self.began.advanced(by: .seconds(second))) }
    phone.advance(to: Self.began.advanced(by: .seconds(300)))
    #expect(phone.plan.rendering.from18.contains(phone.spacing))
    for (earlier, later) in zip(phone.drawings, phone.drawings.dropFirst()) {
      #expect(earlier.at.duration(to: later.at) >= phone.spacing && earlier.update < later.update)
    }
    #expect(phone.drawings.last?.update == 199)
  }

  @Test("S118: priority 5 for runs and 10 for wickets costs a tenth, and nothing is throttled")
  func mix() {
    var phone = BudgetPhone(BudgetPlan(), .standard, [.locked], seed: 10, began: Self.began)
    for ball in 1...120 {
      phone.receive(ball % 10 == 0 ? .immediate : .powerAware, at: Self.began.advanced(by: .seconds(40 * ball)))
    }
    #expect(phone.tally.spent == 12 && phone.tally.free == 108 && phone.tally.exhausted == 0)
  }

  @Test("the same seed gives the same result, another seed another")
  func sameStory() {
    let first = innings(.standard, seed: 11).phone
    #expect(first.fates == innings(.standard, seed: 11).phone.fates)
    #expect(first.fates != innings(.standard, seed: 12).phone.fates)
  }
}

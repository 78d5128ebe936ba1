import Testing
import Timeline

@Suite("The world's clock")
struct WorldClockTests {
  @Test("the world's clock equals the machine's until it is changed")
  func agreesAtFirst() {
    let clock = WorldClock()
    #expect(clock.mode == .wall)
    #expect(clock.now(wall: Instant(seconds: 100)) == Now(Instant(seconds: 100)))
    #expect(clock.ahead(wall: Instant(seconds: 100)) == .zero)
  }

  @Test("an advanced world clock runs ahead of the machine's, which is never changed")
  func runsAhead() {
    var clock = WorldClock()
    clock.advance(by: .seconds(60))
    #expect(clock.mode == .offset)
    #expect(clock.now(wall: Instant(seconds: 100)) == Now(world: Instant(seconds: 160), wall: Instant(seconds: 100)))
    #expect(clock.now(wall: Instant(seconds: 101)).world == Instant(seconds: 161))
    clock.advance(by: .seconds(1))
    #expect(clock.ahead(wall: Instant(seconds: 5)) == .seconds(61))
  }

  @Test("a stopped world clock stays at its time until it is advanced")
  func stands() {
    var clock = WorldClock()
    clock.stand(wall: Instant(seconds: 100))
    #expect(clock.mode == .manual)
    #expect(clock.now(wall: Instant(seconds: 500)) == Now(world: Instant(seconds: 100), wall: Instant(seconds: 500)))
    clock.advance(by: .seconds(7))
    #expect(clock.now(wall: Instant(seconds: 501)).world == Instant(seconds: 107))
  }

  @Test("a world clock restarted behind the machine's time catches up; ahead of it, it stays ahead")
  func runsOn() {
    var late = WorldClock()
    late.stand(wall: Instant(seconds: 100))
    late.run(wall: Instant(seconds: 130))
    #expect(late.mode == .wall)
    #expect(late.now(wall: Instant(seconds: 130)).world == Instant(seconds: 130))

    var early = WorldClock()
    early.stand(wall: Instant(seconds: 100))
    early.advance(by: .seconds(3600))
    early.run(wall: Instant(seconds: 130))
    #expect(early.mode == .offset)
    #expect(early.now(wall: Instant(seconds: 131)).world == Instant(seconds: 3701))
  }

  @Test("a step of zero does not change the world's clock")
  func noStep() {
    var clock = WorldClock()
    clock.advance(by: .zero)
    #expect(clock == WorldClock())
  }

  @Test("the world's clock stays at its time while the machine's is set back by less than a second")
  func setBack() {
    var clock = WorldClock()
    clock.reach(Instant(seconds: 100), isBehind: false)
    let wall = Instant(seconds: 99).advanced(by: .milliseconds(500))
    clock.follow(wall: wall)
    #expect(clock.mode == .wall)
    #expect(clock.now(wall: wall).world == Instant(seconds: 100))
    #expect(clock.now(wall: Instant(seconds: 101)).world == Instant(seconds: 101))
  }

  @Test("the world's clock keeps its mode, its time and its pace while the machine's is set back")
  func mode() {
    for ahead in [0, 60] {
      var clock = WorldClock()
      clock.advance(by: .seconds(ahead))
      let mode = clock.mode
      clock.reach(Instant(seconds: 10_000 + Int64(ahead)), isBehind: false)
      for (wall, lost) in [(7_000, 3_000), (6_000, 4_000)] as [(Int64, Int64)] {
        let machine = Instant(seconds: wall)
        #expect(clock.follow(wall: machine) == .seconds(lost) && clock.follow(wall: machine) == nil)
        #expect(clock.mode == mode && clock.now(wall: machine).world == Instant(seconds: 10_000 + Int64(ahead)))
        #expect(clock.ahead(wall: machine) == .seconds(lost + Int64(ahead)))
        #expect(clock.now(wall: Instant(seconds: wall + 7)).world == Instant(seconds: 10_007 + Int64(ahead)))
      }
      clock.run(wall: Instant(seconds: 6_000))
      #expect(clock.mode == mode, "it runs already")
      clock.advance(by: .seconds(1))
      #expect(clock.mode == .offset)
      clock.stand(wall: Instant(seconds: 6_000))
      #expect(clock.mode == .manual && clock.follow(wall: Instant(seconds: 1)) == nil)
      #expect(clock.now(wall: Instant(seconds: 1)).world == Instant(seconds: 10_001 + Int64(ahead)))
    }
  }

  @Test("the world's clock never goes back, whatever is done to it and to the machine's")
  func neverGoesBack() {
    for seed: UInt64 in 0..<300 {
      let chance = Chance(seed: seed)
      var clock = WorldClock()
      var wall = Instant(seconds: 1_700_000_000)
      var latest = clock.now(wall: wall).world
      for step: UInt64 in 0..<60 {
        wall = wall.advanced(by: .milliseconds(Int64(chance.below(5000, subject: step, count: 0))))
        clock.reach(latest, isBehind: false)
        if chance.below(5, subject: step, count: 3) == 0 {
          wall = wall.advanced(by: .milliseconds(-Int64(chance.below(9000, subject: step, count: 4))))
        }
        clock.follow(wall: wall)
        switch chance.below(4, subject: step, count: 1) {
        case 0: clock.advance(by: .milliseconds(Int64(chance.below(9000, subject: step, count: 2))))
        case 1: clock.stand(wall: wall)
        case 2: clock.run(wall: wall)
        default: break
        }
        let now = clock.now(wall: wall)
        guard now.world >= latest, now.wall == wall else {
          Issue.record("seed \(seed), step \(step): \(now.world.milliseconds) after \(latest.milliseconds)")
          return
        }
        latest = now.world
      }
    }
  }
}

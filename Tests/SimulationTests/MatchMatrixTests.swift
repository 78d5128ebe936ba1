import APNs
import Devices
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

/// The matrix of a cricket match: what happens in it, with which priority and whether it alerts (row S130). What the
/// shipped scenario sends comes with the scenarios; here is what phones make of it.
@Suite("The events of a match")
struct MatchMatrixTests {
  enum MatchEvent: String, CaseIterable {
    case wicket
    case milestone
    case inningsBreak
    case result
    case hatTrick
    case onHatTrick
    case maiden
    case batsmanOnFire
    case bowlerOnFire
    case dot
    case single
    case four
    case six
    case endOfOver

    /// Priority 10 with an alert; the others are priority 5 without.
    var alerts: Bool {
      switch self {
      case .wicket, .milestone, .inningsBreak, .result, .hatTrick, .onHatTrick, .maiden, .batsmanOnFire, .bowlerOnFire:
        true
      case .dot, .single, .four, .six, .endOfOver: false
      }
    }
  }

  private func stage(island: Bool = true, frequent: Bool = false) throws -> Stage {
    var mix = PhoneMix.ideal
    mix.island = island ? .always : .never
    mix.watch = .always
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"])
    profile.traits.frequentUpdates = frequent
    var stage = Stage(apps: [profile], phones: mix, rulebook: Stage.unhurried)
    try stage.launch()
    stage.advance(by: .seconds(60))
    #expect(stage.screen().alert == nil && !stage.screen().isLit)
    return stage
  }

  private func push(_ event: MatchEvent, _ score: Int, to stage: inout Stage) throws -> PushRecord {
    let alert = #","alert":{"title":"\#(event.rawValue)","body":"!","sound":"default"}"#
    return try stage.update(score, event.alerts ? alert : "", priority: event.alerts ? 10 : 5)
  }

  @Test(
    "S130: a great event shows at once, lights the screen, opens the island and plays a sound",
    arguments: MatchEvent.allCases.filter(\.alerts))
  func great(_ event: MatchEvent) throws {
    var stage = try stage()
    let budget = try #require(try stage.budgetLeft())
    let record = try push(event, 1, to: &stage)
    #expect(record.status == 200 && record.fate.updates(0) && stage.score() == 1)
    let screen = stage.screen()
    let alert = try #require(screen.alert)
    #expect(screen.isLit && alert.title == event.rawValue && alert.sound == "default" && alert.shown.isOnWatch)
    guard case .expanded = screen.island else {
      Issue.record("\(screen.island)")
      return
    }
    #expect(try stage.budgetLeft() == budget - 1, "it costs one, alert or not")
    stage.advance(by: .seconds(5))
    #expect(stage.screen().alert == nil && stage.score() == 1)
  }

  @Test(
    "S130: a small event is deferred by the phone, costs nothing and never alerts",
    arguments: MatchEvent.allCases.filter { !$0.alerts })
  func small(_ event: MatchEvent) throws {
    var stage = try stage()
    let budget = try stage.budgetLeft()
    let record = try push(event, 1, to: &stage)
    #expect(record.status == 200 && record.fate.words == "Stored - Power Considerations" && stage.score() == 0)
    let until = try #require(record.fate.heldUntil)
    #expect(stage.now.world.duration(to: until) <= .seconds(120))
    for _ in 0..<120 {
      #expect(stage.screen().alert == nil && !stage.screen().isLit)
      stage.advance(by: .seconds(1))
    }
    #expect(stage.fate(of: record).isUpdate && stage.score() == 1)
    #expect(try stage.budgetLeft() == budget)
  }

  @Test("S130: a great event releases the deferred small ones, and is shown last")
  func order() throws {
    var stage = try stage()
    let single = try push(.single, 1, to: &stage)
    let four = try push(.four, 5, to: &stage)
    #expect(stage.score() == 0)
    let wicket = try push(.wicket, 6, to: &stage)
    #expect(stage.score() == 6 && wicket.fate.updates(0))
    #expect(stage.fate(of: single) == .discarded(.coalesced) && stage.fate(of: four).isUpdate)
    #expect(stage.screen().alert?.title == "wicket")
  }

  @Test(
    "S130: a phone without an island shows a great event on the Lock Screen, and a small one only on its card")
  func withoutIsland() throws {
    var stage = try stage(island: false)
    _ = try push(.dot, 1, to: &stage)
    stage.advance(by: .seconds(120))
    #expect(stage.screen().alert == nil && stage.score() == 1)
    _ = try push(.milestone, 2, to: &stage)
    #expect(stage.screen().alert?.shown.presentation == .lockScreen)
  }

  @Test("S130: a full innings by the matrix is never throttled, and every great event is shown at once")
  func innings() throws {
    var stage = try stage()
    let seed = UInt64.random(in: 0..<1_000_000)
    // Before anything can trap.
    print("seed \(seed)")
    var dice = Dice(seed: seed)
    let great = MatchEvent.allCases.filter(\.alerts)
    let small = MatchEvent.allCases.filter { !$0.alerts }
    // Fourteen an hour leave one of the standard budget of fifteen.
    for ball in 1...120 {
      stage.advance(by: .seconds(30))
      let event = ball % 9 == 0 ? great[dice.below(great.count)] : small[dice.below(small.count)]
      let record = try push(event, ball, to: &stage)
      #expect(record.status == 200 && record.fate.cause == nil && record.fate.hold != .budget, "seed \(seed), \(ball)")
      if event.alerts {
        #expect(record.fate.updates(0) && stage.score() == Int64(ball), "seed \(seed), \(ball)")
        #expect(stage.screen().alert?.title == event.rawValue, "seed \(seed), \(ball)")
      }
      #expect(
        stage.score().map { Int64(ball) - $0 <= 5 } == true, "seed \(seed): the card is two minutes behind at most")
    }
  }
}

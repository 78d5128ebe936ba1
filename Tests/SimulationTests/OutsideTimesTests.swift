import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Times that senders, apps and people write, in a world whose clock is not theirs.
@Suite("Times from outside")
struct OutsideTimesTests {
  enum Way: CaseIterable {
    case timestampOfStart, timestampOfUpdate, timestampOfEnd, staleDateOfStart, staleDateOfUpdate, dismissalDate
    case expiration, expirationOfBackground
    case beginningByApp, staleDateByApp, timestampByApp, staleDateOfUpdateByApp, dismissalByApp
    case faultBegins, faultEnds, promptFaultEnds, idleFaultBegins, clockOfPhone
  }

  /// A world's clock, compared with that of whoever writes times.
  struct Clock {
    let years: Int64
    /// True if the clock was set there before the world began, and not moved there afterwards.
    let isSet: Bool
  }

  private static let year: Int64 = 366 * 86_400
  private static let clocks =
    [-20, 0, 2, 170].map { Clock(years: $0, isSet: true) } + [2, 60].map { Clock(years: $0, isSet: false) }
  private static let apart: [Int64] = [-10 * year, -1, 0, 3600, 10 * year]

  /// On its phones, an activity has run since the world began, and nobody has looked at them.
  private func stage(_ clock: Clock) -> Stage {
    var apps = Stage.profiles
    apps[0].runningActivities = 1
    let there = Duration.seconds(clock.years * Self.year)
    guard !clock.isSet else { return Stage(devices: 2, apps: apps, at: Stage.began.advanced(by: there)) }
    var stage = Stage(devices: 2, apps: apps)
    stage.advance(by: there)
    return stage
  }

  private func write(_ time: Instant, _ way: Way, in stage: inout Stage) throws {
    let seconds = "\(time.seconds)"
    var start = StartActivity()
    switch way {
    case .timestampOfStart: try stage.pushActivity("start", spoilt: ["timestamp": seconds])
    case .staleDateOfStart: try stage.pushActivity("start", spoilt: ["stale-date": seconds])
    case .timestampOfUpdate, .staleDateOfUpdate, .timestampOfEnd, .dismissalDate:
      try stage.launch()
      let event = way == .timestampOfEnd || way == .dismissalDate ? "end" : "update"
      let name =
        switch way {
        case .staleDateOfUpdate: "stale-date"
        case .dismissalDate: "dismissal-date"
        default: "timestamp"
        }
      try stage.pushActivity(event, spoilt: [name: seconds], to: .update(activity: 1))
    case .expiration, .expirationOfBackground:
      try stage.order(.goOffline)
      let kind = way == .expiration ? [:] : ["apns-push-type": "background", "apns-priority": "5"]
      _ = try stage.send(
        try stage.token(), #"{"aps":{"content-available":1}}"#,
        kind.merging(["apns-expiration": seconds]) { $1 })
    case .beginningByApp:
      (start.order.begins, start.order.alerts) = (time, true)
      try appStarts(start, in: &stage)
    case .staleDateByApp:
      start.order.staleDate = time
      try appStarts(start, in: &stage)
    case .timestampByApp, .staleDateOfUpdateByApp:
      try appStarts(start, in: &stage)
      var update = ActivityUpdateRequest(content: ["n": 1])
      if way == .timestampByApp { update.timestamp = Double(time.seconds) } else { update.staleDate = time }
      let name = stage.screen().cards.last?.id
      if way == .staleDateOfUpdateByApp {
        try stage.order(.updateActivity(name, app: nil, update))
      } else {
        // One that is older than the start is refused.
        _ = try? stage.order(.updateActivity(name, app: nil, update))
      }
    case .dismissalByApp:
      try appStarts(start, in: &stage)
      try stage.order(.endActivity(stage.screen().cards.last?.id, app: nil, content: nil, dismissal: time))
    case .faultBegins, .faultEnds, .promptFaultEnds, .idleFaultBegins: try setFault(way, time, in: &stage)
    case .clockOfPhone:
      try stage.launch(#","stale-date":\#(stage.now.world.seconds + 60)"#)
      try stage.finish(#","dismissal-date":\#(stage.now.world.seconds + 60)"#, activity: 1)
      try stage.order(.setClock(ahead: stage.now.world.duration(to: time)))
    }
  }

  private func appStarts(_ start: StartActivity, in stage: inout Stage) throws {
    try stage.order(.open(app: nil))
    try stage.order(.start(start))
  }

  private func setFault(_ way: Way, _ time: Instant, in stage: inout Stage) throws {
    var fault =
      switch way {
      case .promptFaultEnds: Fault("f", .prompts(PromptFault(answer: .deny)))
      case .idleFaultBegins: Fault("f", .connection(.readsSlowly(bytesPerSecond: 9)))
      default: Fault("f", .devices(.goOffline, heal: .goOnline))
      }
    if way == .idleFaultBegins { fault.condition.trigger = .idle(.seconds(5)) }
    if way == .faultBegins || way == .idleFaultBegins { fault.from = time } else { fault.until = time }
    try stage.world.perform(.setFault(fault), at: stage.now)
  }

  @Test(
    "plan nothing for a time that has passed, and lead to no event before the world's time", arguments: Way.allCases)
  func plans(_ way: Way) throws {
    for clock in Self.clocks {
      for apart in Self.apart {
        // As a sender with the machine's clock writes it, and as one with the world's.
        for isOfWorld in [false, true] {
          var stage = stage(clock)
          let time = (isOfWorld ? stage.now.world : stage.now.wall).advanced(by: .seconds(apart))
          try write(time, way, in: &stage)
          let what = "\(way), \(clock), \(apart) s from the \(isOfWorld ? "world's" : "machine's") time"
          #expect(stage.world.nextDue.map { $0 >= stage.now.world } ?? true, "\(what)")
          stage.advance(by: .zero)
          #expect(stage.world.nextDue.map { $0 > stage.now.world } ?? true, "\(what)")
          stage.advance(by: .seconds(12 * Self.year))
          #expect(stage.world.nextDue.map { $0 > stage.now.world } ?? true, "\(what)")
          #expect(stage.world.output.times.problem == nil, "\(what)")
        }
      }
    }
  }

  @Test(
    "an activity that ran out before anyone looked at its phone has ended, and its card has gone, when its time was over",
    arguments: [7, 8, 9, 11, 12, 13, 20_000])
  func runsOut(_ hours: Int64) throws {
    var apps = Stage.profiles
    apps[0].runningActivities = 1
    var (watched, found) = (Stage(devices: 1, apps: apps), Stage(devices: 1, apps: apps))
    try watched.order(.lightScreen)
    for index in 0..<4 {
      let step = Duration.seconds(3600 * (index == 0 ? hours : 3))
      watched.advance(by: step)
      found.advance(by: step)
      if index == 0 { try found.order(.lightScreen) }
      found.advance(by: .zero)
      let (mine, its) = (try watched.app().activities, try found.app().activities)
      #expect(its.map(\.state) == mine.map(\.state))
      #expect(its.map(\.endedAt) == mine.map(\.endedAt))
      #expect(found.screen().cards.map(\.state) == watched.screen().cards.map(\.state))
    }
    let ends = found.events().compactMap { event -> Instant? in
      if case .phone(_, _, .activityEnded(0, .lifeOver), let at) = event { at } else { nil }
    }
    #expect(ends == [Stage.began.advanced(by: .seconds(max(hours, 8) * 3600))])
  }
}

import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Work that is scheduled for the current instant is done, and is done once.
@Suite("Work with zero delay")
struct NoTimeTests {
  private static let silent = #"{"aps":{"content-available":1}}"#
  private static let background = ["apns-push-type": "background", "apns-priority": "5"]

  @Test("a held update with a stale date in the past makes its activity stale, and the app learns of it")
  func stale() throws {
    var stage = Stage()
    try stage.launch()
    let past = ["stale-date": "\(stage.now.world.seconds + 1)"]
    let held = try stage.pushActivity("update", spoilt: past, ["apns-priority": "5"])
    #expect(try #require(held.fate.heldUntil) > stage.now.world.advanced(by: .seconds(1)))
    stage.advance(by: .seconds(3600))
    #expect(stage.fate(of: held).isUpdate && stage.screen().cards.first?.state == .stale)
    #expect(stage.story().contains(.activityStale(0)))
  }

  @Test("zero runtime: an app that is woken twice at one instant is suspended each time")
  func runtime() throws {
    var policy = Stage.quick
    policy.wakes.odds = .always
    policy.wakes.runtime = .zero
    var stage = Stage(policy: policy)
    #expect(try stage.send(try stage.token(), Self.silent, Self.background).fate.isWake)
    stage.advance(by: .zero)
    #expect(try stage.app().life == .suspended)
    #expect(try stage.send(try stage.token(), Self.silent, Self.background).fate.isWake)
    stage.advance(by: .seconds(60))
    let life = try stage.app().life
    #expect(life == .suspended)
  }

  @Test("zero retention: a push stored for an offline phone expires at once, and so does the next")
  func retention() throws {
    var store = PushStore.Plan()
    store.retention = .zero
    var stage = Stage(store: store)
    try stage.order(.goOffline)
    for _ in 0..<3 {
      let record = try stage.push(try stage.token())
      stage.advance(by: .zero)
      #expect(stage.fate(of: record) == .discarded(.expired))
    }
    #expect(stage.world.deviceState.schedule.count == 0)
  }

  @Test("zero life: an activity ends at once, and is reported once")
  func life() throws {
    var policy = Stage.quick
    policy.activityLife = .zero
    var stage = Stage(policy: policy)
    try stage.launch()
    stage.advance(by: .zero)
    let ends = stage.story().filter { if case .activityEnded(0, .lifeOver) = $0 { true } else { false } }
    #expect(ends.count == 1)
  }

  @Test("a question answered after no time: the answer comes, and the token with it")
  func prompt() throws {
    var policy = Stage.quick
    policy.prompt.policy = .everyPushStart
    policy.prompt.after = .zero
    for answer in PromptPolicy.Answer.allCases {
      policy.prompt.answer = answer
      policy.prompt.cleanUp = .zero
      var stage = Stage(policy: policy)
      try stage.launch()
      stage.advance(by: .zero)
      #expect(stage.screen().cards.isEmpty == (answer != .allow), "\(answer)")
      #expect(stage.story().contains(.tokenIssued(.update(activity: 0))) == (answer == .allow), "\(answer)")
    }
  }

  @Test("a tap after no time: the app opens at the instant of the banner")
  func tap() throws {
    var policy = Stage.quick
    policy.taps = .always
    policy.tapAfter = .zero ... .zero
    var stage = Stage(policy: policy)
    _ = try stage.push(try stage.token())
    stage.advance(by: .zero)
    #expect(try stage.app().life == .foreground)
  }

  @Test("a zero wake window: a held push has one try a second; without patience it expires at once")
  func wakes() throws {
    var policy = Stage.quick
    policy.wakes.odds = .always
    policy.wakes.window = .zero
    policy.wakes.wakes = 0
    var stage = Stage(policy: policy)
    let throttled = try stage.send(try stage.token(), Self.silent, Self.background)
    #expect(throttled.fate.heldUntil != nil)
    stage.advance(by: .seconds(10))
    // A push that is held for its turn has one each second, not each nanosecond.
    #expect(stage.world.deviceState.schedule.count <= 1)
    policy.wakes.patience = .zero
    var hasty = Stage(policy: policy)
    for device: UInt32 in 0...1 {
      if device == 1 { try hasty.flip(.lowPower, true, on: 1) }
      let refused = try hasty.send(try hasty.token(on: device), Self.silent, Self.background)
      hasty.advance(by: .zero)
      #expect(hasty.fate(of: refused) == .discarded(.expired), "device \(device)")
    }
  }

  @Test("a connection fault removed after no time: both orders reach the wire, and the connection is not held")
  func wire() throws {
    var stage = Stage()
    var fault = Fault("f", .connection(.streams(1, open: .finish, excessStreams: nil, back: 100, after: .zero)))
    fault.limit = 1
    try stage.world.perform(.setFault(fault), at: stage.now)
    _ = try stage.push(try stage.token())
    stage.advance(by: .zero)
    let orders = stage.events().compactMap { event -> WireCommand? in
      if case .wire(_, let order) = event { order } else { nil }
    }
    #expect(orders.count == 2 && stage.world.holdsAnswers == false)
  }
}

import APNs
import Devices
import Simulation
import Testing
import Timeline

/// The elements of `pushToStartTokenUpdates`, and the times at which it yields them.
@Suite("The stream of push-to-start tokens")
struct StartTokenStreamTests {
  private static let both: [TokenSlot] = [.pushToStart(type: 0), .pushToStart(type: 1)]

  @Test(
    "S29 S45: it yields from iOS 17.2, and by a launch alone from 18 on",
    arguments: [
      (OSVersion(16, 1), false), (OSVersion(17, 1), false), (OSVersion(17, 2), false), (OSVersion(17, 6), false),
      (OSVersion(18, 0), true), (OSVersion(26, 1), true),
    ])
  func versions(_ os: OSVersion, _ yields: Bool) throws {
    var stage = Stage(os: os)
    let tokens = try stage.relaunch()
    #expect(tokens.contains(.app))
    #expect(tokens.filter(\.isStart) == (yields ? Self.both : []))
    let answer = try stage.start(with: stage.token(.pushToStart(type: 0)))
    #expect(answer.reason == (yields ? nil : .badDeviceToken))
    #expect(stage.cards().count == (yields ? 1 : 0))
  }

  @Test("S30 S85: the first launch yields it though no activity has ever run")
  func beforeActivities() throws {
    var stage = Stage()
    try stage.enter(.neverLaunched)
    #expect(try stage.app().startTokens.isEmpty)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().filter(\.isStart) == Self.both)
    #expect(try stage.app().activities.isEmpty)
  }

  @Test("S34 S36 S58: every cold launch yields the device token and the same push-to-start tokens")
  func everyLaunch() throws {
    var stage = Stage()
    let start = try stage.app().startTokens.map(\.token)
    let device = try stage.token()
    for _ in 0..<5 {
      let tokens = try stage.relaunch()
      #expect(tokens.filter(\.isStart) == Self.both && tokens.count { $0 == .app } == 1)
      #expect(try stage.app().startTokens.map(\.token) == start && stage.token() == device)
      stage.advance(by: .seconds(86400))
    }
  }

  @Test("S36: returning to a live process yields nothing: it is not a launch")
  func warmReturn() throws {
    var stage = Stage()
    try stage.enter(.background)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().isEmpty)
  }

  @Test("S37 S39: a start by push makes it yield once more, the same value, of that type only")
  func firesTwice() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    _ = stage.events()
    #expect(try stage.start(with: token).fate.starts(0))
    #expect(stage.yieldedTokens() == [.pushToStart(type: 0), .update(activity: 0)])
    #expect(try stage.token(.pushToStart(type: 0)) == token)
  }

  @Test("S37 S39: an app that the start launches gets it twice, or once, with that setting")
  func firesTwiceAtLaunch() throws {
    for (firesTwice, expected) in [(true, 2), (false, 1)] {
      var policy = Stage.quick
      policy.startTokens.firesTwice = firesTwice
      var stage = Stage(policy: policy)
      try stage.enter(.terminated)
      _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
      let tokens = stage.yieldedTokens()
      #expect(tokens.count { $0 == .pushToStart(type: 0) } == expected)
      #expect(tokens.count { $0 == .pushToStart(type: 1) } == 1)
      #expect(tokens.count { $0 == .update(activity: 0) } == 1)
    }
  }

  @Test("S38 S32 S33: an app that mistakes the second value for an update token changes nothing")
  func secondIsNoUpdateToken() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    _ = try stage.start(with: token)
    for event in ["update", "end"] {
      let record = try stage.pushActivity(token, event: event)
      #expect(record.status == 200 && record.fate.cause == .wrongTokenKind)
    }
    #expect(stage.cards().map(\.state) == [.active])
  }

  @Test("S35: a rotated one is yielded when the app runs next, and at once to an app that runs")
  func rotated() throws {
    var stage = Stage()
    try stage.order(.rotate(.pushToStart))
    #expect(stage.yieldedTokens().isEmpty)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens() == [.pushToStart(type: 0)])
    try stage.order(.rotate(.pushToStart))
    #expect(stage.yieldedTokens() == [.pushToStart(type: 0)])
    try stage.order(.terminate(app: nil))
    for _ in 0..<3 { try stage.order(.rotate(.pushToStart)) }
    #expect(try stage.relaunch().filter(\.isStart) == Self.both, "each once, with its latest value")
  }

  @Test("a stream that does not replay yields at the first launch, and then only new tokens")
  func noReplay() throws {
    var policy = Stage.quick
    policy.startTokens.replays = false
    var stage = Stage(policy: policy)
    try stage.enter(.neverLaunched)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens().filter(\.isStart) == Self.both)
    #expect(try stage.relaunch().filter(\.isStart) == [])
    try stage.order(.terminate(app: nil))
    try stage.order(.rotate(.pushToStart))
    #expect(try stage.relaunch().filter(\.isStart) == [.pushToStart(type: 0)])
  }

  @Test("a silent stream yields at no launch, and the old token stays valid")
  func silence() throws {
    var policy = Stage.quick
    policy.startTokens.silence = .always
    var stage = Stage(policy: policy)
    for _ in 0..<5 { #expect(try stage.relaunch().filter(\.isStart) == []) }
    #expect(try stage.start(with: stage.token(.pushToStart(type: 0))).fate.starts(0))
    policy.startTokens.silence = Odds(1, in: 2)
    stage = Stage(policy: policy)
    let silent = try (0..<100).count { _ in try stage.relaunch().filter(\.isStart).isEmpty }
    #expect((30...70).contains(silent), "\(silent) of 100 launches")
  }

  @Test("S45: of a whole fleet exactly the devices from iOS 18 on register at their launch")
  func fleet() throws {
    var stage = Stage(devices: 400, os: nil, phones: PhoneMix())
    try stage.orderAll(.uninstall(app: nil))
    try stage.orderAll(.reinstall(app: nil))
    let found = Set(stage.devices { if case .tokenYielded(.pushToStart(type: 0)) = $0 { true } else { false } }.keys)
    let able = (0..<400).map { DeviceID($0) }.filter { stage.world.fleet.os(of: $0) >= OSVersion(18, 0) }
    #expect(found == Set(able) && able.count < 400)
  }

  @Test("S45 S57: an update from 16, 17.1 or 17.6 to 18 gives a token that no earlier version had")
  func systemUpdate() throws {
    for (os, replays) in [(OSVersion(16, 7), true), (OSVersion(17, 1), true), (OSVersion(17, 6), false)] {
      var policy = Stage.quick
      policy.startTokens.replays = replays
      var stage = Stage(os: os, policy: policy)
      let never = try stage.token(.pushToStart(type: 0))
      try stage.order(.updateSystem(OSVersion(18, 5)))
      _ = stage.events()
      try stage.order(.open(app: nil))
      #expect(stage.yieldedTokens().filter(\.isStart) == Self.both, "from \(os.text)")
      let token = try stage.token(.pushToStart(type: 0))
      // What was never issued is either the one that is issued now, or unknown as before.
      if token != never { #expect(try stage.start(with: never).reason == .badDeviceToken, "from \(os.text)") }
      #expect(try stage.start(with: token).fate.starts(0))
    }
  }
}

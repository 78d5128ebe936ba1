import APNs
import Devices
import Simulation
import Testing
import Timeline

/// The elements of an activity's `pushTokenUpdates`, and the times at which it yields them.
@Suite("The stream of update tokens")
struct UpdateTokenStreamTests {
  private static let slot = TokenSlot.update(activity: 0)

  /// Phones that take their usual time, without questions.
  private static let slow: DevicePolicy = {
    var policy = DevicePolicy()
    policy.prompt.policy = .never
    return policy
  }()

  @Test("S47 S48: the token of a local start is nil at first, and arrives 0.2 to 2 s later, anywhere in between")
  func local() throws {
    var stage = Stage(policy: Self.slow)
    var waits: Set<Duration> = []
    for device: UInt32 in 0..<50 {
      _ = stage.events()
      let began = stage.now.world
      try stage.order(.startActivity(app: nil, attributesType: nil), on: device)
      #expect(try stage.app(device).activities.map(\.state) == [.active])
      #expect(try stage.app(device).activities.first?.token == nil)
      let token = try stage.token(Self.slot, on: device)
      #expect(try stage.pushActivity(token, event: "update").reason == .badDeviceToken)
      let early = stage.happened(on: device)
      #expect(early.contains(.activityYielded(0)) && !early.contains(.tokenYielded(Self.slot)))
      stage.advance(by: .seconds(3))
      let wait = try #require(
        stage.events().firstNonNil { event -> Duration? in
          guard case .phone(DeviceID(device), 0, .tokenYielded(Self.slot), let at) = event else { return nil }
          return began.duration(to: at)
        })
      #expect(wait >= .milliseconds(200) && wait <= .seconds(2))
      waits.insert(wait)
      #expect(try stage.app(device).activities.first?.token == token)
      #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    }
    #expect(waits.count > 40)
  }

  @Test("S48: the token of a start by push comes 1 to 5 s later, and never before the app runs")
  func pushed() throws {
    var stage = Stage(policy: Self.slow)
    for device: UInt32 in 0..<50 {
      try stage.enter(.terminated, on: device)
      let began = stage.now.world
      _ = try stage.start(with: stage.token(.pushToStart(type: 0), on: device))
      #expect(stage.cards(on: device).isEmpty && stage.yields(on: device).isEmpty)
      stage.advance(by: .milliseconds(500))
      #expect(stage.cards(on: device).count == 1, "the card does not wait for the app")
      stage.advance(by: .milliseconds(5500))
      var launched: Instant?
      var yielded: Instant?
      for case .phone(DeviceID(device), 0, let deviceEvent, let at) in stage.events() {
        if case .appLaunched(.byLiveActivity) = deviceEvent { launched = at }
        if case .tokenYielded(Self.slot) = deviceEvent { yielded = at }
      }
      let (launch, token) = (try #require(launched), try #require(yielded))
      #expect(launch >= began.advanced(by: .milliseconds(500)) && launch <= began.advanced(by: .seconds(3)))
      #expect(token >= launch && token >= began.advanced(by: .seconds(1)))
      #expect(token <= began.advanced(by: .seconds(5)))
      stage.advance(by: .seconds(60))
    }
  }

  @Test("S49 S50: without the push capability, or with push type nil, an activity runs and never has a token")
  func noToken() throws {
    var plain = Stage.profiles[0]
    plain.traits.pushCapability = false
    for (profile, updates) in [(plain, ActivityUpdates.token), (Stage.profiles[0], .none)] {
      var stage = Stage(apps: [profile])
      var request = StartActivity()
      request.order.updates = updates
      _ = stage.events()
      try stage.order(.start(request))
      stage.advance(by: .seconds(3600))
      #expect(stage.cards().map(\.state) == [.active])
      let happened = stage.happened()
      #expect(happened.contains(.activityYielded(0)) && !happened.contains { $0.slot == Self.slot })
      #expect(try stage.app().activities.map(\.token) == [nil])
      let would = try stage.token(Self.slot)
      #expect(try stage.pushActivity(would, event: "update").reason == .badDeviceToken)
      // There is nothing to rotate, and a rotation must not make one.
      #expect(throws: CommandProblem.self) { try stage.order(.rotate(.update)) }
      #expect(stage.yieldedTokens().isEmpty)
    }
  }

  @Test("S50: with push type token there is one")
  func withToken() throws {
    var stage = Stage()
    _ = stage.events()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    #expect(stage.yieldedTokens() == [Self.slot])
  }

  @Test("a rotation before the first token is refused: it bypasses neither an open question nor a delay")
  func notYet() throws {
    var policy = Stage.quick
    policy.prompt.policy = .everyPushStart
    policy.prompt.answer = .ignore
    for policy in [policy, Self.slow] {
      var stage = Stage(policy: policy)
      _ = try stage.start(with: stage.token(.pushToStart(type: 0)))
      #expect(throws: CommandProblem.self) { try stage.order(.rotate(.update)) }
      #expect(!stage.yieldedTokens().contains(Self.slot))
    }
  }

  @Test("S52: a rotation during an activity is yielded for the same activity, which remains")
  func rotation() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let name = stage.cards().map(\.id)
    var tokens = [try stage.token(Self.slot)]
    _ = stage.events()
    for _ in 0..<3 {
      try stage.order(.rotate(.update))
      #expect(stage.yieldedTokens() == [Self.slot])
      tokens.append(try stage.token(Self.slot))
      #expect(try stage.pushActivity(tokens[tokens.count - 1], event: "update").fate.updates(0))
    }
    #expect(Set(tokens).count == 4 && stage.cards().map(\.id) == name)
  }

  @Test("S53: by default no token rotates during an activity's life")
  func noRotationByDefault() throws {
    var stage = Stage(devices: 50, policy: Self.slow)
    try stage.orderAll(.startActivity(app: nil, attributesType: nil))
    stage.advance(by: .seconds(8 * 3600))
    let issued = stage.devices { if case .tokenIssued = $0 { true } else { false } }
    #expect(issued.count == 50 && issued.values.allSatisfy { $0 == 1 })
  }

  @Test(
    "S54: a new token gives runtime to an app that has none",
    arguments: [AppLifecycle.suspended, .terminated, .crashed])
  func runtime(_ life: AppLifecycle) throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    try stage.enter(life)
    try stage.order(.rotate(.update))
    let happened = stage.happened()
    #expect(happened.count { $0 == .tokenYielded(Self.slot) } == 1)
    #expect(happened.contains(.appLaunched(.byToken)) == !life.hasProcess)
    #expect(try stage.app().life == .background)
    stage.advance(by: .seconds(30))
    #expect(stage.happened() == [.appSuspended])
  }

  @Test("S54: with the setting off the app learns of it when it runs next")
  func noRuntime() throws {
    var policy = Stage.quick
    policy.newTokenWakesApp = false
    var stage = Stage(policy: policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    try stage.enter(.suspended)
    try stage.order(.rotate(.update))
    #expect(stage.yields().isEmpty)
    try stage.order(.open(app: nil))
    #expect(stage.yieldedTokens() == [Self.slot])
  }

  @Test("S56: an app that stops observing misses the rotation, and gets it at its next launch")
  func snapshot() throws {
    var profile = Stage.profiles[0]
    profile.traits.observing.keepsTask = false
    var stage = Stage(apps: [profile])
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let old = try stage.token(Self.slot)
    _ = stage.events()
    try stage.order(.rotate(.update))
    #expect(stage.yieldedTokens().isEmpty)
    #expect(try stage.pushActivity(old, event: "update").fate.discard == .orphanToken)
    #expect(try stage.relaunch().contains(Self.slot))
  }

  @Test("S55: of a token and its predecessors only the newest changes the card")
  func replaced() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    var old: [String] = []
    for _ in 0..<5 {
      old.append(try stage.token(Self.slot))
      try stage.order(.rotate(.update))
    }
    for token in old {
      let record = try stage.pushActivity(token, event: "end")
      #expect(record.status == 200 && record.fate.discard == .orphanToken)
    }
    #expect(stage.cards().map(\.state) == [.active])
    stage.advance(by: .seconds(60))
    for token in old { #expect(try stage.pushActivity(token, event: "end").reason == .unregistered) }
    #expect(try stage.pushActivity(stage.token(Self.slot), event: "end").fate.ends(0))
  }
}

extension Sequence {
  /// The first result that is not nil.
  fileprivate func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
    for element in self { if let result = transform(element) { return result } }
    return nil
  }
}

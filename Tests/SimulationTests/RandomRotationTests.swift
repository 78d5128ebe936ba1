import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Rotation by chance")
struct RandomRotationTests {
  @Test("S52: an update token is replaced again and again, about as often as the setting", arguments: 1...3)
  func update(_ seed: UInt64) throws {
    var policy = Stage.quick
    policy.updateTokenRotation = .seconds(600)
    var stage = Stage(seed: seed, policy: policy)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let first = try stage.token(.update(activity: 0))
    _ = stage.events()
    stage.advance(by: .seconds(8 * 3600 - 1))
    let happened = stage.happened()
    let issued = happened.count { $0 == .tokenIssued(.update(activity: 0)) }
    // Eight hours hold 48 of ten minutes.
    #expect((30...70).contains(issued), "seed \(seed)")
    #expect(happened.count { $0 == .tokenYielded(.update(activity: 0)) } == issued, "each gives the app runtime")
    #expect(try stage.pushActivity(first, event: "update").reason == .unregistered)
    stage.advance(by: .seconds(86400))
    #expect(!stage.happened().contains { $0.slot != nil }, "an activity that is over has none")
  }

  @Test("S35: a push-to-start token too, however often the app is launched in between", arguments: 1...3)
  func start(_ seed: UInt64) throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(10 * 86400)
    var stage = Stage(seed: seed, policy: policy)
    var issued = 0
    for _ in 0..<400 {
      _ = try stage.relaunch()
      stage.advance(by: .seconds(86400))
      issued += stage.happened().count { $0 == .tokenIssued(.pushToStart(type: 0)) }
    }
    #expect((25...60).contains(issued), "seed \(seed): \(issued) in 400 days")
    #expect(try stage.start(with: stage.token(.pushToStart(type: 0))).fate.starts(0))
  }

  @Test("S35: push-to-start tokens are replaced from the beginning, though no app is ever launched")
  func untouched() throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(86400)
    var stage = Stage(devices: 40, policy: policy)
    let before = try (0..<40).map { try stage.token(.pushToStart(type: 1), on: $0) }
    stage.advance(by: .seconds(30 * 86400))
    let after = try (0..<40).map { try stage.token(.pushToStart(type: 1), on: $0) }
    #expect(zip(before, after).allSatisfy { $0 != $1 })
    let issued = stage.happened().count { $0 == .tokenIssued(.pushToStart(type: 0)) }
    // Of the first phone, on both apps, in thirty days of one day each.
    #expect((20...90).contains(issued), "\(issued)")
  }

  @Test("S52: so are the update tokens of activities that run from the beginning")
  func running() throws {
    var policy = Stage.quick
    policy.updateTokenRotation = .seconds(20 * 60)
    let app = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"], runningActivities: 2)
    var stage = Stage(devices: 10, apps: [app], policy: policy)
    let before = try (0..<10).flatMap { device in
      try [0, 1].map { try stage.token(.update(activity: $0), on: device) }
    }
    stage.advance(by: .seconds(7 * 3600))
    let after = try (0..<10).flatMap { device in
      try [0, 1].map { try stage.token(.update(activity: $0), on: device) }
    }
    #expect(zip(before, after).allSatisfy { $0 != $1 })
    #expect(try stage.pushActivity(before[0], event: "update").reason == .unregistered)
    #expect(try stage.pushActivity(after[0], event: "update").fate.updates(0))
  }

  @Test("a phone with an iOS without push-to-start tokens has none to replace")
  func none() throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(86400)
    for os in [OSVersion(17, 1), OSVersion(17, 6)] {
      var stage = Stage(os: os, policy: policy)
      _ = try stage.relaunch()
      stage.advance(by: .seconds(86400 * 30))
      #expect(!stage.happened().contains { $0.slot?.isStart ?? false }, "\(os.text)")
    }
  }

  @Test("it goes on after the app was deleted and installed again")
  func reinstall() throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(86400)
    var stage = Stage(policy: policy)
    _ = try stage.relaunch()
    try stage.order(.uninstall(app: nil))
    _ = stage.events()
    stage.advance(by: .seconds(86400 * 10))
    #expect(!stage.happened().contains { $0.slot != nil })
    try stage.order(.reinstall(app: nil))
    _ = stage.events()
    stage.advance(by: .seconds(86400 * 10))
    let issued = stage.happened().count { $0 == .tokenIssued(.pushToStart(type: 0)) }
    #expect((4...30).contains(issued), "\(issued) in ten days")
  }
}

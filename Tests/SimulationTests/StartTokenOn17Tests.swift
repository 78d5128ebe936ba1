import APNs
import Devices
import Simulation
import Testing
import Timeline

/// iOS 17.2 to 17.6: delete the app, reboot, install it fresh.
@Suite("The push-to-start token of iOS 17")
struct StartTokenOn17Tests {
  private enum Step: Character, CaseIterable {
    case delete = "D"
    case reboot = "R"
    case install = "I"
  }

  /// Every order of up to six steps that a person could take.
  private static let orders: [[Step]] = {
    var all: [[Step]] = [[]]
    var last = all
    for _ in 0..<6 {
      last = last.flatMap { order in
        Step.allCases.compactMap { step in
          let isInstalled = order.last { $0 != .reboot } != .delete
          switch step {
          case .delete: return isInstalled ? order + [step] : nil
          case .install: return isInstalled ? nil : order + [step]
          case .reboot: return order + [step]
          }
        }
      }
      all += last
    }
    return all.filter { order in order.last { $0 != .reboot } != .delete }
  }()

  /// True if the app was last installed after it was deleted and the phone rebooted, in that order.
  private static func isFresh(_ order: [Step]) -> Bool {
    guard let installed = order.lastIndex(of: .install), let deleted = order[..<installed].lastIndex(of: .delete) else {
      return false
    }
    return order[deleted..<installed].contains(.reboot)
  }

  @Test(
    "S40 S41: iOS 17 gives a start token after delete, reboot, install, and after no other order of up to six steps")
  func orders() throws {
    #expect(Self.orders.count { Self.isFresh($0) } > 10)
    for order in Self.orders {
      var stage = Stage(devices: 1, os: OSVersion(17, 6))
      for step in order {
        switch step {
        case .delete: try stage.order(.uninstall(app: nil))
        case .reboot: try stage.order(.reboot)
        case .install: try stage.order(.reinstall(app: nil, opens: false))
        }
      }
      let name = String(order.map(\.rawValue))
      let tokens = try stage.relaunch()
      #expect(tokens.contains(.app), "\(name)")
      #expect(tokens.contains(.pushToStart(type: 0)) == Self.isFresh(order), "\(name)")
      let record = try stage.start(with: stage.token(.pushToStart(type: 0)))
      #expect((record.status == 200) == Self.isFresh(order), "\(name)")
    }
  }

  @Test("S41: iOS 17 gives no start token after a reboot alone or a reinstall alone")
  func onePartOnly() throws {
    var stage = Stage(os: OSVersion(17, 6))
    try stage.order(.reboot)
    #expect(try stage.relaunch().filter(\.isStart) == [])
    try stage.order(.uninstall(app: nil))
    try stage.order(.reinstall(app: nil))
    #expect(stage.yieldedTokens().filter(\.isStart) == [])
    try stage.order(.reboot)
    #expect(try stage.relaunch().filter(\.isStart) == [])
  }

  @Test("the reboot counts for the deleted app, not for another one")
  func appByApp() throws {
    var stage = Stage(os: OSVersion(17, 6))
    try stage.order(.uninstall(app: Stage.app))
    try stage.order(.reboot)
    try stage.order(.uninstall(app: Stage.store))
    try stage.order(.reinstall(app: Stage.app))
    try stage.order(.reinstall(app: Stage.store))
    let apps = try stage.view().apps
    #expect(apps.map { $0.startTokens.isEmpty } == [false, true])
  }

  @Test("S42: on every 17.2 to 17.6, whatever the build", arguments: AppProfile.Build.allCases)
  func builds(_ build: AppProfile.Build) throws {
    let apps = [AppProfile(bundleID: Stage.app, teamID: Stage.team, build: build, attributesTypes: ["MatchAttributes"])]
    for minor in 2...6 {
      for device: UInt32 in 0..<4 {
        var stage = Stage(devices: 4, os: OSVersion(17, minor), apps: apps)
        #expect(try stage.relaunch(on: device).filter(\.isStart) == [])
        try stage.order(.uninstall(app: nil), on: device)
        try stage.order(.reboot, on: device)
        try stage.order(.reinstall(app: nil), on: device)
        #expect(stage.yieldedTokens(on: device).filter(\.isStart) == [.pushToStart(type: 0)])
      }
    }
  }

  @Test("S43: it is yielded once; later launches yield none, and the token stays valid")
  func once() throws {
    var stage = Stage(os: OSVersion(17, 6))
    try stage.order(.uninstall(app: nil))
    try stage.order(.reboot)
    try stage.order(.reinstall(app: nil))
    #expect(stage.yieldedTokens().contains(.pushToStart(type: 0)))
    for _ in 0..<3 { #expect(try stage.relaunch().filter(\.isStart) == []) }
    try stage.order(.reboot)
    #expect(try stage.relaunch().filter(\.isStart) == [])
    #expect(try stage.start(with: stage.token(.pushToStart(type: 0))).fate.starts(0))
    // All three steps again, and it is there again.
    try stage.order(.uninstall(app: nil))
    try stage.order(.reboot)
    try stage.order(.reinstall(app: nil))
    #expect(stage.yieldedTokens().contains(.pushToStart(type: 0)))
  }

  @Test("S44: a fleet on 17 that gets the feature by an app update has no token at all")
  func appUpdate() throws {
    var stage = Stage(devices: 200, os: OSVersion(17, 6))
    try stage.orderAll(.updateApp(app: nil))
    _ = stage.events()
    try stage.orderAll(.open(app: nil))
    let launched = stage.world.recent.count { if case .phone(_, 0, .appLaunched, _) = $0 { true } else { false } }
    #expect(launched == 200)
    #expect(stage.devices { if case .tokenYielded(let slot) = $0 { slot.isStart } else { false } }.isEmpty)
    // An update is no fresh install on 18 either, and there none is needed.
    stage = Stage(devices: 200, os: OSVersion(18, 0))
    try stage.orderAll(.updateApp(app: nil))
    _ = stage.events()
    try stage.orderAll(.open(app: nil))
    #expect(stage.devices { if case .tokenYielded(let slot) = $0 { slot.isStart } else { false } }.count == 200)
  }
}

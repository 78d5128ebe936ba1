import APNs
import Devices
import Simulation
import Testing

@testable import ClubSupport

@Suite("Start tokens on iOS 17 as the backend sees them")
struct StartTokenOn17ReportTests {
  private enum Step: String, CaseIterable {
    case delete, reboot, install

    var action: DeviceAction {
      switch self {
      case .delete: .uninstall(app: nil)
      case .reboot: .reboot
      case .install: .reinstall(app: nil)
      }
    }
  }

  /// Start tokens that have come after these steps and a launch.
  private func sent(after steps: [Step], on os: OSVersion, _ profile: String = "sightscreen") throws -> Int {
    var club = try Club(profile, os: os)
    try club.launch()
    club.forget()
    for step in steps { try club.order(step.action) }
    try club.launch()
    #expect(club.count(Club.deviceLine) >= 1, "it was launched")
    return club.count(Club.startLine)
  }

  @Test("S40: the backend gets a start token after deletion, reboot and fresh install, in this order", arguments: 2...6)
  func threeSteps(_ minor: Int) throws {
    let os = OSVersion(17, minor)
    #expect(try sent(after: [.delete, .reboot, .install], on: os) == 1)
    #expect(try sent(after: [.delete, .install, .reboot], on: os) == 0)
    #expect(try sent(after: [.reboot, .delete, .install], on: os) == 0)
  }

  @Test("S41: a reboot alone or a reinstall alone gives no token")
  func oneStep() throws {
    for steps: [Step] in [[], [.reboot], [.reboot, .reboot], [.delete, .install]] {
      #expect(try sent(after: steps, on: OSVersion(17, 6)) == 0, "\(steps)")
    }
  }

  @Test("S42: a release build gets start tokens like a debug build", arguments: ["sandbox", "production"])
  func builds(_ build: String) throws {
    let profile = "environment: \(build)\n" + (try Club.text())
    #expect(try sent(after: [.delete, .reboot, .install], on: OSVersion(17, 6), profile) == 1)
    #expect(try sent(after: [.delete, .install], on: OSVersion(17, 6), profile) == 0)
  }

  @Test("S43: a start token on iOS 17 is sent once, and no launch after that sends it again")
  func once() throws {
    var club = try Club(os: OSVersion(17, 6))
    for step in Step.allCases { try club.order(step.action) }
    #expect(club.count(Club.startLine) == 1)
    for _ in 0..<3 { try club.launch() }
    #expect(club.count(Club.startLine) == 1 && club.count(Club.deviceLine) == 4)
  }

  @Test("S44: a fleet on iOS 17 that gets the feature by an app update sends no start token")
  func appUpdate() throws {
    for (os, expected) in [(OSVersion(17, 6), 0), (OSVersion(18, 0), 50)] {
      var club = try Club(devices: 50, os: os)
      try club.orderAll(.updateApp(app: nil))
      try club.orderAll(.open(app: nil))
      #expect(club.count(Club.deviceLine) == 50)
      #expect(club.count(Club.startLine) == expected, "iOS \(os.text)")
    }
  }
}

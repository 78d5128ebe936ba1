import APNs
import Testing
import Timeline

@testable import Devices

@Suite("An install")
struct InstallTests {
  let began = Instant(seconds: 1_700_000_000)
  let policy = DevicePolicy()
  var starts: StartTokenPolicy { policy.startTokens }
  static let profile = AppProfile(
    bundleID: "com.example.app", teamID: "TEAM000001", attributesTypes: ["Match", "Race"])

  private func install(_ profile: AppProfile = profile) -> Install { Install(profile, policy, worldBegan: began) }

  @Test("An app is installed at first, with a token of each kind and no activity")
  func begins() {
    let install = install()
    #expect(install.isInstalled && install.activities.isEmpty)
    for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0), .pushToStart(type: 1)] {
      #expect(install.state(of: slot) == TokenState())
    }
    #expect(install.state(of: .pushToStart(type: 2)) == nil && install.state(of: .update(activity: 0)) == nil)
  }

  @Test("the fleet's own activities are of the first type and as old as the world")
  func runningActivities() {
    let running = install(
      AppProfile(bundleID: "a.b", teamID: "T", attributesTypes: ["Match", "Race"], runningActivities: 2)
    ).activities
    #expect(
      running.map(\.number) == [0, 1]
        && running.allSatisfy { $0.type == 0 && $0.startedAt == began && $0.origin == .fleet })
    #expect(install(AppProfile(bundleID: "a.b", teamID: "T", runningActivities: 2)).activities.isEmpty)
  }

  @Test("S30: an install has a push-to-start token from iOS 18 at once, on 17.2 to 17.6 not yet, before that never")
  func startTokens() {
    let install = install()
    #expect(install.hasStartToken(OSVersion(18, 0), starts) && install.hasStartToken(OSVersion(26, 1), starts))
    #expect(!install.hasStartToken(OSVersion(17, 6), starts) && !install.hasStartToken(OSVersion(17, 2), starts))
    #expect(!install.hasStartToken(OSVersion(17, 1), starts) && !install.hasStartToken(OSVersion(16, 7), starts))
  }

  enum Step: CaseIterable { case delete, reboot, reinstall }

  @Test("On iOS 17.6 a push-to-start token needs deletion, a reboot and a fresh install, in that order")
  func startTokenOn17() {
    let all: [[Step]] = Step.allCases.flatMap { first in
      Step.allCases.flatMap { second in Step.allCases.map { [first, second, $0] } }
    }
    for steps in all {
      var install = install()
      for step in steps {
        switch step {
        case .delete: install.remove(policy, isOnline: true, at: began)
        case .reboot: install.reboot()
        case .reinstall: install.reinstall(at: began)
        }
      }
      #expect(install.hasStartToken(OSVersion(17, 6), starts) == (steps == [.delete, .reboot, .reinstall]), "\(steps)")
      #expect(!install.hasStartToken(OSVersion(17, 1), starts), "\(steps)")
    }
  }

  @Test("S57: removal rotates every token of the app, and ends its activities")
  func removal() {
    var install = install()
    install.start(type: 1, origin: .push, policy, at: began)
    install.remove(policy, isOnline: true, at: began.advanced(by: .seconds(5)))
    #expect(!install.isInstalled && install.activities[0].endedAt == began.advanced(by: .seconds(5)))
    for slot: TokenSlot in [.app, .service(.voip), .service(.widgets), .pushToStart(type: 0), .pushToStart(type: 1)] {
      #expect(install.state(of: slot)?.generation == 1, "\(slot)")
    }
  }

  @Test("S46: activities are numbered in the order they start, and each has its own state")
  func activitiesAreNumbered() {
    var install = install()
    for number: UInt32 in 0..<3 {
      #expect(!install.hasRun(number))
      let activity = install.start(type: 0, origin: .command, policy, at: began)
      #expect(activity.number == number)
      #expect(install.hasRun(number))
    }
    _ = install.change(.update(activity: 1)) { $0.rotate(notice: nil) }
    #expect(install.state(of: .update(activity: 1))?.generation == 1)
    #expect(install.state(of: .update(activity: 0))?.generation == 0)
    let missing = [install.change(.update(activity: 9)) { _ in 1 }, install.change(.pushToStart(type: 9)) { _ in 1 }]
    #expect(missing == [nil, nil])
  }

  @Test("An install keeps the last 32 activities, and drops ended ones first")
  func remembers() {
    var install = install()
    for _ in 0..<32 { install.start(type: 0, origin: .push, policy, at: began) }
    install.changeActivity(5) { $0.end(policy, isOnline: true, at: began) }
    install.start(type: 0, origin: .push, policy, at: began)
    #expect(install.activities.count == 32 && install.activity(5) == nil && install.activity(0) != nil)
    #expect(install.hasRun(5) && install.activity(32) != nil && install.activity(6)?.number == 6)
    for _ in 0..<100 { install.start(type: 0, origin: .push, policy, at: began) }
    #expect(install.activities.count == 32 && install.activity(132)?.number == 132)
  }
}

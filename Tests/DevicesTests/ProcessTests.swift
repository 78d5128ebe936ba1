import Testing
import Timeline

@testable import Devices

@Suite("The process of an app")
struct ProcessTests {
  typealias Process = Install.Process

  private let end = Instant(seconds: 100)

  /// A process that is doing that; in the background until second 100.
  private func process(_ life: AppLifecycle) -> Process {
    var process = Process(AppTraits.Observing())
    switch life {
    case .neverLaunched: process.install()
    case .foreground: _ = process.open()
    case .background: _ = process.wake(until: end)
    case .suspended: break
    case .terminated: process.stop(.terminated)
    case .forceQuit: process.stop(.forceQuit)
    case .crashed: process.stop(.crashed)
    }
    return process
  }

  @Test("A process is suspended at first, and each state is reached by its action", arguments: AppLifecycle.allCases)
  func reached(life: AppLifecycle) {
    #expect(process(life).life == life && Process(AppTraits.Observing()).life == .suspended)
  }

  @Test(
    "a wake resumes it, launches it, or is refused",
    arguments: zip(
      AppLifecycle.allCases,
      [.refused, .inForeground, .goesOn, .goesOn, .launched, .refused, .launched] as [Process.Waking])
  )
  func wakes(life: AppLifecycle, expected: Process.Waking) {
    var process = process(life)
    #expect(process.wake(until: Instant(seconds: 101)) == expected)
    #expect(process.life == (expected == .goesOn || expected == .launched ? .background : life))
  }

  @Test("a wake that gives no more runtime than it has changes nothing", arguments: [0, 99, 100])
  func wakesNoLonger(second: Int64) {
    var process = process(.background)
    #expect(process.wake(until: Instant(seconds: second)) == .awake)
    #expect(process.state == .background(until: end))
  }

  @Test(
    "An app that is opened continues or is launched",
    arguments: zip(
      AppLifecycle.allCases,
      [.launched, .inForeground, .goesOn, .goesOn, .launched, .launched, .launched] as [Process.Opening]))
  func opens(life: AppLifecycle, expected: Process.Opening) {
    var process = process(life)
    #expect(process.open() == expected)
    #expect(process.life == .foreground)
  }

  @Test("only an app in the foreground can be left, and only its runtime ends", arguments: AppLifecycle.allCases)
  func leaves(life: AppLifecycle) {
    var left = process(life)
    #expect(left.leave(until: end, keepsTask: true) == (life == .foreground))
    #expect(left.state == (life == .foreground ? .background(until: end) : process(life).state))
    var ended = process(life)
    #expect(ended.endRuntime(at: Instant(seconds: 99)) == false)
    #expect(ended.endRuntime(at: end) == (life == .background))
    #expect(ended.life == (life == .background ? .suspended : life))
  }

  @Test("a reboot, a new version and a call have their effects on it", arguments: AppLifecycle.allCases)
  func comesAndGoes(life: AppLifecycle) {
    var rebooted = process(life)
    rebooted.reboot()
    #expect(rebooted.life == (life == .neverLaunched ? .neverLaunched : .terminated))
    var updated = process(life)
    updated.update()
    #expect(updated.life == (life == .neverLaunched || life == .forceQuit ? life : .terminated))
    var called = process(life)
    called.ring()
    #expect(called.life == (life == .forceQuit ? .terminated : life))
  }

  @Test("An app listens at launch as its code declares, and for start tokens once its screens are shown")
  func listens() {
    var observing = AppTraits.Observing()
    observing.atLaunch = false
    var process = Process(observing)
    #expect(!process.observes && process.hearsTokens && process.hearsStartTokens && process.launches == 0)
    process.launch(observing, .byToken)
    #expect(!process.observes && !process.hearsStartTokens && process.launches == 1)
    let isNew = [process.listenToStartTokens(), process.listenToStartTokens()]
    #expect(isNew == [true, false] && process.hearsStartTokens)
    process.observeActivities()
    _ = process.open()
    let isLeft = process.leave(until: end, keepsTask: false)
    #expect(isLeft && process.observes && !process.hearsTokens)
    process.launch(observing, .byPerson)
    #expect(!process.observes && process.hearsTokens && process.hearsStartTokens && process.launches == 2)
  }

  @Test("a call starts a force-quit app, which remains force-quit; opening it and a reboot reset that")
  func forceQuit() {
    let now = Instant(seconds: 1_700_000_000)
    var install = Install(
      AppProfile(bundleID: "com.example.app", teamID: "TEAM000001"), DevicePolicy(), worldBegan: now)
    install.forceQuit(leaks: false, at: now)
    #expect(install.wake(until: now.advanced(by: .seconds(30))) == .refused)
    #expect(install.life == .forceQuit)
    _ = install.receiveCall(.atOnce, VoIPCallPlan(), at: now)
    #expect(install.life == .terminated && install.forceQuitAt == now)
    var opened = install
    #expect(opened.open() == .launched)
    #expect(opened.forceQuitAt == nil)
    install.reboot()
    #expect(install.forceQuitAt == nil)
  }
}

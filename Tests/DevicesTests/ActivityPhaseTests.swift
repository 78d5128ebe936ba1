import Testing
import Timeline
import WireFormats

@testable import Devices

@Suite("The phase of a Live Activity")
struct ActivityPhaseTests {
  typealias Phase = LiveActivity.Phase

  static let ended = Phase.ended(at: Instant(seconds: 1))
  static let all: [Phase] = [
    .scheduled, .prompting, .running(isAskedAgain: false), .running(isAskedAgain: true), ended,
  ]

  @Test("A scheduled activity begins at its start date, and no other activity does", arguments: all)
  func commences(phase: Phase) {
    var commenced = phase
    #expect(commenced.commence() == (phase == .scheduled))
    #expect(commenced == (phase == .scheduled ? .running(isAskedAgain: false) : phase))
    var scheduled = phase
    scheduled.schedule()
    #expect(scheduled == (phase == .running(isAskedAgain: false) ? .scheduled : phase))
  }

  @Test("a running one shows the question, and shows it again", arguments: all)
  func asks(phase: Phase) {
    var asked = phase
    asked.ask()
    #expect(asked == (phase.isRunning ? .prompting : phase))
    var again = phase
    again.askAgain()
    #expect(again == (phase.isRunning ? .running(isAskedAgain: true) : phase))
  }

  @Test(
    "an answer begins a pending one, lets a running one continue, or has no question",
    arguments: zip(all, [.notAsked, .begins, .notAsked, .goesOn, .notAsked] as [LiveActivity.Answer]))
  func answers(phase: Phase, expected: LiveActivity.Answer) {
    var allowed = phase
    #expect(allowed.answer(allowed: true) == expected)
    #expect(allowed == (expected == .notAsked ? phase : .running(isAskedAgain: false)))
    var denied = phase
    #expect(denied.answer(allowed: false) == (expected == .notAsked ? .notAsked : .denied))
    #expect(denied == (phase.isAskedAgain ? .running(isAskedAgain: false) : phase))
  }

  @Test("A phase ends once", arguments: all)
  func ends(phase: Phase) {
    var phase = phase
    let hadEnded = phase == Self.ended
    #expect(phase.end(at: Instant(seconds: 2)) == !hadEnded)
    #expect(phase.endedAt == Instant(seconds: hadEnded ? 1 : 2))
    #expect(phase.end(at: Instant(seconds: 3)) == false)
  }

  @Test("An activity that has not begun leaves no card; any other card stays for its linger time")
  func scheduledEnd() {
    let (began, policy) = (Instant(seconds: 1_700_000_000), DevicePolicy())
    var activity = LiveActivity(number: 0, type: 0, startedAt: began, origin: .command, life: policy.activityLife)
    #expect(activity.end(policy, isOnline: true, at: began) == began.advanced(by: policy.linger))
    activity = LiveActivity(number: 1, type: 0, startedAt: began, origin: .command, life: policy.activityLife)
    activity.schedule()
    #expect(activity.end(policy, isOnline: true, at: began) == began)
    #expect(activity.state(policy, at: began) == .dismissed)
  }

  @Test("a check of the stale date is planned once, and again when the date was postponed")
  func staleDate() {
    let (began, policy) = (Instant(seconds: 1_700_000_000), DevicePolicy())
    func after(_ seconds: Int64) -> Instant { began.advanced(by: .seconds(seconds)) }
    var activity = LiveActivity(number: 0, type: 0, startedAt: began, origin: .command, life: policy.activityLife)
    #expect(activity.watchStaleDate(at: began) == nil)
    #expect(activity.goStale(at: began) == .nothing)
    activity.apply(staleDate: after(60), at: began)
    let looks = [activity.watchStaleDate(at: began), activity.watchStaleDate(at: after(1))]
    #expect(looks == [after(60), nil])
    #expect(activity.goStale(at: after(59)) == .nothing)
    activity.apply(staleDate: after(90), at: after(2))
    #expect(activity.watchStaleDate(at: after(2)) == nil, "the earlier look serves")
    #expect(activity.goStale(at: after(60)) == .later(after(90)))
    #expect(activity.goStale(at: after(90)) == .stale)
    #expect(activity.goStale(at: after(90)) == .nothing)
  }

  @Test("a slot that a force-quit leaks counts until the reboot")
  func leaks() {
    let (began, policy) = (Instant(seconds: 1_700_000_000), DevicePolicy())
    let profile = AppProfile(
      bundleID: "com.example.app", teamID: "TEAM000001", attributesTypes: ["Match"], runningActivities: 2)
    var install = Install(profile, policy, worldBegan: began)
    install.changeActivity(0) { $0.dismiss(policy, isOnline: true, at: began) }
    install.forceQuit(leaks: true, at: began)
    install.changeActivity(1) { $0.dismiss(policy, isOnline: true, at: began) }
    #expect(install.activities.map(\.isLeaked) == [false, true] && install.counted(policy, at: began) == 1)
    install.reboot()
    #expect(install.counted(policy, at: began) == 0)
  }
}

extension LiveActivity {
  fileprivate mutating func apply(staleDate: Instant, at now: Instant) {
    var order = ActivityUpdateRequest(content: ["score": 1])
    order.staleDate = staleDate
    _ = apply(order, spacing: 0, at: now)
  }
}

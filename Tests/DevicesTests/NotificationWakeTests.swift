import APNs
import Devices
import Testing
import Timeline

@Suite("Background wakes")
struct NotificationWakeTests {
  private static let began = NotificationPhone.began
  private static let hour: Duration = .seconds(3600)
  private let chance = Chance(seed: 7).stream(for: "background wakes")

  /// A plan under which luck plays no part.
  private var plan: BackgroundWakePlan {
    var plan = BackgroundWakePlan()
    plan.odds = .always
    return plan
  }

  private func here(_ change: (inout BackgroundContext) -> Void = { _ in }) -> BackgroundContext {
    var here = BackgroundContext()
    change(&here)
    return here
  }

  private func after(_ duration: Duration) -> Instant { Self.began.advanced(by: duration) }

  private func receive(
    _ wakes: inout BackgroundWakes, _ push: UInt64, _ here: BackgroundContext = .init(),
    _ plan: BackgroundWakePlan? = nil, after delay: Duration = .zero
  ) -> BackgroundWakes.Arrival {
    wakes.receive(
      push, in: here, plan: plan ?? self.plan, draw: WakeDraw(chance, subject: 1, count: push), at: after(delay))
  }

  @Test("S62: a suspended or terminated app is woken for 30 s", arguments: [AppProcess.suspended, .terminated])
  func woken(process: AppProcess) {
    var wakes = BackgroundWakes()
    let arrival = receive(&wakes, 1, here { $0.process = process })
    #expect(arrival == .init(outcome: .woken(until: after(.seconds(30))), superseded: nil))
    #expect(wakes.heldPush == nil && wakes.nextDue == nil)
  }

  @Test(
    "a running app gets every push, throttled or not, in Low Power Mode or not",
    arguments: [AppProcess.foreground, .background])
  func running(process: AppProcess) {
    var wakes = BackgroundWakes()
    var plan = plan
    plan.odds = .never
    let here = here {
      $0.process = process
      $0.isLowPower = true
      $0.isRefreshOn = false
    }
    for push: UInt64 in 0..<20 {
      #expect(receive(&wakes, push, here, plan).outcome == .deliveredToRunning)
    }
  }

  @Test("a force-quit app is not launched, and the held push is lost as well")
  func forceQuit() {
    var wakes = BackgroundWakes()
    _ = receive(&wakes, 1, here { $0.isLowPower = true })
    let arrival = receive(&wakes, 2, here { $0.process = .forceQuit })
    #expect(arrival == .init(outcome: .discarded(.forceQuit), superseded: 1) && wakes.heldPush == nil)
    _ = receive(&wakes, 3, here { $0.isLowPower = true })
    #expect(wakes.forceQuit() == 3 && wakes.forceQuit() == nil && wakes.launch() == nil)
  }

  @Test("an app without the background mode is never woken")
  func noMode() {
    var wakes = BackgroundWakes()
    let arrival = receive(&wakes, 1, here { $0.hasBackgroundMode = false })
    #expect(arrival.outcome == .discarded(.noBackgroundMode))
  }

  private static let restrictions: [(Bool, Bool, WakeCause)] = [
    (true, true, .lowPower), (true, false, .lowPower), (false, false, .refreshOff),
  ]

  @Test(
    "S63: in Low Power Mode or with refresh off a background push is held until that changes", arguments: restrictions)
  func restricted(isLowPower: Bool, isRefreshOn: Bool, cause: WakeCause) {
    var wakes = BackgroundWakes()
    let restricted = here {
      $0.isLowPower = isLowPower
      $0.isRefreshOn = isRefreshOn
    }
    #expect(receive(&wakes, 1, restricted).outcome == .held(cause, until: nil))
    #expect(wakes.heldPush == 1 && wakes.nextDue == nil && wakes.takeDue(by: .distantFuture) == nil)
    // Something has changed, but not enough.
    wakes.conditionsChanged(at: after(.seconds(5)))
    #expect(wakes.nextDue == after(.seconds(5)) && wakes.takeDue(by: after(.seconds(5))) == 1)
    let again = receive(&wakes, 1, restricted, after: .seconds(5))
    #expect(again == .init(outcome: .held(cause, until: nil), superseded: nil))
    wakes.conditionsChanged(at: after(.seconds(9)))
    #expect(wakes.takeDue(by: after(.seconds(9))) == 1)
    #expect(receive(&wakes, 1, after: .seconds(9)).outcome == .woken(until: after(.seconds(39))))
  }

  @Test("the plan may drop or deliver it instead", arguments: restrictions)
  func otherwise(isLowPower: Bool, isRefreshOn: Bool, cause: WakeCause) {
    let restricted = here {
      $0.isLowPower = isLowPower
      $0.isRefreshOn = isRefreshOn
    }
    var wakes = BackgroundWakes()
    var plan = plan
    plan.whenRestricted = .drop
    #expect(receive(&wakes, 1, restricted, plan).outcome == .discarded(cause) && wakes.heldPush == nil)
    plan.whenRestricted = .deliver
    #expect(receive(&wakes, 2, restricted, plan).outcome == .woken(until: after(.seconds(30))))
  }

  @Test("S63: the fourth within an hour of the first is held until the hour's end, and only the newest is kept")
  func throttle() {
    var wakes = BackgroundWakes()
    for push: UInt64 in 1...3 {
      let arrival = receive(&wakes, push, after: .seconds(Int64(push) * 60))
      #expect(arrival.outcome == .woken(until: after(.seconds(Int64(push) * 60 + 30))))
    }
    let end = after(.seconds(60) + Self.hour)
    #expect(receive(&wakes, 4, after: .seconds(300)) == .init(outcome: .held(.throttled, until: end), superseded: nil))
    #expect(receive(&wakes, 5, after: .seconds(400)) == .init(outcome: .held(.throttled, until: end), superseded: 4))
    #expect(wakes.nextDue == end && wakes.takeDue(by: end.advanced(by: .nanoseconds(-1))) == nil)
    #expect(wakes.takeDue(by: end) == 5 && wakes.takeDue(by: end) == nil)
    let arrival = receive(&wakes, 5, after: .seconds(60) + Self.hour)
    #expect(arrival.outcome == .woken(until: end.advanced(by: .seconds(30))))
  }

  @Test("a change of conditions does not release a throttled push")
  func throttleStays() {
    var wakes = BackgroundWakes()
    for push: UInt64 in 1...4 { _ = receive(&wakes, push) }
    wakes.conditionsChanged(at: after(.seconds(1)))
    #expect(wakes.nextDue == after(Self.hour) && wakes.heldPush == 4)
  }

  @Test("a change of conditions with nothing held changes nothing")
  func nothingHeld() {
    var wakes = BackgroundWakes()
    wakes.conditionsChanged(at: Self.began)
    #expect(wakes == BackgroundWakes())
  }

  @Test("launching the app delivers the held push, once, and refills nothing")
  func launch() {
    var wakes = BackgroundWakes()
    for push: UInt64 in 1...5 { _ = receive(&wakes, push) }
    #expect(wakes.launch() == 5 && wakes.launch() == nil && wakes.nextDue == nil)
    #expect(receive(&wakes, 6).outcome == .held(.throttled, until: after(Self.hour)))
  }

  @Test(
    "S62: of a fleet of a thousand, 600 to 700 are woken under the default plan",
    arguments: [UInt64(1), 2, 3, 4, 5])
  func luck(seed: UInt64) {
    let chance = Chance(seed: seed).stream(for: "background wakes")
    let woken = (UInt64(0)..<1000).count { device in
      var wakes = BackgroundWakes()
      let arrival = wakes.receive(
        9, in: .init(), plan: BackgroundWakePlan(), draw: WakeDraw(chance, subject: device, count: 9), at: Self.began)
      return arrival.outcome != .notWoken
    }
    #expect((600...700).contains(woken), "\(woken)")
  }

  @Test("an unlucky push costs nothing and is not held; the next has its own draw")
  func unlucky() {
    var wakes = BackgroundWakes()
    var plan = plan
    plan.odds = .never
    #expect(receive(&wakes, 1, .init(), plan) == .init(outcome: .notWoken, superseded: nil))
    #expect(wakes == BackgroundWakes())
    let fair = BackgroundWakePlan()
    let outcomes = (UInt64(0)..<200).map { push in
      var wakes = BackgroundWakes()
      return receive(&wakes, push, .init(), fair).outcome == .notWoken
    }
    #expect(outcomes.contains(true) && outcomes.contains(false))
  }

  @Test("plans without wakes or without a window have nothing due at the instant a push is held")
  func emptyPlans() {
    for window in [Duration.zero, .seconds(-5), .seconds(Int64.min), .seconds(60)] {
      var plan = plan
      plan.wakes = 0
      plan.window = window
      var wakes = BackgroundWakes()
      _ = receive(&wakes, 1, .init(), plan)
      #expect(wakes.heldPush == 1 && wakes.takeDue(by: Self.began) == nil)
    }
  }

  @Test("each cause has a name, a sentence and evidence", arguments: WakeCause.allCases)
  func causes(cause: WakeCause) {
    #expect(cause.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    #expect(!cause.sentence.isEmpty && !cause.evidence.source.isEmpty)
  }
}

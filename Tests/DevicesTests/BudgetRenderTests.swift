import Devices
import Testing
import Timeline

@Suite("Drawing an activity")
struct BudgetRenderTests {
  private static let began = Instant(seconds: 1_700_000_000)
  private let spacing: Duration = .seconds(7)

  private func after(_ duration: Duration) -> Instant { Self.began.advanced(by: duration) }

  @Test("A drawing waits for the spacing since the last one, to the nanosecond")
  func waits() {
    var rendering = RenderSpacing(drawnAt: Self.began)
    let last = after(.nanoseconds(6_999_999_999))
    #expect(rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: last) == .wait(until: after(spacing)))
    #expect(rendering.nextDue == after(spacing))
    #expect(rendering.wake(at: last) == .wait(until: after(spacing)))
    #expect(rendering.wake(at: after(spacing)) == .draw)
    #expect(rendering.wake(at: after(spacing)) == .nothing && rendering.nextDue == nil)
    #expect(rendering.drawnAt == after(spacing))
    #expect(rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: after(.seconds(14))) == .draw)
  }

  @Test("An activity is drawn once for all updates applied meanwhile, and none of them postpones it")
  func once() {
    var rendering = RenderSpacing(drawnAt: Self.began)
    for second in 1..<7 {
      let next = rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: after(.seconds(second)))
      #expect(next == .wait(until: after(spacing)))
    }
    #expect(rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: after(spacing)) == .draw)
    #expect(rendering.wake(at: after(.seconds(100))) == .nothing)
  }

  @Test("an alert is drawn at once, with all pending content, and the spacing restarts")
  func alerts() {
    var rendering = RenderSpacing(drawnAt: Self.began)
    _ = rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: after(.seconds(1)))
    #expect(rendering.apply(alerts: true, spacing: spacing.wholeNanoseconds, at: after(.seconds(2))) == .draw)
    #expect(rendering.nextDue == nil && rendering.wake(at: after(spacing)) == .nothing)
    let next = rendering.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: after(.seconds(8)))
    #expect(next == .wait(until: after(.seconds(9))))
  }

  @Test("Drawings are 5 to 15 s apart from iOS 18 on, depending on the device, and 1 s before")
  func byVersion() {
    let plan = RenderPlan()
    let chance = Chance(seed: 7).stream(for: "rendering")
    var seen: Set<Duration> = []
    for device: UInt64 in 0..<1000 {
      let spacing = plan.spacing(on: OSVersion(18, 0), chance, device: device)
      #expect(plan.from18.contains(spacing))
      #expect(spacing == plan.spacing(on: OSVersion(26, 1), chance, device: device))
      #expect(plan.spacing(on: OSVersion(17, 6), chance, device: device) == .seconds(1))
      seen.insert(spacing)
    }
    #expect(seen.count == 1000)
    #expect(seen.contains { $0 < .seconds(6) } && seen.contains { $0 > .seconds(14) })
  }
}

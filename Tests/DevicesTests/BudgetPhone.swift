import APNs
import Timeline

@testable import Devices

/// A phone with one Live Activity and nothing but the throttles: each update is a number, the highest the newest.
struct BudgetPhone {
  enum Fate: Equatable {
    case applied(at: Instant)
    case coalesced
    case dropped
  }

  let plan: BudgetPlan
  let level: BudgetLevel
  let chance: Chance
  let spacing: Duration
  var condition: DeviceCondition
  private(set) var fates: [Fate?] = []
  private(set) var tally = BudgetTally()
  /// The updates that were drawn and the times of their drawing, in order.
  private(set) var drawings: [(update: Int, at: Instant)] = []
  private(set) var now: Instant
  private var budget = UpdateBudget()
  private var held = DeferredPushes()
  private var rendering: RenderSpacing
  private var content = -1

  init(
    _ plan: BudgetPlan, _ level: BudgetLevel, _ condition: DeviceCondition, seed: UInt64, began: Instant,
    os: OSVersion = OSVersion(26, 0)
  ) {
    self.plan = plan
    self.level = level
    self.condition = condition
    chance = Chance(seed: seed)
    spacing = plan.rendering.spacing(on: os, chance.stream(for: "rendering"), device: 0)
    now = began
    rendering = RenderSpacing(drawnAt: began)
  }

  var remaining: Int { budget.remaining(level: level, in: condition, plan: plan.update, at: now) }

  mutating func receive(_ priority: Priority, at arrival: Instant) {
    advance(to: arrival)
    let update = fates.count
    fates.append(nil)
    let charge = budget.charge(priority, level: level, in: condition, plan: plan.update, at: now)
    tally.count(charge)
    let count = UInt64(update)
    switch charge {
    case .spent:
      if let older = held.withdraw(.a) { fates[older.number] = .coalesced }
      apply(update)
    case .free where priority == .immediate: apply(update)
    case .free:
      hold(
        update, because: .lowPriority, for: plan.lowPriority.delay(in: condition, by: chance, subject: 0, count: count))
    case .exhausted:
      guard let delay = plan.update.overflow.delay(by: chance, subject: 0, count: count) else {
        fates[update] = .dropped
        return
      }
      hold(update, because: .budget, for: delay)
    }
  }

  mutating func flush(_ cause: LowPriorityPlan.FlushCause, at now: Instant) {
    advance(to: now)
    for release in held.flush(cause, plan.lowPriority, at: now) { apply(release.push.number) }
  }

  /// All that is due on the way, in order.
  mutating func advance(to end: Instant) {
    while let due = [held.nextDue(), rendering.nextDue].compactMap({ $0 }).min(), due <= end {
      now = due
      while let release = held.takeDue(by: due) { apply(release.push.number) }
      if rendering.nextDue.map({ $0 <= due }) == true { draw { $0.wake(at: due) } }
    }
    now = end
  }

  private mutating func hold(_ update: Int, because reason: Reaction.Hold, for delay: Duration) {
    switch held.hold(.init(update, reason), of: .a, for: delay, at: now) {
    case .held: break
    case .coalesced(let older, _): fates[older.number] = .coalesced
    case .noRoom: apply(update)
    }
  }

  private mutating func apply(_ update: Int) {
    fates[update] = .applied(at: now)
    content = max(content, update)
    let (spacing, now) = (spacing, now)
    draw { $0.apply(alerts: false, spacing: spacing.wholeNanoseconds, at: now) }
  }

  private mutating func draw(_ step: (inout RenderSpacing) -> RenderSpacing.Next) {
    if step(&rendering) == .draw { drawings.append((content, now)) }
  }
}

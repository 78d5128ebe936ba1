import APNs
import Devices
import Testing
import Timeline

@Suite("The numbers of the budgets")
struct BudgetPlanTests {
  @Test("The numbers of updates are those of docs/behavior/budgets.md#figures")
  func updates() {
    let plan = BudgetPlan().update
    #expect(plan == UpdateBudgetPlan(.standard))
    #expect(plan.scope == .activity && plan.window == .seconds(3600))
    #expect(plan.standardCapacity == 15 && plan.frequentCapacity == 240)
    #expect(plan.priority10Cost == 1 && plan.priority5Cost == 0 && plan.endCost == 1)
    #expect(plan.overflow == .coalesce(.seconds(30)...(.seconds(60))))
  }

  @Test("The shares of the conditions are those of docs/behavior/budgets.md#figures")
  func conditions() {
    let shares = ConditionShares()
    #expect(shares.lowPower == 500 && shares.batteryBelow20 == 750 && shares.thermalSerious == 250)
    #expect(shares.charging == 1500 && shares.screenOff == 1000)
  }

  @Test("The numbers of starts are those of docs/behavior/budgets.md#figures")
  func starts() {
    let plan = BudgetPlan().start
    #expect(plan == StartBudgetPlan(.conservative))
    #expect(plan.capacity == 10 && plan.window == .seconds(86_400) && !plan.refillOnForeground)
    #expect(plan.decrementWhenExhausted && plan.lowPowerSuppresses)
  }

  @Test("The delays of priority 5 are those of docs/behavior/budgets.md#figures")
  func lowPriority() {
    let plan = BudgetPlan().lowPriority
    #expect(plan.screenOn == .seconds(0)...(.seconds(2)) && plan.charging == .seconds(0)...(.seconds(30)))
    #expect(plan.locked == .seconds(5)...(.seconds(120)) && plan.lowPower == .seconds(60)...(.seconds(900)))
    #expect(plan.maxHold == .seconds(900))
    #expect(plan.flushes == [.screenOn, .foreground, .priority10Delivered, .powerConnected])
  }

  @Test("The times between drawings are those of docs/behavior/budgets.md#figures")
  func rendering() {
    let plan = BudgetPlan().rendering
    #expect(plan.from18 == .seconds(5)...(.seconds(15)) && plan.before18 == .seconds(1)...(.seconds(1)))
  }

  @Test(
    "presets of updates change the two capacities and nothing else",
    arguments: [(.standard, 15, 240), (.strict, 4, 60), (.lenient, 60, 1200)]
      as [(UpdateBudgetPlan.Preset, UInt32, UInt32)])
  func updatePresets(preset: UpdateBudgetPlan.Preset, standard: UInt32, frequent: UInt32) {
    var plan = BudgetPlan(update: preset, start: .conservative).update
    #expect(plan.standardCapacity == standard && plan.frequentCapacity == frequent)
    plan.standardCapacity = 15
    plan.frequentCapacity = 240
    #expect(plan == UpdateBudgetPlan())
  }

  @Test("the optimistic preset of starts has a window of an hour and is refilled by opening the app")
  func optimistic() {
    var plan = BudgetPlan(update: .standard, start: .optimistic).start
    #expect(plan.window == .seconds(3600) && plan.refillOnForeground)
    plan.window = .seconds(86_400)
    plan.refillOnForeground = false
    #expect(plan == StartBudgetPlan(.conservative))
  }

  @Test("S112, S114: the level is frequent only with the key in the plist and the person's consent")
  func level() {
    #expect(BudgetLevel(isDeclared: true, isAllowed: true) == .frequent)
    #expect(BudgetLevel(isDeclared: true, isAllowed: false) == .standard)
    #expect(BudgetLevel(isDeclared: false, isAllowed: true) == .standard)
    #expect(BudgetLevel(isDeclared: false, isAllowed: false) == .standard)
  }
}

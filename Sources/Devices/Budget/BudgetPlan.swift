/// The numbers behind every throttle of a phone. Apple publishes none of them, so each is a setting.
package struct BudgetPlan: Hashable, Sendable {
  package var update = UpdateBudgetPlan()
  package var start = StartBudgetPlan()
  package var lowPriority = LowPriorityPlan()
  package var rendering = RenderPlan()

  package init() {}

  package init(update: UpdateBudgetPlan.Preset, start: StartBudgetPlan.Preset) {
    self.update = UpdateBudgetPlan(update)
    self.start = StartBudgetPlan(start)
  }
}

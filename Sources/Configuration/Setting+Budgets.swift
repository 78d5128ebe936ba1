import Devices

extension Setting {
  private static let condition = SettingEvidence.assumed(
    "Apple says that the budget depends on the condition of the device, but not how")

  static let updateBudget: [Setting] = [
    Setting(
      "budgets.update.preset", at: \.updatePreset, as: .ifAny(.word), flag: "budget",
      "How many immediate (priority 10) updates a phone accepts.",
      grounds: .disputed(
        "4, 8 and 15 an hour circulate for standard apps; 240 for frequent ones is from one state dump")
    ).ranked(.preset),
    Setting(
      "budgets.update.scope", at: \.budget.update.scope, as: .word, "What the budget applies to.",
      grounds: .observed("a counter for each activity in a device's state dump (luka-ios pull request 146)")),
    Setting(
      "budgets.update.window", at: \.budget.update.window, as: .duration,
      "Length of the budget window, from its first update.",
      grounds: .documented(
        "hourly, in Apple's article (docs/behavior/budgets.md#updates); assumed: fixed rather than sliding")
    ),
    Setting(
      "budgets.update.standardCapacity", at: \.budget.update.standardCapacity, as: .count(0...1_000_000),
      "Updates in that window.",
      grounds: .disputed(
        "15 according to pushward.app/docs/limits; 4 and 8 also circulate; Apple publishes no number")),
    Setting(
      "budgets.update.frequentCapacity", at: \.budget.update.frequentCapacity, as: .count(0...1_000_000),
      "The same for an app with NSSupportsLiveActivitiesFrequentUpdates, if the person leaves it on.",
      grounds: .disputed(
        "229 to 236 were left at one push per 5 min (luka-ios pull request 146), 240 is inferred from that")),
    Setting(
      "budgets.update.endCost", at: \.budget.update.endCost, as: .count(0...1000),
      "Cost of an end, which is never deferred.",
      grounds: .assumed("one")),
    Setting(
      "budgets.update.overflow", at: \.budget.update.overflow, as: .overflow,
      "What happens beyond the budget: the newest is delivered after a random delay in this range, or all are dropped.",
      grounds: .disputed(
        "updates sent 3 s apart were shown every 30 to 60 s (forum thread 797554); vendors say that they are dropped")),
    Setting(
      "budgets.update.condition.lowPower", at: \.budget.update.shares.lowPower, as: .factor,
      "Share of the budget in Low Power Mode.", grounds: condition),
    Setting(
      "budgets.update.condition.batteryBelow20", at: \.budget.update.shares.batteryBelow20, as: .factor,
      "Share of the budget with less than 20% battery.", grounds: condition),
    Setting(
      "budgets.update.condition.thermalSerious", at: \.budget.update.shares.thermalSerious, as: .factor,
      "Share of the budget if the phone is hot.", grounds: condition),
    Setting(
      "budgets.update.condition.charging", at: \.budget.update.shares.charging, as: .factor,
      "Share of the budget while charging.", grounds: condition),
    Setting(
      "budgets.update.condition.screenOff", at: \.budget.update.shares.screenOff, as: .factor,
      "Share of the budget while the screen is off.",
      grounds: condition),
  ]

  static let startBudget: [Setting] = [
    Setting(
      "budgets.start.preset", at: \.startPreset, as: .ifAny(.word), "Preset of the budget of starts by push.",
      grounds: .disputed(
        "up to 24 h according to an engineer quoted second-hand; hourly, and on use of the app, according to one"
          + " project (Sitrep)")
    ).ranked(.preset),
    Setting(
      "budgets.start.capacity", at: \.budget.start.capacity, as: .count(0...1_000_000),
      "Starts by push in the window.",
      grounds: .observed("about ten, according to an Apple engineer in forum thread 799505")),
    Setting(
      "budgets.start.window", at: \.budget.start.window, as: .duration,
      "Length of the budget window, from its first start.",
      grounds: .disputed(
        "up to 24 h according to an engineer quoted second-hand, about an hour according to one project (Sitrep)")),
    Setting(
      "budgets.start.refillOnForeground", at: \.budget.start.refillOnForeground, as: .truth,
      "Whether opening the app refills it.",
      grounds: .disputed("yes, according to one project (Sitrep)")),
    Setting(
      "budgets.start.decrementWhenExhausted", at: \.budget.start.decrementWhenExhausted, as: .truth,
      "Whether refused starts are charged, so that the budget becomes negative.",
      grounds: .observed("a balance of -5 (hermes-studio pull request 3111)")),
    Setting(
      "budgets.start.lowPowerSuppresses", at: \.budget.start.lowPowerSuppresses, as: .truth,
      "Whether nothing starts by push in Low Power Mode.", grounds: .observed("Sitrep")),
  ]

  private static let late = SettingEvidence.assumed(
    "Apple documents that priority 5 is delivered when it suits the device, but no figures")
  private static let drawing = "TechRadar and iphone-ticker.de, September 2024"

  static let lowPriority: [Setting] = [
    Setting(
      "budgets.lowPriority.screenOn", at: \.budget.lowPriority.screenOn, as: .durations,
      "Delay of priority 5 while the screen is on.", grounds: late),
    Setting(
      "budgets.lowPriority.charging", at: \.budget.lowPriority.charging, as: .durations, "The same while charging.",
      grounds: late),
    Setting(
      "budgets.lowPriority.lowPower", at: \.budget.lowPriority.lowPower, as: .durations,
      "The same in Low Power Mode.", grounds: late),
    Setting(
      "budgets.lowPriority.locked", at: \.budget.lowPriority.locked, as: .durations, "The same on a locked phone.",
      grounds: late),
    Setting(
      "budgets.lowPriority.maxHold", at: \.budget.lowPriority.maxHold, as: .duration, "Maximum delay.", grounds: late),
    Setting(
      "budgets.lowPriority.flushOn", at: \.budget.lowPriority.flushes, as: .flushes,
      "What releases all deferred updates at once.",
      grounds: late),
    Setting(
      "budgets.rendering.from18", at: \.budget.rendering.from18, as: .durations,
      "Minimum time between two drawings of an activity, from iOS 18; one figure per phone.",
      grounds: .observed(drawing)),
    Setting(
      "budgets.rendering.before18", at: \.budget.rendering.before18, as: .durations, "The same before iOS 18.",
      grounds: .observed(drawing)),
  ]
}

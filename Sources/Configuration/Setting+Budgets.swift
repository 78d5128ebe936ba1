import Devices

extension Setting {
  private static let condition = SettingEvidence.assumed(
    "Apple says that the budget depends on the condition of the device, but not how")

  static let updateBudget: [Setting] = [
    Setting(
      "budgets.update.preset", \.updatePreset, .ifAny(.word), flag: "budget",
      "How many immediate (priority 10) updates a phone accepts.",
      .disputed("4, 8 and 15 an hour circulate for standard apps; 240 for frequent ones is from one state dump")
    ).ranked(.preset),
    Setting(
      "budgets.update.scope", \.budget.update.scope, .word, "What the budget applies to.",
      .observed("a counter for each activity in a device's state dump (luka-ios pull request 146)")),
    Setting(
      "budgets.update.window", \.budget.update.window, .duration, "Length of the budget window, from its first update.",
      .documented("hourly, in Apple's article (docs/behavior/budgets.md#updates); assumed: fixed rather than sliding")
    ),
    Setting(
      "budgets.update.standardCapacity", \.budget.update.standardCapacity, .count(0...1_000_000),
      "Updates in that window.",
      .disputed("15 according to pushward.app/docs/limits; 4 and 8 also circulate; Apple publishes no number")),
    Setting(
      "budgets.update.frequentCapacity", \.budget.update.frequentCapacity, .count(0...1_000_000),
      "The same for an app with NSSupportsLiveActivitiesFrequentUpdates, if the person leaves it on.",
      .disputed("229 to 236 were left at one push per 5 min (luka-ios pull request 146), 240 is inferred from that")),
    Setting(
      "budgets.update.endCost", \.budget.update.endCost, .count(0...1000), "Cost of an end, which is never deferred.",
      .assumed("one")),
    Setting(
      "budgets.update.overflow", \.budget.update.overflow, .overflow,
      "What happens beyond the budget: the newest is delivered after a random delay in this range, or all are dropped.",
      .disputed(
        "updates sent 3 s apart were shown every 30 to 60 s (forum thread 797554); vendors say that they are dropped")),
    Setting(
      "budgets.update.condition.lowPower", \.budget.update.shares.lowPower, .factor,
      "Share of the budget in Low Power Mode.", condition),
    Setting(
      "budgets.update.condition.batteryBelow20", \.budget.update.shares.batteryBelow20, .factor,
      "Share of the budget with less than 20% battery.", condition),
    Setting(
      "budgets.update.condition.thermalSerious", \.budget.update.shares.thermalSerious, .factor,
      "Share of the budget if the phone is hot.", condition),
    Setting(
      "budgets.update.condition.charging", \.budget.update.shares.charging, .factor,
      "Share of the budget while charging.", condition),
    Setting(
      "budgets.update.condition.screenOff", \.budget.update.shares.screenOff, .factor,
      "Share of the budget while the screen is off.",
      condition),
  ]

  static let startBudget: [Setting] = [
    Setting(
      "budgets.start.preset", \.startPreset, .ifAny(.word), "Preset of the budget of starts by push.",
      .disputed(
        "up to 24 h according to an engineer quoted second-hand; hourly, and on use of the app, according to one"
          + " project (Sitrep)")
    ).ranked(.preset),
    Setting(
      "budgets.start.capacity", \.budget.start.capacity, .count(0...1_000_000), "Starts by push in the window.",
      .observed("about ten, according to an Apple engineer in forum thread 799505")),
    Setting(
      "budgets.start.window", \.budget.start.window, .duration, "Length of the budget window, from its first start.",
      .disputed(
        "up to 24 h according to an engineer quoted second-hand, about an hour according to one project (Sitrep)")),
    Setting(
      "budgets.start.refillOnForeground", \.budget.start.refillOnForeground, .truth,
      "Whether opening the app refills it.",
      .disputed("yes, according to one project (Sitrep)")),
    Setting(
      "budgets.start.decrementWhenExhausted", \.budget.start.decrementWhenExhausted, .truth,
      "Whether refused starts are charged, so that the budget becomes negative.",
      .observed("a balance of -5 (hermes-studio pull request 3111)")),
    Setting(
      "budgets.start.lowPowerSuppresses", \.budget.start.lowPowerSuppresses, .truth,
      "Whether nothing starts by push in Low Power Mode.", .observed("Sitrep")),
  ]

  private static let late = SettingEvidence.assumed(
    "Apple documents that priority 5 is delivered when it suits the device, but no figures")
  private static let drawing = "TechRadar and iphone-ticker.de, September 2024"

  static let lowPriority: [Setting] = [
    Setting(
      "budgets.lowPriority.screenOn", \.budget.lowPriority.screenOn, .durations,
      "Delay of priority 5 while the screen is on.", late),
    Setting(
      "budgets.lowPriority.charging", \.budget.lowPriority.charging, .durations, "The same while charging.", late),
    Setting(
      "budgets.lowPriority.lowPower", \.budget.lowPriority.lowPower, .durations, "The same in Low Power Mode.", late),
    Setting("budgets.lowPriority.locked", \.budget.lowPriority.locked, .durations, "The same on a locked phone.", late),
    Setting(
      "budgets.lowPriority.maxHold", \.budget.lowPriority.maxHold, .duration, "Maximum delay.", late),
    Setting(
      "budgets.lowPriority.flushOn", \.budget.lowPriority.flushes, .flushes,
      "What releases all deferred updates at once.",
      late),
    Setting(
      "budgets.rendering.from18", \.budget.rendering.from18, .durations,
      "Minimum time between two drawings of an activity, from iOS 18; one figure per phone.", .observed(drawing)),
    Setting(
      "budgets.rendering.before18", \.budget.rendering.before18, .durations, "The same before iOS 18.",
      .observed(drawing)),
  ]
}

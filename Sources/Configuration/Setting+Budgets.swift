import Devices

extension Setting {
  private static let condition = SettingEvidence.assumed(
    "Apple says that the budget depends on the condition of the device, not how")

  static let updateBudget: [Setting] = [
    Setting(
      "budgets.update.preset", \.updatePreset, .ifAny(.word), flag: "budget",
      "How many updates of priority 10 a phone takes at once.",
      .disputed("4, 8 and 15 an hour circulate for standard apps; 240 for frequent ones is read from one state dump"),
      rank: .preset),
    Setting(
      "budgets.update.scope", \.budget.update.scope, .word, "What shares one budget.",
      .observed("a counter for each activity in a device's state dump (luka-ios pull request 146)")),
    Setting(
      "budgets.update.window", \.budget.update.window, .duration, "Length of the budget window, from its first update.",
      .documented("hourly, in Apple's article (docs/behavior/budgets.md#updates); fixed rather than sliding is assumed")
    ),
    Setting(
      "budgets.update.standardCapacity", \.budget.update.standardCapacity, .count(0...1_000_000),
      "Updates in that window.",
      .disputed("15 by pushward.app/docs/limits; 4 and 8 also circulate; Apple publishes none")),
    Setting(
      "budgets.update.frequentCapacity", \.budget.update.frequentCapacity, .count(0...1_000_000),
      "The same for an app with NSSupportsLiveActivitiesFrequentUpdates, where the person leaves that on.",
      .disputed("229 to 236 left at one push per 5 min (luka-ios pull request 146), 240 is read from that")),
    Setting(
      "budgets.update.priority10Cost", \.budget.update.priority10Cost, .count(0...1000), "What priority 10 costs.",
      .documented("it counts (WWDC23 session 10185); one each is assumed")),
    Setting(
      "budgets.update.priority5Cost", \.budget.update.priority5Cost, .count(0...1000), "What priority 5 costs.",
      .documented("it does not count (WWDC23 session 10185)")),
    Setting(
      "budgets.update.endCost", \.budget.update.endCost, .count(0...1000), "What an end costs; it is never held back.",
      .assumed("one")),
    Setting(
      "budgets.update.overflow", \.budget.update.overflow, .overflow,
      "What becomes of the rest: the newest is delivered after a time drawn between the two, or all is dropped.",
      .disputed("3 s apart showed every 30 to 60 s (forum thread 797554); vendors say dropped")),
    Setting(
      "budgets.update.condition.lowPower", \.budget.update.shares.lowPower, .factor, "Share left in Low Power Mode.",
      condition),
    Setting(
      "budgets.update.condition.batteryBelow20", \.budget.update.shares.batteryBelow20, .factor,
      "Share left below 20% of battery.", condition),
    Setting(
      "budgets.update.condition.thermalSerious", \.budget.update.shares.thermalSerious, .factor,
      "Share left when the phone is hot.", condition),
    Setting(
      "budgets.update.condition.charging", \.budget.update.shares.charging, .factor, "Share left on power.", condition),
    Setting(
      "budgets.update.condition.screenOff", \.budget.update.shares.screenOff, .factor, "Share while the screen is off.",
      condition),
  ]

  static let startBudget: [Setting] = [
    Setting(
      "budgets.start.preset", \.startPreset, .ifAny(.word), "How soon starts by push are possible again.",
      .disputed("up to 24 h by an engineer quoted second hand; hourly, and on use of the app, by one project (Sitrep)"),
      rank: .preset),
    Setting(
      "budgets.start.capacity", \.budget.start.capacity, .count(0...1_000_000), "Starts by push in the window.",
      .observed("about ten, an Apple engineer in forum thread 799505")),
    Setting(
      "budgets.start.window", \.budget.start.window, .duration, "Length of the budget window, from its first start.",
      .disputed("up to 24 h by an engineer quoted second hand, about an hour by one project (Sitrep)")),
    Setting(
      "budgets.start.refillOnForeground", \.budget.start.refillOnForeground, .truth,
      "Whether opening the app fills it.",
      .disputed("yes by one project (Sitrep)")),
    Setting(
      "budgets.start.decrementWhenExhausted", \.budget.start.decrementWhenExhausted, .truth,
      "Whether refused starts run up a debt.", .observed("a balance of -5 (hermes-studio pull request 3111)")),
    Setting(
      "budgets.start.lowPowerSuppresses", \.budget.start.lowPowerSuppresses, .truth,
      "Whether nothing starts by push in Low Power Mode.", .observed("Sitrep")),
  ]

  private static let late = SettingEvidence.assumed(
    "documented is only that priority 5 waits until it suits the device")
  private static let drawing = "TechRadar and iphone-ticker.de, September 2024"

  static let lowPriority: [Setting] = [
    Setting(
      "budgets.lowPriority.screenOn", \.budget.lowPriority.screenOn, .durations,
      "How late priority 5 is while the screen is on.", late),
    Setting(
      "budgets.lowPriority.charging", \.budget.lowPriority.charging, .durations, "The same while charging.", late),
    Setting(
      "budgets.lowPriority.lowPower", \.budget.lowPriority.lowPower, .durations, "The same in Low Power Mode.", late),
    Setting("budgets.lowPriority.locked", \.budget.lowPriority.locked, .durations, "The same on a locked phone.", late),
    Setting(
      "budgets.lowPriority.maxHold", \.budget.lowPriority.maxHold, .duration, "Longest that anything is held.", late),
    Setting(
      "budgets.lowPriority.flushOn", \.budget.lowPriority.flushes, .flushes, "What brings in at once whatever is held.",
      late),
    Setting(
      "budgets.rendering.from18", \.budget.rendering.from18, .durations,
      "Least time between two drawings of an activity, from iOS 18 on; each phone has one figure.", .observed(drawing)),
    Setting(
      "budgets.rendering.before18", \.budget.rendering.before18, .durations, "The same before iOS 18.",
      .observed(drawing)),
  ]
}

import Devices
import Simulation

extension Setting {
  private static let assumedShare = SettingEvidence.assumed(
    "from what vendors publish of opt-in rates and the age of phones in late 2026")

  static let fleet: [Setting] = [
    Setting(
      "fleet.devices", at: \.devices, as: .count(1...Int(FleetPlan.mostDevices)),
      flag: .init("fleet", environment: "PUSHPIT_FLEET"),
      "Number of virtual iPhones."),
    Setting(
      "fleet.seed", at: \.seed, as: .seed, flag: .init("seed", environment: "PUSHPIT_SEED"),
      "Seed of all random draws: the same seed gives the same tokens after a restart."),
    Setting(
      "fleet.cell", at: \.cell, as: .optional("whole", or: .cell), flag: .init("cell", environment: "PUSHPIT_CELL"),
      "The part of the fleet in this process, such as 3/16: cell 3 of 16, which has every 16th partition. The other"
        + " cells are processes with the same settings."),
    Setting(
      "fleet.os", at: \.mix, as: .mix, flag: "os",
      "Versions of iOS with their shares of the fleet, such as 18.5:20,26.1:45,27.0:35.", grounds: assumedShare),
    Setting(
      "fleet.runningActivities", at: \.runningActivities, as: .ifAny(.whole(0...FleetPlan.mostActivities)),
      flag: "running-activities",
      "Live Activities that run on every install of an app with a type; overrides the apps' own numbers."),
    Setting(
      "fleet.language", at: \.phones.language, as: .language, "Language of all phones, for `loc-key`; such as de-AT."),
    Setting(
      "fleet.ideal", at: \.isIdeal, as: .truth, flag: "ideal",
      "Phones on which nothing hinders a push: sets all shares of fleet.mix but twoPhones to the best value."
    ).ranked(.preset),
    Setting(
      "forTests", at: \.isForTests, as: .truth, flag: .init("for-tests", environment: "PUSHPIT_FOR_TESTS"),
      "Every push is visible at once: sets fleet.ideal, timing.immediate, prompt.policy never, lenient budgets (60"
        + " updates of an activity per hour with priority 10), no spacing of drawings, no delay of priority 5, and a"
        + " wake for every background push."
    ).ranked(.wholePreset),
    Setting(
      "fleet.memoryPerDevice", at: \.policy.memory, as: .whole(16_384...1_073_741_824),
      "Maximum number of bytes that a device keeps of what pushes brought. Beyond it, the oldest notifications are"
        + " dropped, with an event."),
    Setting(
      "fleet.memory", at: \.policy.fleetMemory, as: .whole(4_194_304...1_099_511_627_776),
      "Maximum number of bytes that all devices together keep of what pushes brought. Each 256th of the fleet has a"
        + " 256th of it, at least fleet.memoryPerDevice. Beyond it, notifications and contents of ended activities are"
        + " dropped on one of its devices after another, with events. Running activities keep their content."
    ),
    Setting(
      "clock", at: \.startsManual, as: .choice(["wall": false, "manual": true]),
      flag: .init("clock", environment: "PUSHPIT_CLOCK"),
      "Whether the world's clock runs, or is stopped until POST /v1/clock advances it."),
    Setting(
      "fleet.begins", at: \.begins, as: .optional("now", or: .whole(0...4_102_444_800)),
      "Start time of a manual clock, in seconds since 1970. With it and the seed, the same pushes give the same events."
    ),
    Setting(
      "audit", at: \.audits, as: .truth, flag: "audit",
      "Audits the backend for mistakes that cost it pushes: `GET /v1/findings`."),
    Setting(
      "ledger.pushes", at: \.pushLogEntries, as: .whole(1...PushLog.mostPushes),
      flag: .init("ledger", environment: "PUSHPIT_LEDGER"),
      "Number of pushes in the ledger."),
  ]

  static let mix: [Setting] = [
    Setting(
      "fleet.mix.island", at: \.phones.island, as: .share, "Phones with a Dynamic Island.", grounds: assumedShare),
    Setting(
      "fleet.mix.watch", at: \.phones.watch, as: .share, "Phones with a paired Apple Watch.", grounds: assumedShare),
    Setting(
      "fleet.mix.liveActivities", at: \.phones.liveActivities, as: .share, "Apps whose Live Activities are allowed.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.frequentUpdates", at: \.phones.frequentUpdates, as: .share,
      "Apps with \"More Frequent Updates\" left on.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.backgroundRefresh", at: \.phones.backgroundRefresh, as: .share,
      "Apps with Background App Refresh left on.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.forceQuit", at: \.phones.forceQuit, as: .share, "Apps that the person has force-quit.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.offline", at: \.phones.offline, as: .share, "Phones that are offline when the world begins.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.lowPower", at: \.phones.lowPower, as: .share, "Phones in Low Power Mode.", grounds: assumedShare),
    Setting(
      "fleet.mix.twoPhones", at: \.phones.twoPhones, as: .share,
      "People with two phones of the fleet. The second phone has the next number, which is odd; both have the same"
        + " `user.id`.",
      grounds: assumedShare),
    Setting(
      "fleet.mix.authorized", at: \.phones.authorized, as: .share,
      "Apps that may notify. The remainder (100% minus the next two) is notDetermined.", grounds: assumedShare),
    Setting(
      "fleet.mix.provisional", at: \.phones.provisional, as: .share, "Apps that may notify quietly, provisionally.",
      grounds: assumedShare),
    Setting("fleet.mix.denied", at: \.phones.denied, as: .share, "Apps that may not notify.", grounds: assumedShare),
  ]
}

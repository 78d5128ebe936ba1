import Devices
import Simulation

extension Setting {
  private static let assumedShare = SettingEvidence.assumed(
    "from what vendors publish of opt-in rates and the age of phones in late 2026")

  static let fleet: [Setting] = [
    Setting(
      "fleet.devices", \.devices, .count(1...Int(FleetPlan.mostDevices)),
      flag: .init("fleet", environment: "PUSHPIT_FLEET"),
      "Number of virtual iPhones."),
    Setting(
      "fleet.seed", \.seed, .seed, flag: .init("seed", environment: "PUSHPIT_SEED"),
      "Seed of all random draws: the same seed gives the same tokens after a restart."),
    Setting(
      "fleet.cell", \.cell, .optional("whole", or: .cell), flag: .init("cell", environment: "PUSHPIT_CELL"),
      "The part of the fleet in this process, such as 3/16: cell 3 of 16, which has every 16th partition. The other"
        + " cells are processes with the same settings."),
    Setting(
      "fleet.os", \.mix, .mix, flag: "os",
      "Versions of iOS with their shares of the fleet, such as 18.5:20,26.1:45,27.0:35.", assumedShare),
    Setting(
      "fleet.runningActivities", \.runningActivities, .ifAny(.whole(0...FleetPlan.mostActivities)),
      flag: "running-activities",
      "Live Activities that run on every install of an app with a type; overrides the apps' own numbers."),
    Setting("fleet.language", \.phones.language, .language, "Language of all phones, for `loc-key`; such as de-AT."),
    Setting(
      "fleet.ideal", \.isIdeal, .truth, flag: "ideal",
      "Phones on which nothing hinders a push: sets all shares of fleet.mix to the best value."
    ).ranked(.preset),
    Setting(
      "forTests", \.isForTests, .truth, flag: .init("for-tests", environment: "PUSHPIT_FOR_TESTS"),
      "Every push is visible at once: sets fleet.ideal, timing.immediate, prompt.policy never, lenient budgets (60"
        + " updates of an activity per hour with priority 10), no spacing of drawings, no delay of priority 5, and a"
        + " wake for every background push."
    ).ranked(.wholePreset),
    Setting(
      "fleet.memoryPerDevice", \.policy.memory, .whole(16_384...1_073_741_824),
      "Maximum number of bytes that a device keeps of what pushes brought. Beyond it, the oldest notifications are"
        + " dropped, with an event."),
    Setting(
      "fleet.memory", \.policy.fleetMemory, .whole(4_194_304...1_099_511_627_776),
      "Maximum number of bytes that all devices together keep of what pushes brought. Each 256th of the fleet has a"
        + " 256th of it, at least fleet.memoryPerDevice. Beyond it, notifications and contents of ended activities are"
        + " dropped on one of its devices after another, with events. Running activities keep their content."
    ),
    Setting(
      "clock", \.startsManual, .choice(["wall": false, "manual": true]),
      flag: .init("clock", environment: "PUSHPIT_CLOCK"),
      "Whether the world's clock runs, or is stopped until POST /v1/clock advances it."),
    Setting(
      "fleet.begins", \.begins, .optional("now", or: .whole(0...4_102_444_800)),
      "Start time of a manual clock, in seconds since 1970. With it and the seed, the same pushes give the same events."
    ),
    Setting(
      "audit", \.audits, .truth, flag: "audit",
      "Audits the backend for mistakes that cost it pushes: `GET /v1/findings`."),
    Setting(
      "ledger.pushes", \.pushLogEntries, .whole(1...PushLog.mostPushes),
      flag: .init("ledger", environment: "PUSHPIT_LEDGER"),
      "Number of pushes in the ledger."),
  ]

  static let mix: [Setting] = [
    Setting("fleet.mix.island", \.phones.island, .share, "Phones with a Dynamic Island.", assumedShare),
    Setting("fleet.mix.watch", \.phones.watch, .share, "Phones with a paired Apple Watch.", assumedShare),
    Setting(
      "fleet.mix.liveActivities", \.phones.liveActivities, .share, "Apps whose Live Activities are allowed.",
      assumedShare),
    Setting(
      "fleet.mix.frequentUpdates", \.phones.frequentUpdates, .share, "Apps with \"More Frequent Updates\" left on.",
      assumedShare),
    Setting(
      "fleet.mix.backgroundRefresh", \.phones.backgroundRefresh, .share, "Apps with Background App Refresh left on.",
      assumedShare),
    Setting(
      "fleet.mix.forceQuit", \.phones.forceQuit, .share, "Apps that the person has force-quit.",
      assumedShare),
    Setting(
      "fleet.mix.offline", \.phones.offline, .share, "Phones that are offline when the world begins.", assumedShare),
    Setting("fleet.mix.lowPower", \.phones.lowPower, .share, "Phones in Low Power Mode.", assumedShare),
    Setting(
      "fleet.mix.authorized", \.phones.authorized, .share,
      "Apps that may notify. The remainder (100% minus the next two) is notDetermined.", assumedShare),
    Setting(
      "fleet.mix.provisional", \.phones.provisional, .share, "Apps that may notify quietly, provisionally.",
      assumedShare),
    Setting("fleet.mix.denied", \.phones.denied, .share, "Apps that may not notify.", assumedShare),
  ]
}

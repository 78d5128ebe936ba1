import Devices
import Simulation

extension Setting {
  private static let assumedShare = SettingEvidence.assumed(
    "from what vendors publish of opt-in rates and the age of phones in late 2026")

  static let fleet: [Setting] = [
    Setting(
      "fleet.devices", \.devices, .count(1...Int(FleetPlan.mostDevices)), flag: "fleet", environment: "PUSHPIT_FLEET",
      "How many virtual iPhones there are."),
    Setting(
      "fleet.seed", \.seed, .seed, flag: "seed", environment: "PUSHPIT_SEED",
      "Everything drawn follows from it: the same seed gives the same tokens after a restart."),
    Setting(
      "fleet.os", \.mix, .mix, flag: "os",
      "Versions of iOS and their shares of the fleet, such as 17.6:10,18.5:35,26.1:55.", assumedShare),
    Setting(
      "fleet.runningActivities", \.runningActivities, .ifAny(.whole(0...FleetPlan.mostActivities)),
      flag: "running-activities",
      "Live Activities running on every install of an app that has a type; without it, as each app says."),
    Setting("fleet.language", \.phones.language, .language, "Language of all phones, for `loc-key`; such as de-AT."),
    Setting(
      "fleet.ideal", \.isIdeal, .truth, flag: "ideal",
      "Phones on which nothing stands in a push's way: all shares of fleet.mix to the best.", rank: .preset),
    Setting(
      "forTests", \.isForTests, .truth, flag: "for-tests", environment: "PUSHPIT_FOR_TESTS",
      "Every push is visible at once: fleet.ideal, timing.immediate, prompt.policy never, lenient budgets, no spacing"
        + " of drawings, no delay of priority 5, and every background push wakes its app.", rank: .wholePreset),
    Setting(
      "fleet.memoryPerDevice", \.policy.memory, .whole(16_384...1_073_741_824),
      "Bytes that a device keeps of what pushes brought; beyond, its oldest notifications give way, and say so."),
    Setting(
      "fleet.memory", \.policy.fleetMemory, .whole(4_194_304...1_099_511_627_776),
      "Bytes that all devices together keep of what pushes brought. Each 256th of the fleet has a 256th of them, and"
        + " fleet.memoryPerDevice at least; beyond, notifications and contents of activities that are over give way on"
        + " one of its devices after another, and say so. What a running activity shows never gives way."),
    Setting(
      "clock", \.startsManual, .choice(["wall": false, "manual": true]), flag: "clock", environment: "PUSHPIT_CLOCK",
      "Whether the world's clock runs, or stands until POST /v1/clock advances it."),
    Setting(
      "fleet.begins", \.begins, .optional("now", or: .whole(0...4_102_444_800)),
      "Where a manual clock begins, in seconds since 1970: with the seed, the same pushes then give the same events."),
    Setting(
      "audit", \.audits, .truth, flag: "audit",
      "Watches what the backend does for mistakes that cost it pushes: `GET /v1/findings`."),
    Setting(
      "ledger.pushes", \.pushLogEntries, .whole(1...PushLog.mostPushes), flag: "ledger", environment: "PUSHPIT_LEDGER",
      "How many pushes are remembered."),
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
      "fleet.mix.forceQuit", \.phones.forceQuit, .share, "Apps swiped out of the app switcher by their owner.",
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

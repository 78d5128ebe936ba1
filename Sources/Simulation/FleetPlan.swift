import Devices

/// What a fleet is made of: how many devices, which apps, which versions of iOS.
package struct FleetPlan: Hashable, Sendable {
  /// A version of iOS and how many of a hundred parts of the fleet run it.
  package struct Share: Hashable, Sendable {
    package let os: OSVersion
    package let parts: UInt64

    package init(_ os: OSVersion, parts: UInt64) {
      self.os = os
      self.parts = parts
    }
  }

  package let devices: UInt32
  package let seed: UInt64
  package let apps: [AppProfile]
  package let mix: [Share]
  package let phones: PhoneMix
  package let habits: Habits
  package let budget: BudgetPlan
  package let store: PushStore.Plan
  package let reports: ReportDesk.Plan

  /// Assumed: shares of iOS versions in a fleet of late 2026.
  package static let standardMix = [
    Share(OSVersion(16, 7), parts: 3), Share(OSVersion(17, 1), parts: 2), Share(OSVersion(17, 6), parts: 10),
    Share(OSVersion(18, 5), parts: 35), Share(OSVersion(26, 1), parts: 50),
  ]

  /// Two apps of one team, one built for each environment.
  package static let standardApps = [
    AppProfile(
      bundleID: "com.example.app", teamID: standardTeam, build: .sandbox, attributesTypes: ["MatchAttributes"]),
    AppProfile(
      bundleID: "com.example.store", teamID: standardTeam, build: .production, attributesTypes: ["MatchAttributes"]),
  ]

  package static let standardTeam = "PUSHPIT001"
  /// Most devices in a fleet; a table of four bytes for each is held once the first is touched.
  package static let mostDevices: UInt32 = 10_000_000
  package static let mostApps = 64
  package static let mostActivities = 16

  package init(
    devices: UInt32, seed: UInt64, apps: [AppProfile] = standardApps, mix: [Share] = standardMix,
    phones: PhoneMix = PhoneMix(), habits: Habits = Habits(), budget: BudgetPlan = BudgetPlan(),
    store: PushStore.Plan = PushStore.Plan(), reports: ReportDesk.Plan = ReportDesk.Plan()
  ) {
    self.phones = phones
    self.habits = habits
    self.budget = budget
    self.store = store
    self.reports = reports
    self.devices = devices
    self.seed = seed
    self.apps = apps
    self.mix = mix
  }

  /// Whether any install has activities from the beginning.
  var hasRunningActivities: Bool { apps.contains { $0.runningActivities > 0 && !$0.types.isEmpty } }
}

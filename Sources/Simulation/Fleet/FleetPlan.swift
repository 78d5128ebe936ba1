import APNs
import Devices

/// The composition of a fleet: number of devices, apps, versions of iOS.
package struct FleetPlan: Hashable, Sendable {
  /// A version of iOS and its percentage of the fleet.
  package struct VersionShare: Hashable, Sendable {
    package let os: OSVersion
    package let parts: UInt64

    package init(_ os: OSVersion, parts: UInt64) {
      self.os = os
      self.parts = parts
    }
  }

  package var devices: UInt32
  package var seed: UInt64
  package let apps: [AppProfile]
  package let mix: [VersionShare]
  package let phones: PhoneMix
  package let policy: DevicePolicy
  package var budget = BudgetPlan()
  package var store = PushStore.Plan()
  package var reports = ReportRegistry.Plan()
  /// The part of the fleet in this process; nil for the whole fleet.
  package var cell: Cell?

  /// Assumed: shares of iOS versions in a fleet of November 2026, two months after iOS 27.0
  /// (docs/behavior/phones.md#versions-of-ios).
  package static let standardMix = [
    VersionShare(OSVersion(16, 7), parts: 2), VersionShare(OSVersion(17, 1), parts: 1),
    VersionShare(OSVersion(17, 6), parts: 5), VersionShare(OSVersion(18, 5), parts: 17),
    VersionShare(OSVersion(26, 1), parts: 40), VersionShare(OSVersion(27, 0), parts: 25),
    VersionShare(OSVersion(27, 1), parts: 10),
  ]

  /// Two apps of one team, one built for each environment.
  package static let standardApps = [
    AppProfile(
      bundleID: "com.example.app", teamID: standardTeam, build: .sandbox, attributesTypes: ["MatchAttributes"]),
    AppProfile(
      bundleID: "com.example.store", teamID: standardTeam, build: .production, attributesTypes: ["MatchAttributes"]),
  ]

  package static let standardTeam = "PUSHPIT001"
  /// Maximum number of devices. Once the first device is touched, a table of four bytes per device is allocated; in a
  /// cell, for its own devices.
  package static let mostDevices: UInt32 = 100_000_000
  package static let mostApps = 64
  package static let mostActivities = 16

  package init(
    devices: UInt32, seed: UInt64, apps: [AppProfile] = standardApps, mix: [VersionShare] = standardMix,
    phones: PhoneMix = PhoneMix(), policy: DevicePolicy = DevicePolicy()
  ) {
    self.devices = devices
    self.seed = seed
    self.apps = apps
    self.mix = mix
    self.phones = phones
    self.policy = policy
  }

  /// Number of devices in this process.
  package var ownDevices: UInt32 { cell?.share(of: devices) ?? devices }

  /// True if any install has activities when the world begins.
  var hasRunningActivities: Bool { apps.contains { $0.runningActivities > 0 && !$0.types.isEmpty } }
}

import APNs
import Devices
import Reporting
import Simulation

/// The complete configuration of a server.
public struct Settings: Sendable {
  package var host = "127.0.0.1"
  package var sandboxPort: UInt16 = 2197
  package var productionPort: UInt16 = 2198
  /// Documented: 2195 and 2196 for channel management ("Sending channel management requests to APNs").
  package var channelsPort: UInt16 = 2195
  package var productionChannelsPort: UInt16 = 2196
  package var adminPort: UInt16 = 2190
  /// Folder for certificates and keys; nil for the user's state folder.
  package var state: String?
  /// Names of the certificate, in addition to localhost and Apple's.
  package var certificateNames: [String] = []

  package var devices: UInt32 = 1000
  package var seed: UInt64 = 1
  package var apps: [FleetApp] = FleetPlan.standardApps.map { FleetApp(profile: $0) }
  package var mix: [FleetPlan.VersionShare] = FleetPlan.standardMix
  /// Number of activities on every install of an app with a type; nil for the apps' own numbers.
  package var runningActivities: Int?

  package var keys: [KeySetting] = []
  package var startsManual = false
  /// Start time of a stopped clock, in seconds since 1970; nil for the machine's time.
  package var begins: Int?
  package var pushLogEntries = 10_000
  package var audits = false
  package var rulebook = Rulebook()
  package var phones = PhoneMix()
  package var channelRules = ChannelRulebook()
  package var policy = DevicePolicy()
  package var budget = BudgetPlan()
  package var store = PushStore.Plan()
  /// URL of the apps' backend; a profile's own backend overrides it.
  package var backend: String?
  package var reports = ReportRegistry.Plan()
  public var calls = CallSettings()
  public var wire = WireSettings()

  /// The texts they were made from, if known; stored on a tape.
  package var origin: SettingSources?

  public init() {}

  package var plan: FleetPlan {
    FleetPlan(
      devices: devices, seed: seed,
      apps: apps.map(\.profile).map { app in
        var profile = AppProfile(
          bundleID: app.bundleID, teamID: app.teamID, build: app.build, types: app.types,
          services: app.services,
          runningActivities: app.attributesTypes.isEmpty ? 0 : runningActivities ?? app.runningActivities,
          tokenSizes: app.tokenSizes)
        profile.traits = app.traits
        return profile
      }, mix: mix, phones: phones, policy: policy, budget: budget, store: store, reports: reportPlan)
  }
}

extension Settings {
  /// Lets the system choose every port that is not set.
  package mutating func choosePorts() {
    let usual = Settings()
    if sandboxPort == usual.sandboxPort { sandboxPort = 0 }
    if productionPort == usual.productionPort { productionPort = 0 }
    if channelsPort == usual.channelsPort { channelsPort = 0 }
    if productionChannelsPort == usual.productionChannelsPort { productionChannelsPort = 0 }
    if adminPort == usual.adminPort { adminPort = 0 }
  }

  private var reportPlan: ReportRegistry.Plan {
    var plan = reports
    plan.apps = apps.map { app in
      var reports = app.reports
      if let backend, reports?.backend.isEmpty ?? false { reports?.backend = backend }
      return reports
    }
    return plan
  }
}

/// A provider key in the configuration.
package struct KeySetting: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// A private key; its public half is used, and `pushpit send` can sign with it.
    case p8(String)
    /// A public key in PEM.
    case publicKey(String)
    /// One of the two, depending on the file.
    case pem(String)
  }

  package let key: ProviderKey
  package let source: Source
  /// Its place, for messages.
  package let place: String

  package init(key: ProviderKey, source: Source, place: String) {
    self.key = key
    self.source = source
    self.place = place
  }

  /// The word for the environments of a key.
  package static func word(_ environments: Set<Environment>) -> String {
    environments.count > 1 ? "both" : environments.first?.rawValue ?? "none"
  }
}

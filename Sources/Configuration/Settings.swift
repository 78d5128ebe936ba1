import APNs
import Devices
import Reporting
import Simulation
import Transport

/// Everything a server is told before it starts.
public struct Settings: Sendable {
  package var host = "127.0.0.1"
  package var sandboxPort: UInt16 = 2197
  package var productionPort: UInt16 = 2198
  /// Documented: 2195 and 2196 for channel management ("Sending channel management requests to APNs").
  package var channelsPort: UInt16 = 2195
  package var productionChannelsPort: UInt16 = 2196
  package var adminPort: UInt16 = 2190
  /// Where certificates and keys are kept; nil for the user's state folder.
  package var state: String?
  /// Names beside localhost and Apple's that the certificate is to be good for.
  package var certificateNames: [String] = []

  package var devices: UInt32 = 1000
  package var seed: UInt64 = 1
  package var apps: [FleetApp] = FleetPlan.standardApps.map { FleetApp(profile: $0) }
  package var mix: [FleetPlan.VersionShare] = FleetPlan.standardMix
  /// Activities on every install, for all apps that have any type; nil leaves it to the apps.
  package var runningActivities: Int?

  package var keys: [KeySetting] = []
  package var startsManual = false
  /// Where a clock that stands begins, in seconds since 1970; nil for the machine's time.
  package var begins: Int?
  package var pushLogEntries = 10_000
  package var audits = false
  package var rulebook = Rulebook()
  package var phones = PhoneMix()
  package var channelRules = ChannelRulebook()
  package var policy = DevicePolicy()
  package var budget = BudgetPlan()
  package var store = PushStore.Plan()
  /// Where the apps' backends are; a profile's own word wins.
  package var backend: String?
  package var reports = ReportRegistry.Plan()
  package var calls = AppCallerOptions()
  /// Nil for one per core.
  package var loops: Int?
  package var transport = TransportOptions()
  package var drainTime: Duration = .seconds(10)
  /// MAX_CONCURRENT_STREAMS after the first request whose provider token passes.
  ///
  /// Observed: 1000, sent before that request's answer (a curl trace of 2022).
  package var authorisedStreams = 1000

  /// What they were made from, where that is known; a tape carries it.
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
  /// Leaves every port that nobody has set to the system.
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

/// A provider key as the configuration names it.
package struct KeySetting: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// A private key; its public half is taken, and `pushpit send` may sign with it.
    case p8(String)
    /// A public key in PEM.
    case publicKey(String)
    /// One of the two; the file tells.
    case pem(String)
  }

  package let key: ProviderKey
  package let source: Source
  /// Where it was written, for messages.
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

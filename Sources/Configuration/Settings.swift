import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// The complete configuration of a server.
///
/// The most common settings are properties. Every setting in `docs/settings.md` can be set by its key with
/// ``set(_:to:)``, or in YAML with ``init(yaml:named:)``.
public struct Settings: Sendable {
  /// Address to listen on. The admin API has no password, so do not use a public address.
  public var host = "127.0.0.1"
  /// Address of production's two listeners; nil: `host`.
  public var productionHost: String?
  /// True if the admin API returns private keys to everyone who can reach it.
  public var sharesKeys = false
  /// Port of the sandbox (api.sandbox.push.apple.com:2197 at Apple). For each port, 0 means any free port.
  public var sandboxPort: UInt16 = 2197
  /// Port of production (api.push.apple.com at Apple).
  public var productionPort: UInt16 = 2198
  /// Port of the channel management of the sandbox.
  ///
  /// Documented: 2195 and 2196 for channel management ("Sending channel management requests to APNs").
  public var channelsPort: UInt16 = 2195
  /// Port of the channel management of production.
  public var productionChannelsPort: UInt16 = 2196
  /// Port of the admin API (plain HTTP).
  public var adminPort: UInt16 = 2190
  /// The address at which load balancers that end TLS reach the sandbox, with HTTP/2 by prior knowledge; nil: nowhere.
  /// Load balancers report the identity of each client, so nobody else may reach this address.
  public var relay: RelayAddress?
  /// Folder for certificates and keys; nil for the user's state folder.
  public var state: String?
  /// Names of the certificate, in addition to localhost and Apple's.
  public var certificateNames: [String] = []

  /// Number of virtual iPhones.
  public var devices: UInt32 = 1000
  /// Seed of all random values: the same seed gives the same tokens after a restart.
  public var seed: UInt64 = 1
  package var cell: Cell?
  package var apps: [FleetApp] = FleetPlan.standardApps.map { FleetApp(profile: $0) }
  package var mix: [FleetPlan.VersionShare] = FleetPlan.standardMix
  /// Number of activities on every install of an app with a type; nil for the apps' own numbers.
  public var runningActivities: Int?

  package var keys: [KeySetting] = []
  /// True if the world's clock is stopped until the admin API advances it.
  public var startsManual = false
  /// Start time of a stopped clock, in seconds since 1970; nil for the machine's time.
  public var begins: Int?
  /// Number of pushes in the push log.
  public var pushLogEntries = 10_000
  /// True if the server looks for the backend's mistakes that cost it pushes (`GET /v1/findings`).
  public var audits = false
  package var rulebook = Rulebook()
  package var phones = PhoneMix()
  package var channelRules = ChannelRulebook()
  package var policy = DevicePolicy()
  package var budget = BudgetPlan()
  package var store = PushStore.Plan()
  /// URL of the apps' backend; a profile's own backend overrides it.
  public var backend: String?
  package var reports = ReportRegistry.Plan()
  /// Limits of the apps' calls to their backends.
  public var calls = CallSettings()
  /// Limits of the connections of providers.
  public var wire = WireSettings()

  /// The texts they were made from, if known; stored on a tape.
  package var origin: SettingSources?

  public init() {}

  /// Reads settings in YAML, in the format of `--config`.
  ///
  /// - Parameter name: the name of the text for messages, such as the path of its file.
  public init(yaml text: String, named name: String = "settings") throws(InputProblem) {
    var sources = SettingSources(flags: [], apps: [], profiles: [], keys: [])
    sources.config = .init(name: name, value: text)
    try self.init(sources)
  }

  /// Sets a setting by its key, such as `fleet.mix.offline`, to a value as in YAML, such as `5%`.
  public mutating func set(_ key: String, to value: String) throws(InputProblem) {
    guard let setting = Setting.named(key) else { throw Setting.unknown(key, at: "") }
    try setting.set(value, in: &self, place: "")
  }

  package var plan: FleetPlan {
    var policy = policy
    policy.wakes.patience = store.retention
    var plan = FleetPlan(
      devices: devices, seed: seed,
      apps: apps.map(\.profile).map { app in
        var profile = app
        profile.runningActivities = app.attributesTypes.isEmpty ? 0 : runningActivities ?? app.runningActivities
        return profile
      }, mix: mix, phones: phones, policy: policy)
    plan.budget = budget
    plan.store = store
    plan.reports = reportPlan
    plan.cell = cell
    return plan
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
    /// A private or a public key, depending on the file.
    case pem(String)
    /// The server makes a private key.
    case generated
  }

  package let key: ProviderKey
  package let source: Source
  /// The place of the setting in the configuration, for messages.
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

import APNs
import Devices
import Grammar
import Reporting
import Simulation

/// Everything a server is told before it starts.
///
/// What is set most often is a property. Everything in `docs/settings.md` can be set by its key with ``set(_:to:)``, or
/// in YAML with ``init(yaml:named:)``.
public struct Settings: Sendable {
  /// Address to listen on. The admin API has no password: think before you leave loopback.
  public var host = "127.0.0.1"
  /// Port of the sandbox, as api.sandbox.push.apple.com:2197. For each port, 0 is any free one.
  public var sandboxPort: UInt16 = 2197
  /// Port of production, as api.push.apple.com.
  public var productionPort: UInt16 = 2198
  /// Port of the sandbox's channel management.
  ///
  /// Documented: 2195 and 2196 for channel management ("Sending channel management requests to APNs").
  public var channelsPort: UInt16 = 2195
  /// Port of production's channel management.
  public var productionChannelsPort: UInt16 = 2196
  /// Port of the admin API (plain HTTP).
  public var adminPort: UInt16 = 2190
  /// Where certificates and keys are kept; nil for the user's state folder.
  public var state: String?
  /// Names beside localhost and Apple's that the certificate is to be good for.
  public var certificateNames: [String] = []

  /// How many virtual iPhones there are.
  public var devices: UInt32 = 1000
  /// Everything drawn follows from it: the same seed gives the same tokens after a restart.
  public var seed: UInt64 = 1
  package var apps: [FleetApp] = FleetPlan.standardApps.map { FleetApp(profile: $0) }
  package var mix: [FleetPlan.VersionShare] = FleetPlan.standardMix
  /// Live Activities that run on every install of an app that has a type; nil for as many as each app says.
  public var runningActivities: Int?

  package var keys: [KeySetting] = []
  /// Whether the world's clock stands until the admin API advances it.
  public var startsManual = false
  /// Where a clock that stands begins, in seconds since 1970; nil for the machine's time.
  public var begins: Int?
  /// How many pushes are remembered.
  public var pushLogEntries = 10_000
  /// Whether the backend is watched for mistakes that cost it pushes (`GET /v1/findings`).
  public var audits = false
  package var rulebook = Rulebook()
  package var phones = PhoneMix()
  package var channelRules = ChannelRulebook()
  package var policy = DevicePolicy()
  package var budget = BudgetPlan()
  package var store = PushStore.Plan()
  /// The backend that apps with a profile call; the address in an app's own profile overrides it.
  public var backend: String?
  package var reports = ReportRegistry.Plan()
  /// Bounds on the calls that apps make to their backends.
  public var calls = CallSettings()
  /// Bounds on the connections of providers.
  public var wire = WireSettings()

  /// What they were made from, where that is known; a tape carries it.
  package var origin: SettingSources?

  public init() {}

  /// Reads settings in YAML, as `--config` takes them.
  ///
  /// - Parameter name: what the text is called in messages, such as the path of its file.
  public init(yaml text: String, named name: String = "settings") throws(InputProblem) {
    var sources = SettingSources(flags: [], apps: [], profiles: [], keys: [])
    sources.config = .init(name: name, value: text)
    try self.init(sources)
  }

  /// Sets something by its key, such as `fleet.mix.offline`, to a value as it stands in YAML, such as `5%`.
  public mutating func set(_ key: String, to value: String) throws(InputProblem) {
    guard let setting = Setting.named(key) else { throw InputProblem("", Setting.unknown(key)) }
    try setting.set(value, in: &self, place: "")
  }

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

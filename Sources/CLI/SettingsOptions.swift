import ArgumentParser
import Configuration
import Grammar

/// The settings of a server as flags: the same that a YAML file may hold, by the table of `Setting`.
struct SettingsOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("YAML file of settings; also PUSHPIT_CONFIG.", valueName: "file"))
  var config: String?

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "App of the fleet, in place of the standard ones; may be repeated.",
      valueName: "bundle[:environment[:Type,…]]"))
  var apps: [String] = []

  @Option(
    name: .customLong("profile"),
    help: ArgumentHelp(
      "App by a profile with what it reports to its backend (`pushpit profile` lists them), in place of the standard"
        + " ones; may be repeated.",
      valueName: "name|file"))
  var profiles: [String] = []

  @Option(name: .customLong("backend"), help: Self.help("reports.backend"))
  var backend: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "Provider key beside those of `pushpit keys`; may be repeated. The file is a .p8 or a public key in PEM.",
      valueName: "id:team:environment:file"))
  var keys: [String] = []

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Any setting by its key, such as fleet.mix.offline=5%; may be repeated. `pushpit settings` lists all. Also"
        + " PUSHPIT_SET, separated by semicolons.",
      valueName: "key=value"))
  var pairs: [String] = []

  @Option(name: .customLong("host"), parsing: .unconditional, help: Self.help("listen.host"))
  var host: String?

  @Option(name: .customLong("ports"), parsing: .unconditional, help: Self.help("listen.ports"))
  var ports: String?

  @Option(name: .customLong("port"), parsing: .unconditional, help: Self.help("listen.sandbox"))
  var port: String?

  @Option(name: .customLong("production-port"), parsing: .unconditional, help: Self.help("listen.production"))
  var productionPort: String?

  @Option(name: .customLong("channels-port"), parsing: .unconditional, help: Self.help("listen.channels"))
  var channelsPort: String?

  @Option(
    name: .customLong("production-channels-port"), parsing: .unconditional, help: Self.help("listen.productionChannels")
  )
  var productionChannelsPort: String?

  @Option(name: .customLong("admin-port"), parsing: .unconditional, help: Self.help("listen.admin"))
  var adminPort: String?

  @Option(name: .customLong("name"), parsing: .unconditional, help: Self.help("names"))
  var name: String?

  @Option(name: .customLong("state"), parsing: .unconditional, help: Self.help("state"))
  var state: String?

  @Option(name: .customLong("fleet"), parsing: .unconditional, help: Self.help("fleet.devices"))
  var fleet: String?

  @Option(name: .customLong("seed"), parsing: .unconditional, help: Self.help("fleet.seed"))
  var seed: String?

  @Option(name: .customLong("os"), parsing: .unconditional, help: Self.help("fleet.os"))
  var os: String?

  @Option(name: .customLong("running-activities"), parsing: .unconditional, help: Self.help("fleet.runningActivities"))
  var runningActivities: String?

  @Flag(name: .customLong("ideal"), help: Self.help("fleet.ideal"))
  var ideal = false

  @Flag(name: .customLong("for-tests"), help: Self.help("forTests"))
  var forTests = false

  @Option(name: .customLong("prompt"), parsing: .unconditional, help: Self.help("prompt.policy"))
  var prompt: String?

  @Option(name: .customLong("budget"), parsing: .unconditional, help: Self.help("budgets.update.preset"))
  var budget: String?

  @Option(name: .customLong("clock"), parsing: .unconditional, help: Self.help("clock"))
  var clock: String?

  @Flag(name: .customLong("audit"), help: Self.help("audit"))
  var audit = false

  @Option(name: .customLong("ledger"), parsing: .unconditional, help: Self.help("ledger.pushes"))
  var ledger: String?

  @Flag(name: .customLong("strict-jwt"), help: Self.help("rules.strictProviderTokens"))
  var strictJwt = false

  @Option(name: .customLong("provider-token-life"), parsing: .unconditional, help: Self.help("rules.providerTokenLife"))
  var providerTokenLife: String?

  @Option(name: .customLong("token-update-scope"), parsing: .unconditional, help: Self.help("rules.tokenUpdateScope"))
  var tokenUpdateScope: String?

  @Option(name: .customLong("token-update-window"), parsing: .unconditional, help: Self.help("rules.tokenUpdateWindow"))
  var tokenUpdateWindow: String?

  @Option(
    name: .customLong("token-updates-allowed"), parsing: .unconditional, help: Self.help("rules.tokenUpdatesAllowed"))
  var tokenUpdatesAllowed: String?

  @Option(name: .customLong("suffix-mismatch"), parsing: .unconditional, help: Self.help("rules.suffixMismatch"))
  var suffixMismatch: String?

  @Option(
    name: .customLong("unknown-token-status"), parsing: .unconditional, help: Self.help("rules.unknownTokenStatus"))
  var unknownTokenStatus: String?

  @Option(
    name: .customLong("token-requests-per-second"), parsing: .unconditional, help: Self.help("rules.updateTokenRate"))
  var tokenRequestsPerSecond: String?

  @Option(
    name: .customLong("device-requests-per-second"), parsing: .unconditional, help: Self.help("rules.otherTokenRate"))
  var deviceRequestsPerSecond: String?

  @Option(name: .customLong("broadcast-disabled"), parsing: .unconditional, help: Self.help("rules.broadcastDisabled"))
  var broadcastDisabled: String?

  @Option(name: .customLong("broadcast-priority"), parsing: .unconditional, help: Self.help("rules.broadcastPriority"))
  var broadcastPriority: String?

  @Option(name: .customLong("channels-per-app"), parsing: .unconditional, help: Self.help("rules.channelsPerApp"))
  var channelsPerApp: String?

  @Option(name: .customLong("rule-order"), parsing: .unconditional, help: Self.help("rules.order"))
  var ruleOrder: String?

  @Option(name: .customLong("activity-life"), parsing: .unconditional, help: Self.help("lives.activity"))
  var activityLife: String?

  @Option(name: .customLong("linger"), parsing: .unconditional, help: Self.help("lives.linger"))
  var linger: String?

  @Option(name: .customLong("activities-per-app"), parsing: .unconditional, help: Self.help("lives.activitiesPerApp"))
  var activitiesPerApp: String?

  @Option(
    name: .customLong("activities-per-device"), parsing: .unconditional, help: Self.help("lives.activitiesPerDevice"))
  var activitiesPerDevice: String?

  @Option(
    name: .customLong("dead-activity-answer"), parsing: .unconditional, help: Self.help("lives.deadActivityAnswer"))
  var deadActivityAnswer: String?

  @Option(name: .customLong("uninstall-notice"), parsing: .unconditional, help: Self.help("lives.uninstallNotice"))
  var uninstallNotice: String?

  @Option(name: .customLong("start-token-grace"), parsing: .unconditional, help: Self.help("lives.startTokenGrace"))
  var startTokenGrace: String?

  @Option(name: .customLong("update-token-grace"), parsing: .unconditional, help: Self.help("lives.updateTokenGrace"))
  var updateTokenGrace: String?

  @Option(name: .customLong("loops"), parsing: .unconditional, help: Self.help("wire.loops"))
  var loops: String?

  @Option(name: .customLong("max-connections"), parsing: .unconditional, help: Self.help("wire.maxConnections"))
  var maxConnections: String?

  @Option(name: .customLong("handshake-timeout"), parsing: .unconditional, help: Self.help("wire.handshakeTimeout"))
  var handshakeTimeout: String?

  @Option(name: .customLong("idle-timeout"), parsing: .unconditional, help: Self.help("wire.idleTimeout"))
  var idleTimeout: String?

  @Option(name: .customLong("write-stall"), parsing: .unconditional, help: Self.help("wire.writeStall"))
  var writeStall: String?

  @Option(name: .customLong("drain-time"), parsing: .unconditional, help: Self.help("wire.drainTime"))
  var drainTime: String?

  @Option(name: .customLong("initial-streams"), parsing: .unconditional, help: Self.help("wire.initialStreams"))
  var initialStreams: String?

  @Option(name: .customLong("authorised-streams"), parsing: .unconditional, help: Self.help("wire.authorisedStreams"))
  var authorisedStreams: String?

  @Flag(name: .customLong("strict-streams"), help: Self.help("wire.strictStreams"))
  var strictStreams = false

  @Option(name: .customLong("header-overflow"), parsing: .unconditional, help: Self.help("wire.headerOverflow"))
  var headerOverflow: String?

  /// What was given, by the key of its setting.
  var values: [(key: String, value: String?)] {
    [
      ("listen.host", host),
      ("listen.ports", ports),
      ("listen.sandbox", port),
      ("listen.production", productionPort),
      ("listen.channels", channelsPort),
      ("listen.productionChannels", productionChannelsPort),
      ("listen.admin", adminPort),
      ("names", name),
      ("state", state),
      ("fleet.devices", fleet),
      ("fleet.seed", seed),
      ("fleet.os", os),
      ("fleet.runningActivities", runningActivities),
      ("fleet.ideal", ideal ? "true" : nil),
      ("forTests", forTests ? "true" : nil),
      ("prompt.policy", prompt),
      ("budgets.update.preset", budget),
      ("clock", clock),
      ("audit", audit ? "true" : nil),
      ("ledger.pushes", ledger),
      ("rules.strictProviderTokens", strictJwt ? "true" : nil),
      ("rules.providerTokenLife", providerTokenLife),
      ("rules.tokenUpdateScope", tokenUpdateScope),
      ("rules.tokenUpdateWindow", tokenUpdateWindow),
      ("rules.tokenUpdatesAllowed", tokenUpdatesAllowed),
      ("rules.suffixMismatch", suffixMismatch),
      ("rules.unknownTokenStatus", unknownTokenStatus),
      ("rules.updateTokenRate", tokenRequestsPerSecond),
      ("rules.otherTokenRate", deviceRequestsPerSecond),
      ("rules.broadcastDisabled", broadcastDisabled),
      ("rules.broadcastPriority", broadcastPriority),
      ("rules.channelsPerApp", channelsPerApp),
      ("rules.order", ruleOrder),
      ("lives.activity", activityLife),
      ("lives.linger", linger),
      ("lives.activitiesPerApp", activitiesPerApp),
      ("lives.activitiesPerDevice", activitiesPerDevice),
      ("lives.deadActivityAnswer", deadActivityAnswer),
      ("lives.uninstallNotice", uninstallNotice),
      ("lives.startTokenGrace", startTokenGrace),
      ("lives.updateTokenGrace", updateTokenGrace),
      ("reports.backend", backend),
      ("wire.loops", loops),
      ("wire.maxConnections", maxConnections),
      ("wire.handshakeTimeout", handshakeTimeout),
      ("wire.idleTimeout", idleTimeout),
      ("wire.writeStall", writeStall),
      ("wire.drainTime", drainTime),
      ("wire.initialStreams", initialStreams),
      ("wire.authorisedStreams", authorisedStreams),
      ("wire.strictStreams", strictStreams ? "true" : nil),
      ("wire.headerOverflow", headerOverflow),
    ]
  }

  func gathered() throws(InputProblem) -> Settings {
    var flags = values.compactMap { entry in entry.value.map { Settings.Flag(key: entry.key, value: $0) } }
    for pair in pairs { flags.append(try Settings.Flag(pair: pair, place: "--set")) }
    return try Settings.gathered(file: config, flags: flags, apps: apps, profiles: profiles, keys: keys)
  }

  private static func help(_ key: String) -> ArgumentHelp {
    guard let setting = Setting.named(key) else { return ArgumentHelp(stringLiteral: key) }
    let variable = setting.environment.map { " [\($0)]" } ?? ""
    let standard = setting.shown(in: Settings())
    let isSaid = !setting.value.isEmpty && !standard.isEmpty
    return ArgumentHelp(
      "\(setting.help)\(variable)" + (isSaid ? " (default: \(standard))" : ""),
      valueName: setting.value.isEmpty ? nil : setting.value)
  }
}

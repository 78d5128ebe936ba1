import APNs
import Devices
import HTTP2
import Simulation
import Timeline
import Transport

extension Setting {
  /// All scalar settings, in the order the help text shows them.
  public static let table: [Setting] = listening + fleet + rules + lives + wire

  private static let listening: [Setting] = [
    Setting(
      "listen.host", flag: "host", environment: "PUSHPIT_HOST", value: "address",
      "Address to listen on. The admin API has no password: think before you leave loopback."
    ) { $0.host = try Read.text($1) },
    Setting(
      "listen.sandbox", flag: "port", environment: "PUSHPIT_PORT", value: "port",
      "Port of the sandbox, as api.sandbox.push.apple.com:2197. 0 takes any free one."
    ) { $0.sandboxPort = try Read.port($1) },
    Setting(
      "listen.production", flag: "production-port", environment: "PUSHPIT_PRODUCTION_PORT", value: "port",
      "Port of production, as api.push.apple.com."
    ) { $0.productionPort = try Read.port($1) },
    Setting(
      "listen.channels", flag: "channels-port", environment: "PUSHPIT_CHANNELS_PORT", value: "port",
      "Port of the sandbox's channel management, as api-manage-broadcast.sandbox.push.apple.com:2195."
    ) { $0.channelsPort = try Read.port($1) },
    Setting(
      "listen.productionChannels", flag: "production-channels-port",
      environment: "PUSHPIT_PRODUCTION_CHANNELS_PORT", value: "port",
      "Port of production's channel management, as api-manage-broadcast.push.apple.com:2196."
    ) { $0.productionChannelsPort = try Read.port($1) },
    Setting(
      "listen.admin", flag: "admin-port", environment: "PUSHPIT_ADMIN_PORT", value: "port",
      "Port of the admin API (plain HTTP, loopback)."
    ) { $0.adminPort = try Read.port($1) },
    Setting(
      "names", flag: "name", value: "host,…",
      "Names and addresses the certificate is to be good for, beside localhost and Apple's; see `pushpit certs`."
    ) { $0.certificateNames = try Read.list($1) },
    Setting(
      "state", flag: "state", environment: "PUSHPIT_STATE", value: "folder",
      "Folder for certificates and keys; made on first start."
    ) { $0.state = try Read.text($1) },
  ]

  private static let fleet: [Setting] = [
    Setting(
      "fleet.devices", flag: "fleet", environment: "PUSHPIT_FLEET", value: "n", "How many virtual iPhones there are."
    ) { $0.devices = UInt32(try Read.whole($1, 1...Int(FleetPlan.mostDevices))) },
    Setting(
      "fleet.seed", flag: "seed", environment: "PUSHPIT_SEED", value: "n",
      "Everything drawn follows from it: the same seed gives the same tokens after a restart."
    ) { $0.seed = UInt64(try Read.whole($1, 0...Int.max)) },
    Setting(
      "fleet.os", flag: "os", value: "version:parts,…",
      "Versions of iOS and their shares of the fleet, such as 17.6:10,18.5:35,26.1:55."
    ) { $0.mix = try Read.mix($1) },
    Setting(
      "fleet.runningActivities", flag: "running-activities", value: "n",
      "Live Activities running on every install of an app that has a type."
    ) { $0.runningActivities = try Read.whole($1, 0...FleetPlan.mostActivities) },
    Setting(
      "clock", flag: "clock", environment: "PUSHPIT_CLOCK", value: "wall|manual",
      "Whether the world's clock runs, or stands until POST /v1/clock advances it."
    ) { $0.startsManual = try Read.choice($1, ["wall": false, "manual": true]) },
    Setting(
      "ledger.pushes", flag: "ledger", environment: "PUSHPIT_LEDGER", value: "n", "How many pushes are remembered."
    ) { $0.ledgerPushes = try Read.whole($1, 1...Ledger.mostPushes) },
  ]

  private static let rules: [Setting] = [
    Setting(
      "rules.strictProviderTokens", flag: "strict-jwt", value: "",
      "Refuse provider tokens with a DER signature or an iat that is no integer."
    ) { $0.rulebook.strictProviderTokens = try Read.truth($1) },
    Setting(
      "rules.providerTokenLife", flag: "provider-token-life", value: "duration",
      "How long a provider token is good after its iat. Apple: 1h."
    ) { $0.rulebook.providerTokenLife = try Read.duration($1) },
    Setting(
      "rules.tokenUpdateScope", flag: "token-update-scope", value: "connection|key",
      "Whether provider token changes are counted per connection, or per key over all connections besides."
    ) { $0.rulebook.countTokenUpdatesPerKey = try Read.choice($1, ["connection": false, "key": true]) },
    Setting(
      "rules.tokenUpdateWindow", flag: "token-update-window", value: "duration",
      "Window in which provider token changes are counted. Apple: 20m."
    ) { $0.rulebook.tokenUpdateWindow = try Read.duration($1) },
    Setting(
      "rules.tokenUpdatesAllowed", flag: "token-updates-allowed", value: "n",
      "Changes of provider token allowed in that window before 429 TooManyProviderTokenUpdates."
    ) { $0.rulebook.tokenUpdatesAllowed = try Read.whole($1, 0...TokenChanges.mostAllowed) },
    Setting(
      "rules.suffixMismatch", flag: "suffix-mismatch", value: "reason",
      "Reason when the topic's suffix is not that of the push type; Apple's is unknown."
    ) { $0.rulebook.suffixMismatch = try Read.reason($1) },
    Setting(
      "rules.unknownTokenStatus", flag: "unknown-token-status", value: "400|404",
      "Answer to an unknown device token: 400 BadDeviceToken as Apple's, or 404 as some documents have it."
    ) { $0.rulebook.unknownTokenIsNotFound = try Read.choice($1, ["400": false, "404": true]) },
    Setting(
      "rules.updateTokenRate", flag: "token-requests-per-second", value: "n",
      "Requests per second that one activity's update token takes before 429 TooManyRequests; 0 for no limit."
    ) {
      let count = try Read.whole($1, 0...1_000_000)
      $0.rulebook.updateTokenRate = count == 0 ? nil : RequestRate(perSecond: count, burst: max(10, count))
    },
    Setting(
      "rules.otherTokenRate", flag: "device-requests-per-second", value: "n",
      "The same for every other token; 0 for no limit."
    ) {
      let count = try Read.whole($1, 0...1_000_000)
      $0.rulebook.otherTokenRate = count == 0 ? nil : RequestRate(perSecond: count, burst: max(10, count))
    },
    Setting(
      "rules.broadcastDisabled", flag: "broadcast-disabled", value: "bundle,…",
      "Apps whose broadcast capability is off: all they ask about channels answers BroadcastFeatureNotEnabled."
    ) { $0.channelRules.disabled = Set(try Read.list($1)) },
    Setting(
      "rules.broadcastPriority", flag: "broadcast-priority", value: "required|optional",
      "Whether a broadcast without apns-priority is refused with BadPriority. Apple calls the header required."
    ) { $0.channelRules.priorityRequired = try Read.choice($1, ["required": true, "optional": false]) },
    Setting(
      "rules.channelsPerApp", flag: "channels-per-app", value: "n",
      "Channels that an app may have in each environment before CannotCreateChannelConfig. Apple: 10000."
    ) { $0.channelRules.channelsPerApp = try Read.whole($1, 1...ChannelRegistry.mostPerHome) },
    Setting(
      "rules.order", flag: "rule-order", value: "rule,…",
      "Order in which faults are reported; rules not named follow in the standard order (GET /v1/rules)."
    ) { $0.rulebook.order = try Read.order($1) },
  ]

  private static let lives: [Setting] = [
    Setting(
      "lives.activity", flag: "activity-life", value: "duration",
      "How long a Live Activity and its update token live. Apple: 8h."
    ) { $0.habits.activityLife = try Read.duration($1) },
    Setting(
      "lives.linger", flag: "linger", value: "duration",
      "How long an ended Live Activity stays on the Lock Screen at most. Apple: 4h."
    ) { $0.habits.linger = try Read.duration($1) },
    Setting(
      "lives.activitiesPerApp", flag: "activities-per-app", value: "n",
      "Live Activities that one app may run at once; Apple publishes no number, five was seen."
    ) { $0.habits.activitiesPerApp = try Read.whole($1, 1...FleetPlan.mostActivities) },
    Setting(
      "lives.activitiesPerDevice", flag: "activities-per-device", value: "n",
      "Live Activities that one device may run at once; Apple publishes no number."
    ) { $0.habits.activitiesPerDevice = try Read.whole($1, 1...FleetPlan.mostActivities) },
    Setting(
      "lives.deadActivityAnswer", flag: "dead-activity-answer", value: "never|duration",
      "From the end of an activity until its token answers 410; disputed, 60s by default."
    ) { $0.habits.deadActivityNotice = $1 == "never" ? nil : try Read.duration($1, orWord: "never") },
    Setting(
      "lives.uninstallNotice", flag: "uninstall-notice", value: "from..to",
      "From the first push after an uninstall until 410; drawn between the two, 1h..24h by default."
    ) { $0.habits.uninstallNotice = try Read.durations($1) },
    Setting(
      "lives.startTokenGrace", flag: "start-token-grace", value: "duration",
      "How long a rotated push-to-start token is still answered 200."
    ) { $0.habits.startTokenGrace = try Read.duration($1) },
    Setting(
      "lives.updateTokenGrace", flag: "update-token-grace", value: "duration",
      "How long a rotated update token is still answered 200."
    ) { $0.habits.updateTokenGrace = try Read.duration($1) },
  ]

  private static let wire: [Setting] = [
    Setting("wire.loops", flag: "loops", value: "n", "Threads that serve connections; 0 for one per core.") {
      let count = try Read.whole($1, 0...256)
      $0.loops = count == 0 ? nil : count
    },
    Setting("wire.maxConnections", flag: "max-connections", value: "n", "Connections that may be open at once.") {
      $0.transport.limits.connections = try Read.whole($1, 1...1_000_000)
    },
    Setting(
      "wire.handshakeTimeout", flag: "handshake-timeout", value: "duration", "How long a TLS handshake may take."
    ) { $0.transport.limits.handshake = try Read.duration($1) },
    Setting(
      "wire.idleTimeout", flag: "idle-timeout", value: "duration",
      "How long a connection may be silent before it is closed with IdleTimeout; Apple's is unpublished."
    ) { $0.transport.limits.idle = try Read.duration($1) },
    Setting(
      "wire.writeStall", flag: "write-stall", value: "duration",
      "How long a client may read nothing while answers wait for it."
    ) { $0.transport.limits.writeStall = try Read.duration($1) },
    Setting(
      "wire.drainTime", flag: "drain-time", value: "duration",
      "How long SIGTERM waits for what is in flight before it closes everything."
    ) { $0.drainTime = try Read.duration($1) },
    Setting(
      "wire.initialStreams", flag: "initial-streams", value: "n",
      "Streams announced before a provider token has passed. Apple: 1."
    ) { $0.transport.session.announcedStreams = try Read.whole($1, 1...1000) },
    Setting(
      "wire.authorisedStreams", flag: "authorised-streams", value: "n", "Streams announced after it. Apple: 1000."
    ) { $0.authorisedStreams = try Read.whole($1, 1...1000) },
    Setting(
      "wire.strictStreams", flag: "strict-streams", value: "",
      "Refuse streams beyond the announced number even in a burst sent before the client can know it."
    ) { $0.transport.session.strictStreams = try Read.truth($1) },
    Setting(
      "wire.headerOverflow", flag: "header-overflow", value: "431|reset",
      "Reaction to a header list over 8000 bytes; Apple's is unknown."
    ) {
      $0.transport.session.oversizeHeaders = try Read.choice($1, ["431": .answer431, "reset": .reset])
    },
  ]
}

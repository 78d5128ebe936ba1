import APNs
import Admin
import Configuration
import Devices
import Grammar
import HTTP2
import Orders
import Reporting
import ScenarioFiles
import Scenarios
import Signing
import Simulation
import Synchronization
import Timeline
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The parts that a server is made of when it starts.
extension ServerLoop {
  /// Documented: IdleTimeout is a reason of status 400 ("Handling notification responses"). Assumed: it comes with the
  /// GOAWAY.
  private static let idleFarewell = Array(#"{"reason":"IdleTimeout"}"#.utf8)

  /// The tapes of a server.
  struct TapePlan {
    /// The inputs of the world, as a tape stores them.
    let origin: WorldSource.Plan?
    /// File for a recording; nil for none, or for the one that is resumed.
    let path: String?
    /// A recording from which the server continues.
    let resume: String?
  }

  static func check(_ settings: Settings) throws(InputProblem) {
    for setting in settings.keys {
      for topic in setting.key.topics ?? [] where !settings.apps.contains(where: { $0.profile.bundleID == topic }) {
        let apps = settings.apps.map(\.profile.bundleID).joined(separator: ", ")
        throw InputProblem(
          setting.place, "topics names \(topic), which is not an app of this fleet; it has \(apps).")
      }
    }
    if settings.begins != nil, !settings.startsManual {
      throw InputProblem("fleet.begins", "fleet.begins needs a stopped clock; set clock to manual.")
    }
    if settings.plan.ownDevices == 0, let cell = settings.cell {
      throw InputProblem(
        "fleet.cell", "\(cell.words) has none of \(settings.devices) devices; a fleet needs at least one for each cell."
      )
    }
    let bundles = settings.apps.map(\.profile.bundleID)
    if let stranger = settings.channelRules.disabled.subtracting(bundles).min() {
      throw InputProblem(
        "rules.broadcastDisabled",
        "it names \(stranger), which is not an app of this fleet; it has \(bundles.joined(separator: ", ")).")
    }
  }

  /// Closes sessions when they expire, and ends closed ones.
  static func sessionTimer(on main: MainLoop, _ gateway: Gateway, _ queries: WorkThread) -> DueTimer {
    let ender = SessionEnder(queries)
    let timer = DueTimer(on: main) { ender.begin() }
    ender.connect(gateway, alarm: timer.alarm)
    return timer
  }

  /// Makes the apps' calls to their backends.
  static func caller(_ settings: Settings, _ gateway: Gateway) throws -> AppCaller? {
    guard settings.apps.contains(where: { $0.reports != nil }) else { return nil }
    if let app = settings.plan.reports.apps.firstIndex(where: { $0?.backend.isEmpty ?? false }) {
      throw InputProblem(
        "reports.backend",
        "\(settings.apps[app].profile.bundleID) reports to a backend; name it, such as --backend"
          + " http://127.0.0.1:8080.")
    }
    let options = AppCallerOptions(settings.calls)
    for url in settings.plan.reports.apps.compactMap({ $0?.backend }) {
      guard let host = options.refusedHost(of: url) else { continue }
      throw InputProblem(
        "reports.backend",
        "apps may call only this machine, but \(url) is on \(host); --set reports.allowHosts=\(host) allows it, and so"
          + " does reports: {allowHosts: \(host)} in a settings file or the settings of a scenario.")
    }
    let caller = try StartFailure.wrapping { () throws(AppCallerFailure) in
      try AppCaller(options) { [weak gateway] ends in gateway?.answered(ends) }
    }
    gateway.connect(caller)
    return caller
  }

  static func keys(_ folder: StateFolder, _ settings: Settings) throws -> ProviderKeys {
    var registry = try StartFailure.wrapping { () throws(KeyProblem) in try KeyRegistry(folder) }
    if registry.entries.isEmpty, settings.keys.allSatisfy({ $0.source == .generated }) {
      let team = settings.apps.first?.profile.teamID
      try StartFailure.wrapping { () throws(KeyProblem) in try registry.makeFirst(teamID: team) }
    }
    do {
      return try ProviderKeys(registry: registry, settings: settings.keys, folder: folder)
    } catch let problem as KeyProblem {
      throw StartFailure(problem.description)
    }
  }

  /// Each connection needs a file descriptor; the default soft limit of 1,024 is for programs that use select.
  ///
  /// - Returns: the number of descriptors this process may have.
  static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_max : before)
  }

  static func certificates(
    folder: StateFolder, settings: Settings, log: @Sendable (String) -> Void
  ) throws -> (Certificates, FolderUse?) {
    let (certificates, use) = try StartFailure.wrapping { () throws(SigningFailure) in
      try folder.certificatesInUse(names: settings.certificateNames)
    }
    if let why = certificates.replacement {
      log(
        "A new certificate authority was made, because \(why): clients must be configured to trust"
          + " \(folder.authorityPath).")
    }
    return (certificates, use)
  }

  /// The world, new or resumed from a tape, and the tape that records it.
  static func world(
    _ settings: Settings, keys: ProviderKeys, tapes: TapePlan, reports: Bool,
    log: @escaping @Sendable (String) -> Void
  ) throws -> (Simulator, TapeWriter?, ResumedTape?) {
    let wall = SystemClock.now
    if let path = tapes.path, StateFolder.of(settings).owns(path) {
      throw StartFailure(
        "--tape: \(path) is a file of the state folder, which Pushpit uses itself; name another file.", isOfInput: true)
    }
    var resumed = try tapes.resume.map { try ResumedTape($0, for: settings, keys: keys.onTape) }
    var clock = WorldClock()
    if settings.startsManual {
      clock.stand(at: resumed?.tally.began ?? settings.begins.map { Instant(seconds: Int64($0)) } ?? wall)
    }
    let taken = resumed?.take()
    let world =
      taken?.world
      ?? World(
        settings.plan, rulebook: settings.rulebook, channels: settings.channelRules,
        keyRing: KeyRing(
          keys: keys.entries.map(\.key), apps: settings.apps.map { ($0.profile.bundleID, $0.profile.teamID) },
          read: TapeKey.read, check: keys.check),
        at: clock.now(wall: wall).world)
    var simulator = Simulator(
      world: world, clock: clock, pushLogCapacity: settings.pushLogEntries, audits: settings.audits || reports)
    if let logs = taken?.logs { simulator.readers.logs = logs }
    if let resumed { simulator.clock = resumed.clock(settings) }
    if reports { simulator.readers.logs.tally = RunTally(by: tapes.origin?.reportClock ?? .machine) }
    let writer = try tapeWriter(tapes, resumed: resumed, keys: keys, began: simulator.world.began, log: log)
    if let writer { simulator.record { writer.add($0) } }
    resumed?.close(&simulator, wall: wall)
    return (simulator, writer, resumed)
  }

  private static func tapeWriter(
    _ tapes: TapePlan, resumed: ResumedTape?, keys: ProviderKeys, began: Instant,
    log: @escaping @Sendable (String) -> Void
  ) throws -> TapeWriter? {
    let failed: @Sendable (TapeFailure) -> Void = { log("\($0) The server continues without it.") }
    if let resumed {
      return try StartFailure.wrapping { () throws(TapeFailure) in
        try TapeWriter(continuing: resumed, to: tapes.path, failed: failed)
      }
    }
    guard let path = tapes.path else { return nil }
    guard let origin = tapes.origin else {
      throw StartFailure("a tape needs settings made by Settings.gathered, because it stores their sources.")
    }
    let header = WorldSource(origin, keys: keys.onTape).header(began: began)
    return try StartFailure.wrapping { () throws(TapeFailure) in try TapeWriter(path, header, failed: failed) }
  }

  static func gateway(
    _ simulator: consuming Simulator, wire: WireSettings, folder: StateFolder,
    log: @escaping @Sendable (String) -> Void
  ) throws -> Gateway {
    let providers = try StartFailure.wrapping { () throws(ProviderCertificateProblem) in
      try ProviderCertificateReader(folder)
    }
    return Gateway(
      simulator, authorisedStreams: wire.authorisedStreams,
      announcesStreams: wire.authorisedStreams != wire.initialStreams,
      readCertificate: { providers.read($0) }, log: log)
  }

  static func transportOptions(_ wire: WireSettings, cores: Int) -> TransportOptions {
    var options = TransportOptions(wire, cores: cores)
    options.limits.idleDebug = idleFarewell
    options.session.unindexedNames = ["apns-id", "apns-unique-id"]
    return options
  }

  static func tlsContext(_ certificates: Certificates, _ wire: WireSettings) throws -> TLSContext {
    let presented = try StartFailure.wrapping { () throws(SigningFailure) in try certificates.presented(wire.chain) }
    return try StartFailure.wrapping { () throws(TLSContextFailure) in
      try TLSContext(certificates: presented.certificatePEM, key: presented.privateKeyPEM)
    }
  }

  static func adminService(
    _ settings: Settings, _ about: ServerInfo, sessionsDue: @escaping @Sendable (Instant) -> Void
  ) -> AdminService {
    let expectations = SessionExpectations(settings)
    return AdminService(
      version: Version.text, allowedHosts: [settings.host] + settings.certificateNames,
      server: { about.description.withLock { $0 } }, sessionsDue: sessionsDue,
      readExpectation: { (value, place) throws(InputProblem) in try expectations.read(value, place) },
      readScenario: { (order) throws(InputProblem) in try ScenarioReader(settings: settings).read(order) })
  }
}

/// The server's description in the admin API; set once the server listens, because its own port is known only then.
final class ServerInfo: Sendable {
  let description = Mutex(ServerDescription())

  func describe(
    _ ready: ReadyLine, keys: ProviderKeys, settings: Settings, folder: StateFolder, authority: String
  ) {
    description.withLock {
      $0 = ServerDescription(ready, keys: keys.entries, settings: settings, authority: authority)
      $0.credentials = ServerCredentials(folder, keys) { [weak self] entries in
        self?.description.withLock { $0.show(entries, settings) }
      }
    }
  }
}

import APNs
import Admin
import Configuration
import Devices
import Grammar
import HTTP2
import Reporting
import ScenarioFiles
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

/// A running Pushpit: listeners, admin API and the world. It belongs to the thread that creates it.
package final class ServerLoop {
  /// Information about the server for programs and people.
  package let ready: ReadyLine
  /// The provider keys of the server.
  package let keys: [KeyRegistry.Entry]

  package let main: MainLoop
  package let gateway: Gateway
  private let pushes: PushServer
  private let admin: PlainServer
  /// Prevents others from replacing this server's certificates.
  private let use: FolderUse?
  /// Nil if no tape is written.
  private let tape: TapeWriter?
  /// Nil if no app of the fleet has reports.
  private let caller: AppCaller?
  private let drainTime: Duration
  private let log: @Sendable (String) -> Void
  private var isStopping = false
  /// Stops the server, from any thread.
  package let stopper = StopFlag()
  private let dueTimer: DueTimer
  private let expiryTimer: DueTimer
  private var wishes: MailboxReader<Void>?
  /// Nil if no report was asked for.
  private let sampler: LoadSampler?
  private let plan: FleetPlan
  private let began: Instant

  /// Documented: the reason of a server that shuts down, as debug data of GOAWAY ("Handling notification responses").
  private static let farewell = Array(#"{"reason":"Shutdown"}"#.utf8)
  /// Documented: IdleTimeout is a reason of status 400 there. Assumed: it comes with the GOAWAY.
  private static let idleFarewell = Array(#"{"reason":"IdleTimeout"}"#.utf8)

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - tape: file for a recording of everything that happens, for `pushpit replay`.
  ///   - resume: a recording with which the server goes on; it is continued unless `tape` names another file.
  ///   - reports: whether `report(command:)` will be asked for. It audits, too.
  ///   - log: receives messages for people, from any thread. It must not block; see `LineWriter`.
  /// - Throws: `InputProblem` for invalid settings, `StartFailure` for problems of the machine.
  package convenience init(
    _ settings: Settings, tape: String? = nil, resume: String? = nil, reports: Bool = false,
    log: @escaping @Sendable (String) -> Void
  ) throws {
    try self.init(
      settings, origin: settings.origin.map { .settings($0) }, tape: tape, resume: resume, reports: reports, log: log)
  }

  /// - Parameter origin: the inputs of the world, as a tape stores them.
  package init(
    _ settings: Settings, origin: WorldSource.Plan?, tape: String?, resume: String? = nil, reports: Bool = false,
    log: @escaping @Sendable (String) -> Void
  ) throws {
    try Self.check(settings)
    let descriptors = Self.raiseDescriptorLimit()
    let folder = StateFolder(settings.state)
    let (certificates, use) = try StartFailure.wrapping { () throws(SigningFailure) in
      try folder.certificatesInUse(names: settings.certificateNames)
    }
    self.use = use
    if let why = certificates.replacement {
      log(
        "A new certificate authority was made, because \(why): clients must be told to trust \(folder.authorityPath).")
    }
    let keys = try Self.keys(folder, settings)
    let wall = SystemClock.now
    var resumed = try resume.map { try ResumedTape($0, for: settings, keys: keys.onTape) }
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
    if reports { simulator.readers.logs.tally = RunTally() }
    plan = settings.plan
    began = world.began

    let failed: @Sendable (TapeFailure) -> Void = { log("\($0) The server goes on without it.") }
    if let resumed {
      self.tape = try StartFailure.wrapping { () throws(TapeFailure) in
        try TapeWriter(continuing: resumed, to: tape, failed: failed)
      }
    } else {
      self.tape = try tape.map { path in
        guard let origin else {
          throw StartFailure("a tape needs settings made by Settings.gathered, because it stores their sources.")
        }
        let header = WorldSource(origin, keys: keys.onTape).header(began: simulator.world.began)
        return try StartFailure.wrapping { () throws(TapeFailure) in try TapeWriter(path, header, failed: failed) }
      }
    }
    if let writer = self.tape { simulator.record { writer.add($0) } }
    resumed?.close(&simulator, wall: wall)

    let main = MainLoop()
    let wire = settings.wire
    let providers = try StartFailure.wrapping { () throws(ProviderCertificateProblem) in
      try ProviderCertificateReader(folder)
    }
    let gateway = Gateway(
      simulator, authorisedStreams: wire.authorisedStreams,
      announcesStreams: wire.authorisedStreams != wire.initialStreams,
      readCertificate: { providers.read($0) }, log: log)
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    var options = TransportOptions(wire, cores: cores)
    sampler = reports ? LoadSampler(on: main, gateway, loops: options.loops, cores: cores) : nil
    if let resumed { gateway.countConnections(after: resumed.tally.lastConnection) }
    options.limits.idleDebug = Self.idleFarewell
    options.session.unindexedNames = ["apns-id", "apns-unique-id"]
    let presented = try StartFailure.wrapping { () throws(SigningFailure) in
      try certificates.presented(wire.chain)
    }
    let tls = try StartFailure.wrapping { () throws(TLSContextFailure) in
      try TLSContext(certificates: presented.certificatePEM, key: presented.privateKeyPEM)
    }
    let pushes = try StartFailure.wrapping { () throws(ServerFailure) in
      try PushServer(on: main, options: options, sink: gateway)
    }
    gateway.connect(pushes.poster)
    let listenerFaults = ListenerFaults(listenerPoster: pushes.listenerPoster, certificates: certificates, log: log)
    // It may create a certificate, which must not delay the holder of the world's lock.
    gateway.connect { [poster = main.poster] fault, environment in
      poster.post { listenerFaults.set(fault, environment) }
    }
    caller = try Self.caller(settings, gateway)
    func listen(_ tag: Int, _ port: UInt16) throws(StartFailure) -> PushListener {
      do throws(ListenFailure) {
        return try pushes.listen(tag: tag, host: settings.host(of: tag), port: Int(port), tls: tls)
      } catch {
        throw Listeners.failure(error, at: tag, others: pushes.listeners)
      }
    }
    let sandbox = try listen(Listeners.sandbox, settings.sandboxPort)
    let production = try listen(Listeners.production, settings.productionPort)
    let channels = try listen(Listeners.channels, settings.channelsPort)
    let productionChannels = try listen(Listeners.productionChannels, settings.productionChannelsPort)
    let relay = try Listeners.openRelay(settings, on: pushes)
    let expiryTimer = Self.expiryTimer(on: main, gateway)
    self.expiryTimer = expiryTimer
    let expectations = SessionExpectations(settings)
    let about = ServerInfo()
    let service = AdminService(
      version: Version.text, allowedHosts: [settings.host] + settings.certificateNames,
      server: { about.description.withLock { $0 } }, expiryChanged: expiryTimer.alarm,
      readExpectation: { (value, place) throws(InputProblem) in try expectations.read(value, place) },
      readScenario: { (order) throws(InputProblem) in try ScenarioReader(settings: settings).read(order) })
    do throws(ListenFailure) {
      admin = try PlainServer(
        on: main, at: BoundSocket(host: settings.host, port: Int(settings.adminPort)),
        limit: AdminHandler.connections(of: descriptors), owner: AdminHandler.owner(service, gateway, on: main))
    } catch {
      throw Listeners.failure(error, at: Listeners.admin, others: pushes.listeners)
    }
    func endpoint(_ host: String, _ port: Int) -> String {
      host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
    func endpoint(_ listener: PushListener) -> String { endpoint(listener.host, listener.port) }
    ready = ReadyLine(
      sandbox: endpoint(sandbox), production: endpoint(production), channels: endpoint(channels),
      productionChannels: endpoint(productionChannels), relay: relay,
      admin: "http://\(endpoint(settings.host, admin.port))",
      authority: folder.authorityPath, secondAuthority: folder.secondAuthorityPath,
      chain: wire.chain?.rawValue ?? "sound",
      keys: keys.entries.map(ReadyLine.Key.init), devices: settings.devices, seed: settings.seed,
      cell: settings.cell?.text)
    about.description.withLock { [ready] in
      $0 = ServerDescription(ready, keys.entries, settings, authority: certificates.authority.pem)
      $0.credentials = ServerCredentials(folder, keys) { [weak about] entries in
        about?.description.withLock { $0.show(entries) }
      }
    }
    self.keys = keys.entries
    self.main = main
    self.gateway = gateway
    self.pushes = pushes
    self.log = log
    drainTime = settings.wire.drainTime
    dueTimer = DueTimer(on: main) { gateway.advance() }
    gateway.connect(main.poster, alarm: dueTimer.alarm)
    if let resumed {
      log("Resumed \(resumed.report)")
      gateway.work { simulator, wall in ((), resumed.continueCalls(&simulator, wall: wall)) }
    }
  }

  /// Lets SIGTERM, SIGINT and SIGHUP stop the server from now on; a second one ends the process at once. Only for a
  /// program that is nothing but a server: signals belong to the process, so at most one server can use them.
  package func watchSignals() {
    // A signal that nohup has ignored stays ignored.
    let hangUp = MainLoop.isIgnored(SIGHUP) ? [] : [SIGHUP]
    for signal in [SIGTERM, SIGINT] + hangUp {
      main.onSignal(signal) { [unowned self] in
        if isStopping { _exit(130) }
        stop()
      }
    }
  }

  /// Serves until it is stopped, by its stopper or by a watched signal.
  package func run() {
    wishes = MailboxReader(stopper.wishes, on: main.base) { [unowned self] in stop() }
    main.run()
    wishes = nil
    gateway.readAll()
    // A tape that failed has already reported so.
    try? tape?.finish()
  }

  /// The report of everything so far; call it after `run`, or on the server's own thread.
  ///
  /// - Parameter command: what was typed, for the reader.
  package func report(command: String) -> RunReport {
    sampler?.sample()
    let origin = RunReport.Origin(
      command: command, program: Version.text, plan: plan, began: began, isVirtual: false)
    return gateway.report(origin, sampler?.processors)
  }

  /// Sends GOAWAY on every connection, finishes open requests, and makes `run` return.
  ///
  /// Call it on the server's own thread; other threads use `stopper`.
  package func stop() {
    guard !isStopping else { return }
    isStopping = true
    log("Stopping: finishing open requests, for at most \(DurationText.write(drainTime)).")
    caller?.stop()
    pushes.drain(debug: Self.farewell, within: drainTime) { [main] in main.stop() }
  }

  // MARK: - Details

  private static func check(_ settings: Settings) throws(InputProblem) {
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

  /// Closes sessions when they expire.
  private static func expiryTimer(on main: MainLoop, _ gateway: Gateway) -> DueTimer {
    let again = Mutex<(@Sendable (Instant) -> Void)?>(nil)
    let timer = DueTimer(on: main) { [weak gateway] in
      guard let gateway else { return }
      let next = AdminService.closeExpired { body in
        gateway.work { simulator, wall in ((), body(&simulator, wall)) }
      }
      if let next { again.withLock { $0 }?(next) }
    }
    again.withLock { $0 = timer.alarm }
    return timer
  }

  /// Makes the apps' calls to their backends.
  private static func caller(_ settings: Settings, _ gateway: Gateway) throws -> AppCaller? {
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

  private static func keys(_ folder: StateFolder, _ settings: Settings) throws -> ProviderKeys {
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
  private static func raiseDescriptorLimit() -> Int {
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
}

/// What the admin API returns about its server; set once it listens, because its own port is known only then.
private final class ServerInfo: Sendable {
  let description = Mutex(ServerDescription())
}

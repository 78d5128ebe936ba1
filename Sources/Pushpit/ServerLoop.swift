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
  private let handler: AdminHandler
  /// Calls of the admin API by this process.
  package let calls = DirectCalls()
  private let files = WorkThread()
  private let queries = WorkThread()
  /// Prevents others from replacing this server's certificates.
  private let use: FolderUse?
  /// Nil if no tape is written.
  private let tape: TapeWriter?
  /// Nil if no app of the fleet has reports.
  private let caller: AppCaller?
  private let drainTime: Duration
  private let log: @Sendable (String) -> Void
  private var isStopping = false
  /// True if a watched signal has arrived.
  private var isInterrupted = false
  /// Stops the server, from any thread.
  package let stopper = StopFlag()
  private let dueTimer: DueTimer
  private let sessionTimer: DueTimer
  private var wishes: MailboxReader<Void>?
  private var lastJobs: [MailboxReader<Void>] = []
  /// Nil if no report was asked for.
  private let sampler: LoadSampler?
  private let plan: FleetPlan
  private let began: Instant

  /// Documented: the reason of a server that shuts down, as debug data of GOAWAY ("Handling notification responses").
  private static let farewell = Array(#"{"reason":"Shutdown"}"#.utf8)

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - tape: file for a recording of everything that happens, for `pushpit replay`.
  ///   - resume: a recording from which the server continues; it is extended unless `tape` names another file.
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
    let (certificates, use) = try Self.certificates(folder: folder, settings: settings, log: log)
    self.use = use
    let keys = try Self.keys(folder, settings)
    // Separate variables, so that the gateway gets the only reference to the simulator's state: with a second one, the
    // first change would copy everything.
    let (simulator, writer, resumed) = try Self.world(
      settings, keys: keys, tapes: TapePlan(origin: origin, path: tape, resume: resume), reports: reports, log: log)
    self.tape = writer
    plan = settings.plan
    began = simulator.world.began

    let main = MainLoop()
    let gateway = try Self.gateway(simulator, wire: settings.wire, folder: folder, log: log)
    if let resumed { gateway.countConnections(after: resumed.tally.lastConnection) }
    let cores = ProcessorTimes.count
    let options = Self.transportOptions(settings.wire, cores: cores)
    sampler = reports ? LoadSampler(on: main, gateway, loops: options.loops, cores: cores) : nil
    let tls = try Self.tlsContext(certificates, settings.wire)
    let pushes = try StartFailure.wrapping { () throws(ServerFailure) in
      try PushServer(on: main, options: options, sink: gateway)
    }
    gateway.connect(pushes.poster)
    let listenerFaults = ListenerFaults(listenerPoster: pushes.listenerPoster, certificates: certificates, log: log)
    // Posted, because it may create a certificate, which must not delay the holder of the world's lock.
    gateway.connect { [poster = main.poster] fault, environment in
      poster.post { listenerFaults.set(fault, environment) }
    }
    caller = try Self.caller(settings, gateway)
    let listeners = try OpenListeners(settings, on: pushes, tls)
    let sessionTimer = Self.sessionTimer(on: main, gateway, queries)
    self.sessionTimer = sessionTimer
    let about = ServerInfo()
    let service = Self.adminService(settings, about, sessionsDue: sessionTimer.alarm)
    handler = AdminHandler(
      service, gateway, files: files, queries: queries, connections: AdminHandler.connections(of: descriptors))
    admin = try Listeners.opening(Listeners.admin, others: pushes) { [handler] () throws(ListenFailure) in
      try handler.open(on: main, at: BoundSocket(host: settings.host, port: Int(settings.adminPort)))
    }
    ready = listeners.ready(adminPort: admin.port, folder: folder, keys: keys.entries, settings: settings)
    about.describe(ready, keys: keys, settings: settings, folder: folder, authority: certificates.authority.pem)
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
      gateway.work { simulator, wall in ((), resumed.continueRun(&simulator, wall: wall)) }
    }
  }

  /// Lets SIGTERM, SIGINT and SIGHUP stop the server from now on; a second one ends the process at once. Only for a
  /// program that is nothing but a server: signals belong to the process, so at most one server can use them.
  package func watchSignals() {
    // A signal that nohup has ignored stays ignored.
    let hangUp = MainLoop.isIgnored(SIGHUP) ? [] : [SIGHUP]
    for signal in [SIGTERM, SIGINT] + hangUp {
      main.onSignal(signal) { [unowned self] in
        if isInterrupted { _exit(130) }
        isInterrupted = true
        stop()
      }
    }
  }

  /// Serves until it is stopped, by its stopper or by a watched signal.
  package func run() {
    wishes = MailboxReader(stopper.wishes, on: main.base) { [unowned self] in stop() }
    let letters = handler.serve(calls, on: main)
    withExtendedLifetime(letters) { main.run() }
    wishes = nil
    calls.close()
    lastJobs = []
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
    pushes.drain(debug: Self.farewell, within: drainTime) { [unowned self] in
      // A file that is being written is finished, and its client told, unless the system does not let it; so are some
      // portions of the expectations that are being evaluated.
      main.after(Self.filePatience) { [unowned self] in main.stop() }
      let threads = [files, queries]
      var left = threads.count
      lastJobs = threads.map { thread in
        MailboxReader(thread.ended, on: main.base) { [unowned self] in
          left -= 1
          if left == 0 { admin.whenWritten { [unowned self] in main.stop() } }
        }
      }
      for thread in threads { thread.end() }
    }
  }

  /// For making a key and writing it to the disk.
  private static let filePatience: Duration = .seconds(2)
}

import APNs
import Configuration
import Devices
import Grammar
import Pushpit
import ScenarioFiles
import Scenarios
import Signing
import Simulation
import Timeline
import Transport
import WireFormats

/// Plays one scenario with a real backend: starts Pushpit and, if configured, the backend; moves the world's time;
/// reports the result. It belongs to the thread that creates it.
final class LiveRun {
  private enum Stage {
    /// The backend is not ready yet.
    case beginning
    /// Time runs with the machine's time.
    case running(since: ContinuousClock.Instant)
    /// Time is stopped until the backend has answered the apps; then it receives the time, or has received it.
    case answering(since: ContinuousClock.Instant, isTold: Bool)
    /// Time is stopped until the backend has done its due work.
    case ticking
    /// Time is stopped until the backend has been stopped, killed or started; then it goes on to `target`.
    case changing(BackendStep.Order, since: ContinuousClock.Instant, target: Duration)
    /// A tick has failed. The news of the backend's death may follow, which says more than the failed call.
    case doubting(since: ContinuousClock.Instant, hangs: Bool, String)
    /// Everything is evaluated, and the backend is terminated.
    case leaving
  }

  /// Messages to the run from other threads.
  enum Note: Sendable {
    case childChanged
    case appsAnswered
    case called(AppCallEnd)
  }

  /// Interval between two checks when nothing happens.
  private static let beat: Duration = .milliseconds(20)
  /// Maximum wait for apps' calls: a backend that leaves a call open must not stop the scenario.
  private static let settlesWithin: Duration = .seconds(10)
  /// Time between a broken connection and the news that the process has ended.
  private static let doubtsFor: Duration = .milliseconds(500)

  /// True if the scenario was played to its end.
  private(set) var isWhole = true
  /// True if a signal has ended the run.
  private(set) var isInterrupted = false

  private let plan: BackendPlan?
  /// As in the file, without its port.
  private let filePlan: BackendPlan?
  private let options: LiveOptions
  private let server: ServerLoop
  private let folder: RunFolder
  /// Held to the end, so that no other run takes this one's backend for its own.
  private let port: FreePort?
  private let notes = Mailbox<Note>()
  private let caller: AppCaller
  private var child: BackendProcess?
  /// Of plays that share a backend; nil if each starts its own.
  private let kept: KeptBackend?
  /// True if the backend may have data of an earlier play, and has not been reset yet.
  private var mustReset = false
  private var director: ScenarioDirector
  private var stage = Stage.beginning
  private let clock = ContinuousClock()
  private let began: ContinuousClock.Instant
  private var isAsking = false
  private var calls: UInt64 = 0
  /// The machine's times at which the backend was told the time.
  private var ticks: [Instant] = []
  private var lastRefusal = "it was not checked"
  private var report: ScenarioReport?
  private let progress: (ScenarioPlayer.Progress) -> Void
  /// Nil if nobody watches the run.
  private let watch: Watch?

  /// - Throws: `StartFailure` for problems of the machine, `InputProblem` for invalid input.
  init(
    _ file: ScenarioFile, _ options: LiveOptions, record: Record, sharing kept: KeptBackend, watch: Watch? = nil,
    progress: @escaping (ScenarioPlayer.Progress) -> Void
  ) throws {
    self.options = options
    self.progress = progress
    self.watch = watch
    began = clock.now
    SignalNote.watch()
    self.kept = file.backend?.reset == nil ? nil : kept
    let running = kept.running(of: file.backend)
    port = try running.map(\.port) ?? (file.backend?.needsPort == true ? Self.freePort() : nil)
    (child, mustReset) = (running?.process, running != nil)
    filePlan = file.backend
    let plan = port.flatMap { file.backend?.on(port: $0.number) } ?? file.backend
    self.plan = plan
    var settings = file.settings
    settings.backend = plan?.url ?? settings.backend
    settings.wire.drainTime = .seconds(1)
    if watch != nil { settings.audits = true }
    // Only a backend that somebody else has started needs the usual ports. Others are told, so that runs can be played
    // in parallel.
    if plan.map({ !$0.command.isEmpty }) ?? (settings.backend == nil) { settings.choosePorts() }
    var scenario = file.scenario
    scenario.plan = settings.plan
    var source = file.source
    source.live?.url = settings.backend
    server = try ServerLoop(
      settings, origin: .scenario(source), tape: record.tape, reports: record.reports, log: options.say)
    folder = try running?.folder ?? RunFolder()
    director = ScenarioDirector(
      scenario, pace: .live, flags: file.flags + options.words,
      provider: VirtualProvider(settings.plan, sign: try ProviderSigner.signing(for: settings)))
    let notes = notes
    caller = try StartFailure.wrapping { () throws(AppCallerFailure) in
      try AppCaller(AppCallerOptions()) { ends in for end in ends { notes.post(.called(end)) } }
    }
    try StartFailure.wrapping { () throws(SigningFailure) in
      try KeyFile.write(server.ready.text + "\n", to: folder.ready)
    }
  }

  private static func freePort() throws -> FreePort {
    try StartFailure.wrapping { () throws(ListenFailure) in try FreePort.find(host: "127.0.0.1") }
  }

  /// Plays the scenario to its end.
  func play() -> ScenarioReport {
    let reader = MailboxReader(notes, on: server.main.base) { [unowned self] note in handle(note) }
    server.gateway.onAppsAnswered { [notes] in notes.post(.appsAnswered) }
    if SignalNote.isNoted { server.stop() } else if !mustReset { startBackend() }
    let timer = server.main.every(Self.beat) { [unowned self] in step() }
    server.run()
    timer.cancel()
    if report == nil {
      isInterrupted = true
      abandon("the run was ended by a signal at \(DurationText.write(director.passed)).")
    }
    child?.end()
    caller.stop()
    withExtendedLifetime(reader) {}
    return report ?? server.gateway.work { simulator, _ in (director.report(simulator), []) }
  }

  /// The numbers of the run, after it; only if it was made with `reports`.
  func numbers(command: String) -> RunReport { server.report(command: command) }

  // MARK: - The backend

  private func startBackend() {
    guard let plan, !plan.command.isEmpty else { return }
    var environment = [
      "PUSHPIT_READY": folder.ready, "PUSHPIT_SCENARIO": director.scenario.name,
      "PUSHPIT_SEED": "\(director.scenario.seed)", "PUSHPIT_ADMIN": server.ready.admin,
    ]
    // Without a tick, the phones' time is the machine's, and a backend that waits for a tick would stand still.
    if plan.tick != nil {
      let now = server.gateway.work { simulator, wall in (simulator.now(wall: wall).world.seconds, []) }
      environment["PUSHPIT_NOW"] = "\(now)"
    }
    if let port { environment["PORT"] = "\(port.number)" }
    let order = BackendProcess.LaunchOptions(
      command: plan.command, directory: plan.directory, environment: environment, log: options.log ?? folder.log,
      grace: plan.grace, folder: folder.path)
    child = BackendProcess(order) { [notes] in notes.post(.childChanged) }
  }

  private var backendName: String {
    guard let plan else { return "the backend" }
    return plan.command.isEmpty
      ? "the backend at \(plan.url ?? "")" : "the backend (\(plan.command.joined(separator: " ")))"
  }

  /// The backend's last output, if we started it.
  private var lastWords: String {
    guard let lines = child?.lastLines, !lines.isEmpty else { return "" }
    return " Its last output:\n" + lines.map { "          | " + $0 }.joined(separator: "\n")
  }

  private func call(_ method: String, _ address: String, body: String? = nil, within: Duration) {
    calls += 1
    isAsking = true
    caller.start([
      AppCall(
        number: calls, method: method, url: address, headers: body == nil ? [] : [("content-type", "application/json")],
        body: body.map { Array($0.utf8) }, timeout: within)
    ])
  }

  // MARK: - Messages

  private func handle(_ note: Note) {
    switch note {
    case .called(let end):
      isAsking = false
      answered(end.result)
      // A backend that is not ready is checked again at the next interval; checked at once, it would never get to run.
      switch stage {
      case .beginning, .changing: return
      default: break
      }
    case .childChanged, .appsAnswered: break
    }
    step()
  }

  private func answered(_ result: Result<AppCall.Response, AppCall.Failure>) {
    let wrong: String?
    var hangs = false
    switch result {
    case .success(let answer): wrong = (200..<300).contains(answer.status) ? nil : "answered with \(answer.status)"
    case .failure(let failure):
      wrong = "did not answer: \(failure.description)"
      hangs = failure.kind == .timedOut
    }
    switch stage {
    case .beginning where mustReset:
      if let wrong { return abandon("\(backendName), at the reset, \(wrong).\(lastWords)") }
      begin()
    case .beginning, .changing(.start, _, _):
      // Without a ready URL, any answer means that it is ready.
      if case .success = result, plan?.ready == nil { return ready() }
      guard let wrong else { return ready() }
      lastRefusal = wrong
    case .ticking:
      if let wrong {
        let time = DurationText.write(director.passed)
        stage = .doubting(since: clock.now, hangs: hangs, "\(backendName), at the tick for \(time), \(wrong).")
      } else {
        stage = .answering(since: clock.now, isTold: true)
      }
    default: break
    }
  }

  /// Decides what to do now.
  private func step() {
    if watch?.isCancelled() ?? SignalNote.isNoted { return server.stop() }
    switch stage {
    case .leaving:
      if child?.isOver ?? true { server.stop() }
      return
    case .changing(.stop, _, let target), .changing(.kill, _, let target):
      guard child?.isGone ?? true, !isAsking else { return }
      child = nil
      return resume(to: target)
    default: break
    }
    if let child, case .over(let how) = child.state {
      let when =
        switch stage {
        case .beginning: "before it was ready"
        case .changing: "before it was ready again, at \(DurationText.write(director.passed))"
        default: "at \(DurationText.write(director.passed))"
        }
      return abandon("\(backendName) \(how), \(when).\(lastWords)")
    }
    switch stage {
    case .beginning: if mustReset { reset() } else { askWhetherReady(since: began) }
    case .changing(_, let since, _): askWhetherReady(since: since)
    case .running(let since):
      let passed = since.duration(to: clock.now) * options.speed
      move(to: min(passed, director.scenario.length))
    case .answering(let since, let isTold): settle(since, isTold)
    case .ticking: hurry()
    case .doubting(let since, let hangs, let sentence):
      if child == nil || since.duration(to: clock.now) > Self.doubtsFor {
        abandon(sentence + lastWords, hangs: hangs)
      }
    case .leaving: break
    }
  }

  private func askWhetherReady(since began: ContinuousClock.Instant) {
    guard let plan, let address = plan.ready ?? (plan.command.isEmpty ? nil : plan.url) else {
      if child == nil { return ready() }
      if case .running? = child?.state { ready() }
      return
    }
    guard began.duration(to: clock.now) < plan.patience else {
      return abandon(
        "\(backendName) was not ready within \(DurationText.write(plan.patience)): \(address) \(lastRefusal)."
          + lastWords, hangs: true)
    }
    if !isAsking { call("GET", plan.address(address), within: .seconds(5)) }
  }

  /// Tells a backend of an earlier play that another one begins.
  private func reset() {
    guard let plan, let address = plan.reset, !isAsking else { return }
    let now = server.gateway.work { simulator, wall in (simulator.now(wall: wall).world, []) }
    let body = JSONValue.object([
      .init("now", .double(Double(now.nanoseconds) / 1e9)), .init("seed", .string("\(director.scenario.seed)")),
      .init("scenario", .string(director.scenario.name)),
    ])
    call("POST", plan.address(address), body: body.text, within: plan.answersWithin)
  }

  /// The backend is ready, at the beginning or again.
  private func ready() {
    if case .changing(_, _, let target) = stage { return resume(to: target) }
    // A backend that persists still has the data of an earlier play, or of an earlier run.
    guard plan?.persists ?? false, plan?.reset != nil else { return begin() }
    mustReset = true
    reset()
  }

  private func begin() {
    let tellsTime = plan?.tick != nil
    let stampsByWorld = plan?.stampsByWorld ?? false
    let begins = server.gateway.work { simulator, wall in
      simulator.clock.rulesTokens = stampsByWorld
      let now = simulator.now(wall: wall).world
      // The backend has received no other time, so the phones use the machine's time.
      if !tellsTime, now < wall { simulator.clock.advance(by: now.duration(to: wall)) }
      let begins = simulator.now(wall: wall).world
      simulator.readers.logs.observer = ScenarioDirector.observer(director.scenario, began: begins)
      return (begins, [])
    }
    director.begin(at: begins)
    if tellsTime { lockStep() } else { stage = .running(since: clock.now) }
  }

  // MARK: - Time

  private func move(to target: Duration) {
    var isThere = false
    while !isThere {
      if let order = director.takeBackendOrder() { return change(order, then: target) }
      isThere = server.gateway.work { simulator, wall in
        var events: [WorldEvent] = []
        let isThere = director.moveSome(to: target, &simulator, wall: wall) { events += $0 }
        progress(ScenarioPlayer.Progress(director, simulator))
        return (isThere, events)
      }
    }
    if director.passed >= director.scenario.length, director.due == nil { finish() }
  }

  /// Carries out what a step asks of the backend, while time is stopped.
  private func change(_ order: BackendStep.Order, then target: Duration) {
    stage = .changing(order, since: clock.now, target: target)
    switch order {
    case .stop: child?.stop()
    case .kill: child?.kill()
    case .start:
      lastRefusal = "it was not checked"
      startBackend()
    }
  }

  /// Goes on after what a step has asked of the backend.
  private func resume(to target: Duration) {
    if plan?.tick == nil {
      stage = .running(since: clock.now - director.passed / options.speed)
      return
    }
    lockStep(to: target)
  }

  /// Advances to the next due moment; the first is at the beginning.
  private func lockStep(first: Bool = true) {
    guard let plan else { return }
    let length = director.scenario.length
    lockStep(to: first ? .zero : min(director.passed + plan.step, min(director.due ?? length, length)))
  }

  private func lockStep(to target: Duration) {
    stage = .answering(since: clock.now, isTold: false)
    // Everything due at the same time has been done.
    move(to: max(target, director.passed))
    guard case .answering = stage else { return }
    // In a turn of its own: without a tick to wait for, all the time until the start would be one call in another.
    if isStopped { notes.post(.appsAnswered) } else { step() }
  }

  /// True if a step has stopped the backend, so that it is not told the time.
  private var isStopped: Bool { child == nil && plan.map { !$0.command.isEmpty } ?? false }

  private func settle(_ since: ContinuousClock.Instant, _ isTold: Bool) {
    let open = server.gateway.work { simulator, _ in (simulator.world.openCalls, []) }
    guard open == 0 || since.duration(to: clock.now) > Self.settlesWithin else { return }
    guard !isTold, !isStopped, let plan, let tick = plan.tick else { return lockStep(first: false) }
    stage = .ticking
    let now = server.gateway.work { simulator, wall in (simulator.now(wall: wall), []) }
    ticks.append(now.wall)
    let body = JSONValue.object([.init("now", .double(Double(now.world.nanoseconds) / 1e9))]).text
    call("POST", plan.address(tick), body: body, within: plan.answersWithin)
  }

  /// While faults delay what the backend waits for, time continues from one due moment to the next, together with the
  /// scenario.
  private func hurry() {
    let due = server.gateway.work { simulator, wall in
      let now = simulator.now(wall: wall).world
      let due = simulator.world.holdsAnswers ? simulator.world.nextDue : nil
      return (due.map { now.duration(to: $0) }, [])
    }
    guard let due else { return }
    move(to: min(director.passed + max(due, .zero), director.scenario.length))
  }

  // MARK: - The end

  /// - Parameters:
  ///   - abandoned: the reason why the scenario is not played to its end.
  ///   - hangs: true if the reason is that the backend lives and did not answer in time.
  private func finish(abandoned: String? = nil, hangs: Bool = false) {
    var hasBegun = true
    if case .beginning = stage { hasBegun = false }
    report = server.gateway.work { simulator, _ in
      watch?.atEnd(
        Ending(
          simulator: simulator, scenario: director.scenario, struck: director.struck, ticks: ticks,
          abandoned: abandoned, hangs: hangs, hasBegun: hasBegun))
      return (director.report(simulator), [])
    }
    leave()
  }

  private func abandon(_ sentence: String, hangs: Bool = false) {
    isWhole = false
    director.abandon(sentence)
    finish(abandoned: sentence, hangs: hangs)
  }

  private func leave() {
    stage = .leaving
    if let kept, let filePlan, let child, isWhole {
      kept.keep(.init(plan: filePlan, process: child, port: port, folder: folder))
      self.child = nil
    } else {
      kept?.release()
      child?.stop()
    }
    step()
  }
}

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
    /// The backend did not answer a tick. The news of its death may follow, which says more than the failed call.
    case doubting(since: ContinuousClock.Instant, String)
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
  private let options: LiveOptions
  private let server: ServerLoop
  private let folder: RunFolder
  /// Held to the end, so that no other run takes this one's backend for its own.
  private let port: FreePort?
  private let notes = Mailbox<Note>()
  private let caller: AppCaller
  private var child: BackendProcess?
  private var director: ScenarioDirector
  private var stage = Stage.beginning
  private let clock = ContinuousClock()
  private let began: ContinuousClock.Instant
  private var isAsking = false
  private var calls: UInt64 = 0
  private var lastRefusal = "it was not checked"
  private var report: ScenarioReport?
  private let progress: (ScenarioPlayer.Progress) -> Void

  /// - Throws: `StartFailure` for problems of the machine, `InputProblem` for invalid input.
  init(
    _ file: ScenarioFile, _ options: LiveOptions, tape: String?, reports: Bool = false,
    progress: @escaping (ScenarioPlayer.Progress) -> Void
  ) throws {
    self.options = options
    self.progress = progress
    began = clock.now
    port = file.backend?.needsPort == true ? try Self.freePort() : nil
    let plan = port.flatMap { file.backend?.on(port: $0.number) } ?? file.backend
    self.plan = plan
    var settings = file.settings
    settings.backend = plan?.url ?? settings.backend
    settings.wire.drainTime = .seconds(1)
    // Only a backend that somebody else has started needs the usual ports. Others are told, so that runs can be played
    // in parallel.
    if plan.map({ !$0.command.isEmpty }) ?? (settings.backend == nil) { settings.choosePorts() }
    var scenario = file.scenario
    scenario.plan = settings.plan
    var source = file.source
    source.live?.url = settings.backend
    server = try ServerLoop(settings, origin: .scenario(source), tape: tape, reports: reports, log: options.say)
    // A signal ends the run in order from here on, so nothing stays of what follows.
    server.watchSignals()
    folder = try RunFolder()
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
    startBackend()
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
      if case .beginning = stage { return }
    case .childChanged, .appsAnswered: break
    }
    step()
  }

  private func answered(_ result: Result<AppCall.Response, AppCall.Failure>) {
    let wrong: String?
    switch result {
    case .success(let answer): wrong = (200..<300).contains(answer.status) ? nil : "answered with \(answer.status)"
    case .failure(let failure): wrong = "did not answer: \(failure.description)"
    }
    switch stage {
    case .beginning:
      // Without a ready URL, any answer means that it is ready.
      if case .success = result, plan?.ready == nil { return begin() }
      guard let wrong else { return begin() }
      lastRefusal = wrong
    case .ticking:
      if let wrong {
        stage = .doubting(
          since: clock.now, "\(backendName), at the tick for \(DurationText.write(director.passed)), \(wrong).")
      } else {
        stage = .answering(since: clock.now, isTold: true)
      }
    default: break
    }
  }

  /// Decides what to do now.
  private func step() {
    if case .leaving = stage {
      if child?.isOver ?? true { server.stop() }
      return
    }
    if let child, case .over(let how) = child.state {
      let when =
        if case .beginning = stage { "before it was ready" } else { "at \(DurationText.write(director.passed))" }
      return abandon("\(backendName) \(how), \(when).\(lastWords)")
    }
    switch stage {
    case .beginning: askWhetherReady()
    case .running(let since):
      let passed = since.duration(to: clock.now) * options.speed
      move(to: min(passed, director.scenario.length))
    case .answering(let since, let isTold): settle(since, isTold)
    case .ticking: hurry()
    case .doubting(let since, let sentence):
      if child == nil || since.duration(to: clock.now) > Self.doubtsFor { abandon(sentence + lastWords) }
    case .leaving: break
    }
  }

  private func askWhetherReady() {
    guard let plan, let address = plan.ready ?? (plan.command.isEmpty ? nil : plan.url) else {
      if child == nil { return begin() }
      if case .running? = child?.state { begin() }
      return
    }
    guard began.duration(to: clock.now) < plan.patience else {
      return abandon(
        "\(backendName) was not ready within \(DurationText.write(plan.patience)): \(address) \(lastRefusal)."
          + lastWords
      )
    }
    if !isAsking { call("GET", plan.address(address), within: .seconds(5)) }
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
      isThere = server.gateway.work { simulator, wall in
        var events: [WorldEvent] = []
        let isThere = director.moveSome(to: target, &simulator, wall: wall) { events += $0 }
        progress(ScenarioPlayer.Progress(director, simulator))
        return (isThere, events)
      }
    }
    if director.passed >= director.scenario.length, director.due == nil { finish() }
  }

  /// Advances to the next due moment; the first is at the beginning.
  private func lockStep(first: Bool = true) {
    guard let plan else { return }
    let length = director.scenario.length
    let target = first ? .zero : min(director.passed + plan.step, min(director.due ?? length, length))
    // Everything due at the same time has been done.
    move(to: max(target, director.passed))
    if case .leaving = stage { return }
    stage = .answering(since: clock.now, isTold: false)
    step()
  }

  private func settle(_ since: ContinuousClock.Instant, _ isTold: Bool) {
    let open = server.gateway.work { simulator, _ in (simulator.world.openCalls, []) }
    guard open == 0 || since.duration(to: clock.now) > Self.settlesWithin else { return }
    guard !isTold, let plan, let tick = plan.tick else { return lockStep(first: false) }
    stage = .ticking
    let now = server.gateway.work { simulator, wall in (simulator.now(wall: wall).world, []) }
    let body = JSONValue.object([.init("now", .double(Double(now.nanoseconds) / 1e9))]).text
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

  private func finish() {
    report = server.gateway.work { simulator, _ in (director.report(simulator), []) }
    leave()
  }

  private func abandon(_ sentence: String) {
    isWhole = false
    director.abandon(sentence)
    finish()
  }

  private func leave() {
    stage = .leaving
    child?.stop()
    step()
  }
}

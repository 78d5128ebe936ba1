import Configuration
import Synchronization
import Transport

/// A Pushpit within this process: gateways, virtual iPhones and the admin API.
///
/// A server works on threads of its own. A process may have several; each listens on the ports and uses the state
/// folder of its settings. A server installs no signal handlers. It has the process ignore `SIGPIPE`, so that a client
/// that is gone does not end it, and raises the soft limit of file descriptors to the hard one.
///
/// ```swift
/// var settings = Settings()
/// settings.takesFreePorts = true
/// let server = Server(settings)
/// let ready = try await server.start()
/// // Push to ready.sandbox, ask ready.admin.
/// await server.stop()
/// ```
public final class Server: Sendable {
  private let settings: Settings
  private let log: @Sendable (String) -> Void
  private let life = ServerLife()

  /// Prepares a server; nothing happens before ``start()``.
  ///
  /// - Parameter log: takes lines for people, from any thread. It must not block.
  public init(_ settings: Settings, log: @escaping @Sendable (String) -> Void = { _ in }) {
    self.settings = settings
    self.log = log
  }

  deinit { life.end(nil) }

  /// How to reach the server; nil while it does not serve.
  public var ready: ReadyLine? { life.ready }

  /// Starts the server and returns once it listens. A server that was stopped can be started again.
  ///
  /// - Returns: how to reach it.
  /// - Throws: `InputProblem` if a setting is invalid, ``StartFailure`` if the machine refuses something, such as a
  ///   port that is in use, or if the server runs already.
  @discardableResult
  public func start() async throws -> ReadyLine {
    guard life.begin() else { throw StartFailure("The server runs already.") }
    let (settings, log, life) = (settings, log, life)
    return try await withCheckedThrowingContinuation { started in
      let thread = LoopThread {
        let failure = Self.serve(settings, log, life, started)
        // All that the server had is gone by now: its ports are free.
        life.over()
        if let failure { started.resume(throwing: failure) }
      }
      if let thread { return thread.detach() }
      life.over()
      started.resume(throwing: StartFailure("The system allows no more threads."))
    }
  }

  /// Stops the server: says goodbye on every connection and finishes what is in flight, for `wire.drainTime` at most.
  /// Returns when its ports are free again, and at once if it does not run.
  public func stop() async {
    await withCheckedContinuation { life.end($0) }
  }

  /// Serves until the server is stopped.
  ///
  /// - Returns: why it could not start; nil if it did, and `started` was resumed.
  private static func serve(
    _ settings: Settings, _ log: @escaping @Sendable (String) -> Void, _ life: ServerLife,
    _ started: CheckedContinuation<ReadyLine, any Error>
  ) -> (any Error)? {
    do {
      let loop = try ServerLoop(settings, log: log)
      life.serves(loop.ready, loop.stopper)
      started.resume(returning: loop.ready)
      loop.run()
      return nil
    } catch {
      return error
    }
  }
}

/// Where a server is between its start and its end, for all who ask.
private final class ServerLife: Sendable {
  private enum Stage: Sendable {
    case idle
    case starting
    case serving(ReadyLine, StopFlag)
  }

  private struct State: Sendable {
    var stage = Stage.idle
    /// Whether it is to end as soon as it serves.
    var isUnwanted = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var ready: ReadyLine? { state.withLock { if case .serving(let ready, _) = $0.stage { ready } else { nil } } }

  /// - Returns: false if it has begun already.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state.stage else { return false }
      state.stage = .starting
      return true
    }
  }

  func serves(_ ready: ReadyLine, _ stopper: StopFlag) {
    let isUnwanted = state.withLock { state in
      state.stage = .serving(ready, stopper)
      return state.isUnwanted
    }
    if isUnwanted { stopper.stop() }
  }

  /// Has it end.
  ///
  /// - Parameter waiting: resumed when it is over.
  func end(_ waiting: CheckedContinuation<Void, Never>?) {
    let (isIdle, stopper): (Bool, StopFlag?) = state.withLock { state in
      if case .idle = state.stage { return (true, nil) }
      if let waiting { state.waiting.append(waiting) }
      state.isUnwanted = true
      return if case .serving(_, let stopper) = state.stage { (false, stopper) } else { (false, nil) }
    }
    stopper?.stop()
    if isIdle { waiting?.resume() }
  }

  func over() {
    let waiting = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }
}

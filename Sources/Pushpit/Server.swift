import Configuration
import Synchronization
import Transport

/// A Pushpit server in this process: gateways, virtual iPhones and the admin API.
///
/// A server works on its own threads. A process can have several servers; each listens on the ports and uses the state
/// folder of its settings. A server installs no signal handlers. It makes the process ignore `SIGPIPE`, so that a
/// closed connection does not end the process, and raises the soft limit of file descriptors to the hard limit.
///
/// ```swift
/// var settings = Settings()
/// settings.takesFreePorts = true
/// let server = Server(settings)
/// let ready = try await server.start()
/// // Send pushes to ready.sandbox, use the admin API at ready.admin.
/// await server.stop()
/// ```
public final class Server: Sendable {
  private let settings: Settings
  private let log: @Sendable (String) -> Void
  private let life = ServerLife()

  /// Creates a server. It does nothing before ``start()``.
  ///
  /// - Parameter log: receives messages for people, from any thread. It must not block.
  public init(_ settings: Settings, log: @escaping @Sendable (String) -> Void = { _ in }) {
    self.settings = settings
    self.log = log
  }

  deinit { life.end(nil) }

  /// The server's addresses and keys; nil while it is not running.
  public var ready: ReadyLine? { life.ready }

  /// The server's admin API without a socket; nil while it is not running.
  package var calls: DirectCalls? { life.calls }

  /// Starts the server and returns when it listens. A stopped server can be started again.
  ///
  /// - Returns: the server's addresses and keys.
  /// - Throws: `InputProblem` if a setting is invalid, ``StartFailure`` for a problem of the machine, such as a
  ///   port that is in use, or if the server is already running.
  @discardableResult
  public func start() async throws -> ReadyLine {
    guard life.begin() else { throw StartFailure("The server is already running.") }
    let (settings, log, life) = (settings, log, life)
    return try await withCheckedThrowingContinuation { started in
      let thread = LoopThread {
        let failure = Self.serve(settings, log: log, life: life, started: started)
        // The loop has been released, so the ports are free.
        life.over()
        if let failure { started.resume(throwing: failure) }
      }
      if let thread { return thread.detach() }
      life.over()
      started.resume(throwing: StartFailure("The system allows no more threads."))
    }
  }

  /// Stops the server: sends GOAWAY on every connection and finishes open requests, for at most `wire.drainTime`.
  /// Returns when the ports are free again, or immediately if the server is not running.
  public func stop() async {
    await withCheckedContinuation { life.end($0) }
  }

  /// Serves until the server is stopped.
  ///
  /// - Returns: why the server could not start; nil if it started and `started` was resumed.
  private static func serve(
    _ settings: Settings, log: @escaping @Sendable (String) -> Void, life: ServerLife,
    started: CheckedContinuation<ReadyLine, any Error>
  ) -> (any Error)? {
    do {
      let loop = try ServerLoop(settings, log: log)
      life.serves(loop.ready, stopper: loop.stopper, calls: loop.calls)
      started.resume(returning: loop.ready)
      loop.run()
      return nil
    } catch {
      return error
    }
  }
}

/// The state of a server between start and stop. Thread-safe.
private final class ServerLife: Sendable {
  private enum Stage: Sendable {
    case idle
    case starting
    case serving(ReadyLine, StopFlag, DirectCalls)
  }

  private struct State: Sendable {
    var stage = Stage.idle
    /// True if the server must stop as soon as it serves.
    var isUnwanted = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var ready: ReadyLine? { state.withLock { if case .serving(let ready, _, _) = $0.stage { ready } else { nil } } }
  var calls: DirectCalls? { state.withLock { if case .serving(_, _, let calls) = $0.stage { calls } else { nil } } }

  /// - Returns: false if the server is already starting or serving.
  func begin() -> Bool {
    state.withLock { state in
      guard case .idle = state.stage else { return false }
      state.stage = .starting
      return true
    }
  }

  func serves(_ ready: ReadyLine, stopper: StopFlag, calls: DirectCalls) {
    let isUnwanted = state.withLock { state in
      state.stage = .serving(ready, stopper, calls)
      return state.isUnwanted
    }
    if isUnwanted { stopper.stop() }
  }

  /// Stops the server.
  ///
  /// - Parameter waiting: resumed when the server has stopped.
  func end(_ waiting: CheckedContinuation<Void, Never>?) {
    let (isIdle, stopper): (Bool, StopFlag?) = state.withLock { state in
      if case .idle = state.stage { return (true, nil) }
      if let waiting { state.waiting.append(waiting) }
      state.isUnwanted = true
      return if case .serving(_, let stopper, _) = state.stage { (false, stopper) } else { (false, nil) }
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

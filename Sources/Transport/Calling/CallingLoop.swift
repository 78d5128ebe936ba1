import CCurl
import CLibevent
import Timeline

/// The loop of the thread on which apps' calls are made. Created and used only on that thread.
final class CallingLoop {
  private let base: OpaquePointer
  private let options: AppCallerOptions
  private let allowList: OutboundAllowList
  private let limiter: CallLimiter
  private let finished: ([AppCallEnd]) -> Void
  private var multi: CurlMulti?
  private var reader: MailboxReader<CallLimiter.Letter>?
  /// Once per turn: collects ended calls, reports them and starts waiting ones.
  private var round: LoopEvent?
  /// For calls that wait too long for a connection.
  private var alarm: LoopEvent?
  /// The time at which the alarm fires, in steady nanoseconds.
  private var alarmAt: Int64?

  private var queue: CallQueue
  private var flying: [ObjectIdentifier: (call: OpenCall, transfer: CurlTransfer)] = [:]
  private var idle: [CurlTransfer] = []
  private var ended: [AppCallEnd] = []
  /// Ended calls that the limiter still counts.
  private var leaving = 0
  private var isStopping = false

  /// Nanoseconds. Each alarm checks the whole queue, so it does not fire more often.
  private static let alarmSpacing: Int64 = 10_000_000
  /// Maximum duration of a call.
  private static let longest = Duration.seconds(86_400)

  init(_ options: AppCallerOptions, limiter: CallLimiter, finished: @escaping ([AppCallEnd]) -> Void) {
    self.options = options
    self.limiter = limiter
    self.finished = finished
    allowList = OutboundAllowList(allowedHosts: options.allowedHosts)
    queue = CallQueue(perHost: options.connectionsPerHost)
    base = Libevent.makeBase()
    round = LoopEvent(on: base) { [unowned self] in goRound() }
    alarm = LoopEvent(on: base) { [unowned self] in expire() }
    multi = CurlMulti(on: base, connections: options.connections, perHost: options.connectionsPerHost) {
      [unowned self] in round?.activate()
    }
    reader = MailboxReader(limiter.mailbox, on: base) { [unowned self] in read($0) }
  }

  deinit {
    reader = nil
    multi = nil
    idle = []
    alarm = nil
    round = nil
    event_base_free(base)
  }

  /// Runs until a message says stop; then every call has ended and was reported.
  func run() { event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY) }

  // MARK: Orders

  private func read(_ letter: CallLimiter.Letter) {
    switch letter {
    case .start(let calls, let now):
      for call in calls { start(call, at: now) }
    case .refuse(let calls):
      let room = options.queue + options.connections
      for (number, url) in calls {
        let sentence = "\(url): \(room) calls are already open, which is the limit; nothing was sent"
        end(number, .failure(.init(.queueFull, sentence)), took: .zero)
      }
    case .cancel(let numbers): cancel(Set(numbers))
    case .stop:
      isStopping = true
      cancelAll { _ in true }
      goRound()
      event_base_loopbreak(base)
      return
    }
    round?.activate()
  }

  private func start(_ call: AppCall, at now: Int64) {
    leaving += 1
    do throws(AppCall.Failure) {
      if let complaint = call.complaint { throw complaint }
      let target = try CallTarget(call.url)
      guard allowList.mayCall(target.host) else {
        let sentence =
          "\(target.authority) is not on this machine, and \(target.host) is not among the allowed hosts; "
          + "nothing was sent"
        throw AppCall.Failure(.hostNotAllowed, sentence)
      }
      let timeout = min(max(call.timeout, .zero), Self.longest)
      leaving -= 1
      let deadline = now + timeout.wholeNanoseconds
      queue.append(OpenCall(call: call, target: target, started: now, deadline: deadline))
      setAlarm(deadline)
    } catch {
      end(call.number, .failure(error), took: .zero)
    }
  }

  private func cancel(_ numbers: Set<UInt64>) { cancelAll { numbers.contains($0.call.number) } }

  private func cancelAll(where isMeant: (OpenCall) -> Bool) {
    for open in queue.remove(where: isMeant) {
      end(open, .failure(.init(.cancelled, "the call to \(open.target.authority) was cancelled; nothing was sent")))
    }
    for (name, (open, transfer)) in flying where isMeant(open) {
      multi?.remove(transfer)
      land(name)
      end(open, .failure(.init(.cancelled, "the call to \(open.target.authority) was cancelled in flight")))
    }
  }

  // MARK: Rounds

  private func goRound() {
    while let (transfer, code) = multi?.next() {
      guard let open = land(ObjectIdentifier(transfer)) else { continue }
      end(open, transfer.outcome(code, of: open))
    }
    if !isStopping { sendNext() }
    reportEnded()
  }

  private func sendNext() {
    while flying.count < options.connections, let open = queue.next() {
      let left = open.deadline - Libevent.steadyNanoseconds
      guard left > 0 else {
        queue.landed(open.target.authority)
        end(open, Self.waitedTooLong(open))
        continue
      }
      guard let multi else { return }
      let transfer = idle.popLast() ?? CurlTransfer(options, sockets: multi.sockets)
      // Rounded up, because 0 would mean no limit.
      let milliseconds = Int((left + 999_999) / 1_000_000)
      transfer.prepare(open.call, mayLeave: allowList.mayLeave(for: open.target.host), milliseconds: milliseconds)
      flying[ObjectIdentifier(transfer)] = (open, transfer)
      if !multi.add(transfer) {
        land(ObjectIdentifier(transfer))
        end(open, .failure(.init(.other, "libcurl did not take the call to \(open.target.authority)")))
      }
    }
  }

  @discardableResult
  private func land(_ name: ObjectIdentifier) -> OpenCall? {
    guard let (open, transfer) = flying.removeValue(forKey: name) else { return nil }
    queue.landed(open.target.authority)
    idle.append(transfer)
    return open
  }

  private func reportEnded() {
    while !ended.isEmpty {
      let batch = ended
      ended = []
      // Before the report, so that the receiver can start new calls in the free places.
      limiter.leave(leaving)
      leaving = 0
      finished(batch)
    }
  }

  private func end(_ open: OpenCall, _ result: Result<AppCall.Response, AppCall.Failure>) {
    leaving += 1
    end(open.call.number, result, took: .nanoseconds(Libevent.steadyNanoseconds - open.started))
  }

  private func end(_ number: UInt64, _ result: Result<AppCall.Response, AppCall.Failure>, took: Duration) {
    ended.append(AppCallEnd(number: number, result: result, took: took))
  }

  // MARK: Waiting too long

  private func setAlarm(_ deadline: Int64) {
    if let alarmAt, alarmAt <= deadline { return }
    let now = Libevent.steadyNanoseconds
    let time = max(deadline, now + Self.alarmSpacing)
    alarmAt = time
    alarm?.add(timeout: .nanoseconds(time - now))
  }

  private func expire() {
    alarmAt = nil
    let now = Libevent.steadyNanoseconds
    for open in queue.remove(where: { $0.deadline <= now }) { end(open, Self.waitedTooLong(open)) }
    if let first = queue.firstDeadline { setAlarm(first) }
    round?.activate()
  }

  private static func waitedTooLong(_ open: OpenCall) -> Result<AppCall.Response, AppCall.Failure> {
    let time = DurationText.write(open.call.timeout)
    let sentence = "the call to \(open.target.authority) waited \(time) for a free connection; nothing was sent"
    return .failure(.init(.timedOut, sentence))
  }
}

import APNs
import Admin
import Devices
import HTTP2
import Reporting
import Scenarios
import Simulation
import Synchronization
import Timeline
import Transport

/// Connects the wire and the world: passes requests to the world's entry points, and the world's effects to
/// connections.
///
/// The simulator is behind one lock, taken once per read of a connection. Parsing, TLS, rules that need no phone,
/// responses, readers and writing are outside of it.
package final class Gateway: PushSink {
  private let guarded: Mutex<GatewayState>
  /// Number of waits of pushes for the lock, including waits in progress.
  package let waitsBegun = Atomic<Int>(0)
  private let readers: ReaderQueue
  private let tokens: SealedTokens
  /// Decoders of the content states of each app's activity types.
  private let decoders: [[ContentDecoder?]]
  private let names: WorldNames
  /// The time when the server was started: if it differs, the numbers of events have begun again for viewers.
  private let run = "\(SystemClock.now.nanoseconds)"
  /// Called, from any thread, when calls of apps have ended.
  private let appsAnswered = Mutex<(@Sendable () -> Void)?>(nil)
  let log: @Sendable (String) -> Void
  let readCertificate: CertificateReader
  /// A copy of the world's, for handshakes.
  let suspended: Mutex<SuspendedCertificates>
  let rulebook: Rulebook
  /// Nil if no streams are announced.
  private let authorisedStreams: Int?

  /// Reads the certificate that a client has presented; the certificate is ignored if the result is nil.
  package typealias CertificateReader = @Sendable (ClientCertificate) -> ProviderCertificate?

  /// - Parameters:
  ///   - announcesStreams: whether an accepted provider token raises the stream limit at all.
  ///   - log: receives messages for people, from any thread.
  package init(
    _ simulator: Simulator, authorisedStreams: Int, announcesStreams: Bool,
    readCertificate: @escaping CertificateReader = { _ in nil }, log: @escaping @Sendable (String) -> Void
  ) {
    self.readCertificate = readCertificate
    let dispatcher = EffectDispatcher(authorisedStreams: announcesStreams ? authorisedStreams : nil)
    self.authorisedStreams = dispatcher.authorisedStreams
    // The simulator uses temporary readers until these are passed to it.
    var simulator = simulator
    let own = simulator.readers
    simulator.readers = EventReaders(EventLogs(pushLogCapacity: 1), apps: [])
    readers = ReaderQueue(own)
    tokens = simulator.world.fleet.sealed
    decoders = simulator.world.fleet.model.decoders
    names = simulator.world.names
    rulebook = simulator.world.rulebook
    suspended = Mutex(simulator.world.suspendedCertificates)
    let log: @Sendable (String) -> Void = { log("\(SystemClock.now.rfc3339) \($0)") }
    self.log = log
    guarded = Mutex(GatewayState(simulator: simulator, dispatcher: dispatcher, queue: readers, log: log))
  }

  /// Connections get numbers after that one.
  func countConnections(after number: UInt64) { guarded.withLock { $0.opened = number } }

  /// Sets how to reach connections other than the current one.
  func connect(_ poster: EffectPoster) { guarded.withLock { $0.dispatcher.poster = poster } }

  /// Sets the caller of the apps' backends.
  func connect(_ caller: AppCaller) { guarded.withLock { $0.dispatcher.caller = caller } }

  /// Sets the handler of listener faults; it is called with the lock held.
  func connect(_ listeners: @escaping @Sendable (ListenerFault?, Environment?) -> Void) {
    guarded.withLock { $0.dispatcher.listeners = listeners }
  }

  /// Sets the alarm that calls `advance` at a time of the machine's clock; it is called with the lock held.
  func connect(_ main: MainLoopPoster, alarm: @escaping @Sendable (Instant) -> Void) {
    let ended = guarded.withLock { guarded in
      guarded.main = main
      guarded.dispatcher.alarm = alarm
      return guarded.finish(SystemClock.now)
    }
    reportEnded(ended)
  }

  /// Sets a closure to call, from any thread, when calls of apps have ended.
  package func onAppsAnswered(_ tell: @escaping @Sendable () -> Void) { appsAnswered.withLock { $0 = tell } }

  /// Feeds ended app calls back into the world as `.answer` commands.
  func answered(_ ends: [AppCallEnd]) {
    work { simulator, wall in
      for end in ends {
        let now = simulator.now(wall: wall)
        do throws(CommandProblem) {
          try simulator.world.perform(.answer(end.number, CallOutcome(end.result)), at: now)
        } catch {
          // The world accepts every answer; an unexpected one changes nothing.
        }
      }
      return ((), simulator.settle())
    }
    if let tell = appsAnswered.withLock({ $0 }) { tell() }
  }

  private func reportEnded(_ ends: [AppCallEnd]) { if !ends.isEmpty { answered(ends) } }

  /// Runs a closure of the admin API on the simulator; the events it causes are passed to the wire.
  package func work<Result: Sendable>(_ body: (inout sending Simulator, Instant) -> (Result, [WorldEvent])) -> Result {
    while true {
      // Before taking the lock, so that unread events do not prolong its hold.
      readers.readAll()
      let (result, ended) = guarded.withLock { guarded -> (Result?, [AppCallEnd]) in
        let began = SystemClock.threadNanoseconds
        defer { guarded.simulator.holds.add(SystemClock.threadNanoseconds &- began) }
        let wall = SystemClock.now
        guard guarded.catchUp(wall) else { return (nil, guarded.finish(wall)) }
        let (result, events) = readers.lend(to: &guarded.simulator) { body(&$0, wall) }
        let suspended = guarded.simulator.world.suspendedCertificates
        self.suspended.withLock { if $0 != suspended { $0 = suspended } }
        guarded.ended += guarded.dispatcher.deliver(events, guarded.wires)
        return (result, guarded.finish(wall))
      }
      readers.drain()
      reportEnded(ended)
      if let result { return result }
    }
  }

  /// Advances time as far as is done in one go; the alarm fires again for the rest.
  func advance() {
    let ended = guarded.withLock { guarded in
      let began = SystemClock.threadNanoseconds
      defer { guarded.simulator.holds.add(SystemClock.threadNanoseconds &- began) }
      let wall = SystemClock.now
      guarded.alarm.rang()
      guarded.goOn(wall)
      return guarded.finish(wall)
    }
    readers.drain()
    reportEnded(ended)
  }

  /// Times for which pushes have waited for the lock.
  package var waits: LockTimes { guarded.withLock { $0.simulator.waits } }

  /// Lends the readers to a closure after they have read everything. Pushes are served meanwhile.
  func look(_ body: (borrowing EventReaders) -> Void) { readers.look(body) }

  /// The bytes that a viewer of the event stream gets now.
  func next(for viewer: inout EventViewer) -> [UInt8] {
    let now = SystemClock.steadyNanoseconds
    let messages = readers.look { viewer.next($0, at: now) }
    let rejected = messages.flatMap(\.rejected)
    let names = rejected.isEmpty ? self.names : guarded.withLock { $0.simulator.world.names(for: rejected) }
    return messages.isEmpty ? [] : EventStream.write(messages, names, run: run)
  }

  /// The report of everything so far.
  func report(_ origin: RunReport.Origin, _ processors: RunReport.Processors?) -> RunReport {
    readers.report(origin, processors)
  }

  func add(_ sample: RateSeries.Sample) { readers.add(sample) }

  /// Lets the readers, including the tape, read all events.
  func readAll() { readers.readAll() }

  /// Runs a closure on the main loop when the world has reached its clock's target.
  func whenThere(_ job: @escaping @Sendable () -> Void) {
    let ended = guarded.withLock { guarded in
      guarded.waiting.append(job)
      return guarded.finish(SystemClock.now)
    }
    reportEnded(ended)
  }

  // MARK: - PushSink

  package func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> ConnectionSetup {
    let environment = Listeners.environment(connection.listener)
    let manages = Listeners.managesChannels(connection.listener)
    while true {
      let presented = connection.tls.clientCertificate
      // The list of certificates may change while this one is read; then it is read again.
      let generation = presented == nil ? nil : guarded.withLock { $0.simulator.world.rules.generation }
      let certificate = presented.flatMap(readCertificate)
      let (validator, turn) = guarded.withLock { guarded -> (ConnectionValidator?, Turn) in
        let wall = SystemClock.now
        guard guarded.catchUp(wall), generation == nil || generation == guarded.simulator.world.rules.generation else {
          return (nil, Turn(ended: guarded.finish(wall)))
        }
        guarded.opened += 1
        let id = ProviderConnectionID(guarded.opened)
        guarded.wires[id] = connection.id
        guarded.simulator.world.connectionOpened(
          id, to: environment, peer: connection.peer, managesChannels: manages, certificate: certificate,
          at: guarded.simulator.now(wall: wall))
        guarded.settle()
        var turn = Turn(opened: id)
        passOn(&guarded, of: id, &turn)
        turn.ended = guarded.finish(wall)
        let rules = guarded.simulator.world.rules
        return (guarded.simulator.world.provider(of: id).map { ConnectionValidator($0, rules) }, turn)
      }
      take(turn, of: turn.opened, into: &effects)
      if let validator {
        // Observed: a client whose certificate is accepted may use many streams from the first SETTINGS frame on.
        return ConnectionSetup(
          token: turn.opened.number, state: manages ? nil : validator,
          announcedStreams: validator.provider.isAuthorised ? authorisedStreams : nil)
      }
    }
  }

  package func received(
    _ requests: [IncomingRequest], on connection: ConnectionID, token: UInt64, state: AnyObject?,
    into effects: inout Effects
  ) -> Int {
    let id = ProviderConnectionID(token)
    let validator = state as? ConnectionValidator
    let checked =
      validator?.check(requests, tokens: tokens, decoders: decoders, at: SystemClock.now)
      ?? ConnectionValidator.Checked()
    let batch = Batch(requests: requests, checked: checked, validator: validator, id: id, wire: connection)
    // If a fault has changed the streams, that is carried out before the remaining requests are passed again.
    var taken = 0
    while taken == 0, !requests.isEmpty {
      var turn = Turn()
      if let served = guarded.withLockIfAvailable({ serve(batch, guarded: &$0, turn: &turn) }) {
        taken = served
      } else {
        taken = waitAndServe(batch, &turn)
      }
      take(turn, of: id, into: &effects)
    }
    return taken
  }

  /// Waits for the lock, measures the wait, and then serves the batch.
  private func waitAndServe(_ batch: borrowing Batch, _ turn: inout Turn) -> Int {
    let began = SystemClock.steadyNanoseconds
    waitsBegun.add(1, ordering: .relaxed)
    return guarded.withLock { guarded in
      guarded.simulator.waits.add(SystemClock.steadyNanoseconds &- began)
      return serve(batch, guarded: &guarded, turn: &turn)
    }
  }

  /// The requests of one read of a connection.
  private struct Batch {
    let requests: [IncomingRequest]
    let checked: ConnectionValidator.Checked
    let validator: ConnectionValidator?
    let id: ProviderConnectionID
    let wire: ConnectionID
  }

  /// Everything done for requests with the lock held; `Benchmarks/instructions.py` counts it by this name.
  ///
  /// - Returns: the number of requests accepted.
  @inline(never)
  private func serve(_ batch: borrowing Batch, guarded: inout GatewayState, turn: inout Turn) -> Int {
    // Read here, under the lock: a thread that waited for the lock must not use an older time.
    let wall = SystemClock.now
    var taken = 0
    if guarded.catchUp(wall) {
      // Connections check by the machine's clock. If the world's time applies to tokens, the world checks; so it does
      // if keys or certificates have changed meanwhile.
      let isValid =
        !guarded.simulator.clock.rulesTokens && batch.checked.generation == guarded.simulator.world.rules.generation
      let checked = isValid ? batch.checked.list.count : 0
      taken = receive(batch, checked: checked, in: &guarded.simulator.world, at: guarded.simulator.now(wall: wall))
      // The connection may have another provider token from now on.
      if taken > checked, let validator = batch.validator,
        let provider = guarded.simulator.world.provider(of: batch.id)
      {
        validator.update(provider, guarded.simulator.world.rules)
      }
      guarded.settle()
      passOn(&guarded, of: batch.id, &turn)
      if taken == batch.requests.count, let poster = guarded.dispatcher.poster, poster.isWaiting(for: batch.wire) {
        // Effects posted earlier are still in the loop's mailbox: these are queued behind them.
        var late = Effects()
        addOwn(turn.events, of: batch.id, into: &late)
        turn.events = []
        poster.post(late, to: batch.wire)
      }
    }
    turn.ended = guarded.finish(wall)
    return taken
  }

  /// - Parameter checked: the number of requests that have been checked.
  private func receive(_ batch: borrowing Batch, checked: Int, in world: inout World, at now: Now) -> Int {
    let checkedAt = Now(world: now.world, wall: batch.checked.at)
    // A span lends its elements; an array would give copies, and retain their parts.
    let list = batch.checked.list
    let verdicts = list.span
    for place in batch.requests.indices {
      let stream = StreamID(batch.id, batch.requests[place].stream)
      let streamsStay =
        place < checked
        ? world.receive(verdicts[place], batch.checked.activities[place], on: stream, at: checkedAt)
        : world.receive(batch.requests[place].request, on: stream, at: now)
      guard streamsStay else { return place + 1 }
    }
    return batch.requests.count
  }

  package func cancelled(_ streams: [Int32], on connection: ConnectionID, token: UInt64) {
    // The session drops answers given in this turn, and the world drops delayed ones.
    answersWent(streams.map { ($0, .never(.clientReset)) }, token: token)
  }

  package func answers(_ reports: [AnswerReport], on connection: ConnectionID, token: UInt64) {
    answersWent(reports.map { ($0.stream, AnswerProgress($0.kind)) }, token: token)
  }

  private func answersWent(_ progress: [(stream: Int32, AnswerProgress)], token: UInt64) {
    work { simulator, wall in
      simulator.answersWent(progress, on: ProviderConnectionID(token), at: simulator.now(wall: wall))
      return ((), simulator.settle())
    }
  }

  package func closed(_ connection: ConnectionID, token: UInt64, why: CloseReason) {
    update { simulator, now, wires in
      let id = ProviderConnectionID(token)
      wires[id] = nil
      simulator.world.connectionClosed(id, at: now)
      simulator.forgetAnswers(on: id)
    }
  }

  // MARK: - Details

  /// Changes the simulator for something other than a request, and dispatches work that was due meanwhile.
  func update(_ body: (inout Simulator, Now, inout [ProviderConnectionID: ConnectionID]) -> Void) {
    var isDone = false
    while !isDone {
      let ended = guarded.withLock { guarded in
        let wall = SystemClock.now
        isDone = guarded.catchUp(wall)
        if isDone {
          body(&guarded.simulator, guarded.simulator.now(wall: wall), &guarded.wires)
          guarded.settle()
          guarded.deliver()
        }
        return guarded.finish(wall)
      }
      readers.drain()
      reportEnded(ended)
    }
  }

  /// The results of a turn under the lock, to be processed without it.
  private struct Turn {
    /// The connection that was opened in this turn.
    var opened = ProviderConnectionID(0)
    /// All events; those of the current connection are carried out by its loop.
    var events: [WorldEvent] = []
    /// For the log.
    var troubles: [ClientTrouble] = []
    var ended: [AppCallEnd] = []
  }

  private func take(_ turn: Turn, of id: ProviderConnectionID, into effects: inout Effects) {
    addOwn(turn.events, of: id, into: &effects)
    readers.drain()
    for trouble in turn.troubles { log("\(trouble.peer): \(trouble.sentence)") }
    reportEnded(turn.ended)
  }

  /// Under the lock: dispatches the events that do not concern the current connection.
  private func passOn(_ guarded: inout GatewayState, of id: ProviderConnectionID, _ turn: inout Turn) {
    turn.events = guarded.events
    guarded.events = []
    var calls = CallCommands()
    for index in turn.events.indices where !turn.events[index].isAbout(id) {
      if case .trouble(let trouble) = turn.events[index] { turn.troubles.append(trouble) }
      guarded.dispatcher.deliver(turn.events[index], wires: guarded.wires, calls: &calls)
    }
    guarded.ended += guarded.dispatcher.carry(out: calls)
  }

  /// On the loop of the current connection: its answers and effects.
  private func addOwn(_ events: [WorldEvent], of id: ProviderConnectionID, into effects: inout Effects) {
    for index in events.indices where events[index].isAbout(id) {
      if case .push(let record) = events[index] {
        // Nothing else of the record is copied.
        if !record.isAnsweredApart { effects.respond(record.stream.number, record.answer.response) }
        continue
      }
      switch events[index] {
      case .channels(let record) where !record.isAnsweredApart:
        effects.respond(record.stream.number, record.answer.response)
      case .streamsAllowed: if let streams = authorisedStreams { effects.append(.announceStreams(streams)) }
      case .wire(_, let order): for effect in Effect.of(order) { effects.append(effect) }
      default: break
      }
    }
  }
}

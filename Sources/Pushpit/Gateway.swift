import APNs
import HTTP2
import Reporting
import Simulation
import Synchronization
import Timeline
import Transport

/// Joins the wire and the world: requests go in at the world's doors, and what concerns connections comes back out.
///
/// The station is behind one lock, taken once per read of a connection; parsing, TLS and writing are outside it.
final class Gateway: PushSink {
  private struct Guarded: Sendable {
    var station: Station
    var outlets: Outlets
    /// Used again from batch to batch.
    var events: [Event] = []
    var opened: UInt64 = 0
    /// Where answers go: the wire's name of each connection of the world.
    var wires: [Simulation.ConnectionID: Transport.ConnectionID] = [:]
    var alarm = DueAlarm()
    /// Time and faults on many devices go on in turns, so that no hold of the lock is as long as both.
    var wavesAreNext = false
    /// Done on the main loop when the world is where its clock is.
    var waiting: [@Sendable () -> Void] = []
    var main: MainLoopPoster?
    /// Calls of apps that ended at once, which the world does not know yet.
    var ended: [AppCallEnd] = []

    mutating func settle() { station.settle(into: &events) }

    mutating func deliver() { if !events.isEmpty { ended += outlets.deliver(events, wires) } }

    /// Lets happen what is due, as much as is done in one go; others have the lock before the rest.
    ///
    /// - Returns: whether what happens next may happen now.
    mutating func catchUp(_ wall: Instant) -> Bool {
      station.step(wall: wall)
      if station.world.hasNews {
        settle()
        deliver()
      }
      return !station.isAtWork
    }

    /// What the alarm rings for: time passes, and faults reach more devices.
    mutating func goOn(_ wall: Instant) {
      wavesAreNext = station.world.hasWaves && !(wavesAreNext && station.clock.isBehind)
      guard wavesAreNext else {
        _ = catchUp(wall)
        return
      }
      station.stepWaves(wall: wall)
      settle()
      deliver()
    }

    /// What every turn at the lock ends with.
    ///
    /// - Returns: what the world is to be told in another.
    mutating func finish(_ wall: Instant) -> [AppCallEnd] {
      if let due = alarm.set(station.wakeUp(wall: wall), wall: wall) { outlets.alarm?(due) }
      if !waiting.isEmpty, !station.clock.isBehind {
        for job in waiting { main?.post(job) }
        waiting = []
      }
      guard !ended.isEmpty else { return [] }
      defer { ended = [] }
      return ended
    }
  }

  private let guarded: Mutex<Guarded>
  /// Told, from any thread, when calls of apps have ended.
  private let appsAnswered = Mutex<(@Sendable () -> Void)?>(nil)
  private let log: @Sendable (String) -> Void

  /// - Parameters:
  ///   - announcesStreams: whether passing the gate raises the stream limit at all.
  ///   - log: a line for people, from any thread.
  init(
    _ station: Station, authorisedStreams: Int, announcesStreams: Bool, log: @escaping @Sendable (String) -> Void
  ) {
    let outlets = Outlets(authorisedStreams: announcesStreams ? authorisedStreams : nil)
    guarded = Mutex(Guarded(station: station, outlets: outlets))
    self.log = { log("\(SystemClock.now.rfc3339) \($0)") }
  }

  /// Tells the gateway how to reach connections other than the one it is called about.
  func connect(_ poster: EffectPoster) { guarded.withLock { $0.outlets.poster = poster } }

  /// Tells the gateway who carries the calls of apps.
  func connect(_ caller: AppCaller) { guarded.withLock { $0.outlets.caller = caller } }

  /// Tells the gateway who minds the listeners; called with the lock held.
  func connect(_ listeners: @escaping @Sendable (ListenerFault?, Environment?) -> Void) {
    guarded.withLock { $0.outlets.listeners = listeners }
  }

  /// Tells the gateway who has `advance` called at a time of the machine's clock; called with the lock held.
  func connect(_ main: MainLoopPoster, alarm: @escaping @Sendable (Instant) -> Void) {
    let ended = guarded.withLock { guarded in
      guarded.main = main
      guarded.outlets.alarm = alarm
      return guarded.finish(SystemClock.now)
    }
    tellEnded(ended)
  }

  /// Has somebody told, from any thread, when calls of apps have ended.
  func onAppsAnswered(_ tell: @escaping @Sendable () -> Void) { appsAnswered.withLock { $0 = tell } }

  /// Calls of apps have ended: the answers go in at the world's door, as if the network were a person.
  func answered(_ ends: [AppCallEnd]) {
    work { station, wall in
      for end in ends {
        let now = station.now(wall: wall)
        do throws(CommandProblem) {
          try station.world.perform(.answer(end.number, CallOutcome(end.result)), at: now)
        } catch {
          // No answer is refused: one that nobody waits for changes nothing.
        }
      }
      return ((), station.settle())
    }
    if let tell = appsAnswered.withLock({ $0 }) { tell() }
  }

  private func tellEnded(_ ends: [AppCallEnd]) { if !ends.isEmpty { answered(ends) } }

  /// Lets the admin API work on the station; what it caused is shown to the wire.
  func work<Result: Sendable>(_ body: (inout sending Station, Instant) -> (Result, [Event])) -> Result {
    while true {
      let (result, ended) = guarded.withLock { guarded -> (Result?, [AppCallEnd]) in
        let began = SystemClock.threadNanoseconds
        defer { guarded.station.holds.add(SystemClock.threadNanoseconds &- began) }
        let wall = SystemClock.now
        guard guarded.catchUp(wall) else { return (nil, guarded.finish(wall)) }
        let (result, events) = body(&guarded.station, wall)
        guarded.ended += guarded.outlets.deliver(events, guarded.wires)
        return (result, guarded.finish(wall))
      }
      tellEnded(ended)
      if let result { return result }
    }
  }

  /// Lets time pass, as far as is done in one go; the rest follows by another ring of the alarm.
  func advance() {
    let ended = guarded.withLock { guarded in
      let began = SystemClock.threadNanoseconds
      defer { guarded.station.holds.add(SystemClock.threadNanoseconds &- began) }
      let wall = SystemClock.now
      guarded.alarm.rang()
      guarded.goOn(wall)
      return guarded.finish(wall)
    }
    tellEnded(ended)
  }

  /// Has something done on the main loop when the world is where its clock is.
  func whenThere(_ job: @escaping @Sendable () -> Void) {
    let ended = guarded.withLock { guarded in
      guarded.waiting.append(job)
      return guarded.finish(SystemClock.now)
    }
    tellEnded(ended)
  }

  // MARK: - PushSink

  func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> Admission {
    let environment = Listeners.environment(connection.listener)
    while true {
      let (number, turn) = guarded.withLock { guarded -> (UInt64?, Turn) in
        let wall = SystemClock.now
        guard guarded.catchUp(wall) else { return (nil, Turn(ended: guarded.finish(wall))) }
        guarded.opened += 1
        let id = Simulation.ConnectionID(guarded.opened)
        guarded.wires[id] = connection.id
        guarded.station.world.connectionOpened(
          id, to: environment, peer: connection.peer,
          managesChannels: Listeners.managesChannels(connection.listener), at: guarded.station.now(wall: wall))
        guarded.settle()
        var turn = Turn()
        for event in guarded.events { pass(on: event, of: id, guarded, into: &effects, &turn) }
        guarded.ended += guarded.outlets.carry(out: turn.calls)
        turn.ended = guarded.finish(wall)
        return (guarded.opened, turn)
      }
      finish(turn)
      if let number { return Admission(token: number) }
    }
  }

  func received(
    _ requests: [IncomingRequest], on connection: Transport.ConnectionID, token: UInt64, into effects: inout Effects
  ) -> Int {
    let id = Simulation.ConnectionID(token)
    // What a fault has changed of the streams is carried out before the rest of the requests come again.
    var taken = 0
    while taken == 0, !requests.isEmpty {
      var turn = Turn()
      guarded.withLock { guarded in
        // Read here, under the lock: a thread that waited for the lock must not use an older time.
        let wall = SystemClock.now
        if guarded.catchUp(wall) {
          taken = receive(requests, of: id, on: connection, &guarded, wall, into: &effects, &turn)
        }
        turn.ended = guarded.finish(wall)
      }
      finish(turn)
    }
    return taken
  }

  private func receive(
    _ requests: [IncomingRequest], of id: Simulation.ConnectionID, on connection: Transport.ConnectionID,
    _ guarded: inout Guarded, _ wall: Instant, into effects: inout Effects, _ turn: inout Turn
  ) -> Int {
    let now = guarded.station.now(wall: wall)
    var taken = 0
    for request in requests {
      taken += 1
      guard guarded.station.world.receive(request.request, on: StreamID(id, request.stream), at: now) else { break }
    }
    guarded.settle()
    if taken == requests.count, let poster = guarded.outlets.poster, poster.isWaiting(for: connection) {
      // What was ordered before lies in the loop's box still: these queue up behind it.
      var late = Effects()
      sort(guarded, of: id, into: &late, &turn)
      poster.post(late, to: connection)
    } else {
      sort(guarded, of: id, into: &effects, &turn)
    }
    guarded.ended += guarded.outlets.carry(out: turn.calls)
    return taken
  }

  private func sort(
    _ guarded: borrowing Guarded, of id: Simulation.ConnectionID, into effects: inout Effects, _ turn: inout Turn
  ) {
    // By index: an event is looked at where it lies, for a copy of one costs as much as answering it.
    Event.sort(guarded.events, of: id, answers: { effects.respond($0, $1) }) { event in
      pass(on: event, of: id, guarded, into: &effects, &turn)
    }
  }

  func cancelled(_ streams: [Int32], on connection: Transport.ConnectionID, token: UInt64) {
    // What is answered in this turn is dropped by the session, and what a fault holds back by the world.
    answersWent(streams.map { ($0, .never(.clientReset)) }, token: token)
  }

  func answers(_ reports: [AnswerReport], on connection: Transport.ConnectionID, token: UInt64) {
    answersWent(reports.map { ($0.stream, AnswerNews($0.kind)) }, token: token)
  }

  private func answersWent(_ news: [(stream: Int32, AnswerNews)], token: UInt64) {
    work { station, wall in
      station.answersWent(news, on: Simulation.ConnectionID(token), at: station.now(wall: wall))
      return ((), station.settle())
    }
  }

  func closed(_ connection: Transport.ConnectionID, token: UInt64, why: CloseReason) {
    tell { world, now, wires in
      let id = Simulation.ConnectionID(token)
      wires[id] = nil
      world.connectionClosed(id, at: now)
    }
    guarded.withLock { $0.station.forgetAnswers(on: Simulation.ConnectionID(token)) }
  }

  func ignored(_ streams: [Int32], on connection: Transport.ConnectionID, token: UInt64) {
    tell { world, now, _ in world.streamsIgnored(streams, on: Simulation.ConnectionID(token), at: now) }
    let names = streams.map(String.init).joined(separator: ", ")
    log("Connection \(token): the client opened \(names) after GOAWAY had named a lower last stream; nobody answers.")
  }

  func unserved(_ streams: [UnservedStream], on connection: Transport.ConnectionID, token: UInt64) {
    for report in UnservedReport.of(streams) {
      tell { world, now, _ in
        world.streamsUnserved(report.kind, report.sentence, on: Simulation.ConnectionID(token), at: now)
      }
      log("Connection \(token): \(report.sentence)")
    }
  }

  func trouble(_ trouble: Transport.Trouble) {
    let sentence = trouble.sentence.prefix(1).uppercased() + trouble.sentence.dropFirst() + "."
    let from = trouble.peer.isEmpty ? "" : "\(trouble.peer): "
    log(from + sentence)
    tell { world, now, _ in world.connectionTroubled(trouble.kind.name, peer: trouble.peer, sentence, at: now) }
  }

  // MARK: - Details

  /// Tells the world of something that is no request; what fell due meanwhile goes its way.
  private func tell(_ body: (inout World, Now, inout [Simulation.ConnectionID: Transport.ConnectionID]) -> Void) {
    var isDone = false
    while !isDone {
      let ended = guarded.withLock { guarded in
        let wall = SystemClock.now
        isDone = guarded.catchUp(wall)
        if isDone {
          body(&guarded.station.world, guarded.station.now(wall: wall), &guarded.wires)
          guarded.settle()
          guarded.deliver()
        }
        return guarded.finish(wall)
      }
      tellEnded(ended)
    }
  }

  /// What a turn at the lock leaves to be done without it.
  private struct Turn {
    var calls = CallOrders()
    /// For the log.
    var troubles: [Simulation.Trouble] = []
    var ended: [AppCallEnd] = []
  }

  private func finish(_ turn: Turn) {
    for trouble in turn.troubles { log("\(trouble.peer): \(trouble.sentence)") }
    tellEnded(turn.ended)
  }

  /// What is no answer to the connection at hand.
  private func pass(
    on event: Event, of id: Simulation.ConnectionID, _ guarded: borrowing Guarded, into effects: inout Effects,
    _ turn: inout Turn
  ) {
    switch event {
    case .streamsAllowed(let authorised) where authorised == id:
      if let streams = guarded.outlets.authorisedStreams { effects.append(.announceStreams(streams)) }
    case .trouble(let trouble): turn.troubles.append(trouble)
    case .wire(let own, let order) where own == id:
      for effect in guarded.outlets.effects(of: order) { effects.append(effect) }
    default:
      if let answer = event.answer(on: id) {
        effects.respond(answer.stream, answer.response)
      } else {
        guarded.outlets.deliver(event, guarded.wires, &turn.calls)
      }
    }
  }
}

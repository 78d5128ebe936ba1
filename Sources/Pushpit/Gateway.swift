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
    /// Used again from batch to batch.
    var events: [Event] = []
    var opened: UInt64 = 0
    /// Where answers go: the wire's name of each connection of the world.
    var wires: [Simulation.ConnectionID: Transport.ConnectionID] = [:]

    mutating func settle() { station.settle(into: &events) }
  }

  private let guarded: Mutex<Guarded>
  private let poster = Mutex<EffectPoster?>(nil)
  private let caller = Mutex<AppCaller?>(nil)
  /// Carries out what faults want of the listeners.
  private let doorman = Mutex<(@Sendable (ListenerFault?, Environment?) -> Void)?>(nil)
  /// Told, from any thread, when calls of apps have ended.
  private let appsAnswered = Mutex<(@Sendable () -> Void)?>(nil)
  private let authorisedStreams: Int
  private let announces: Bool
  private let log: @Sendable (String) -> Void

  /// - Parameters:
  ///   - announcesStreams: whether passing the gate raises the stream limit at all.
  ///   - log: a line for people, from any thread.
  init(
    _ station: Station, authorisedStreams: Int, announcesStreams: Bool, log: @escaping @Sendable (String) -> Void
  ) {
    guarded = Mutex(Guarded(station: station))
    self.authorisedStreams = authorisedStreams
    announces = announcesStreams
    self.log = log
  }

  /// Tells the gateway how to reach connections other than the one it is called about.
  func connect(_ poster: EffectPoster) { self.poster.withLock { $0 = poster } }

  /// Tells the gateway who carries the calls of apps.
  func connect(_ caller: AppCaller) { self.caller.withLock { $0 = caller } }

  /// Tells the gateway who minds the listeners.
  func connect(_ doorman: @escaping @Sendable (ListenerFault?, Environment?) -> Void) {
    self.doorman.withLock { $0 = doorman }
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

  /// Lets the admin API work on the station; what it caused is shown to the wire.
  func work<Result: Sendable>(_ body: (inout sending Station, Instant) -> (Result, [Event])) -> Result {
    let (result, errands) = guarded.withLock { guarded in
      let begin = SystemClock.threadNanoseconds
      let (result, events) = body(&guarded.station, SystemClock.now)
      let errands = self.errands(of: events, guarded.wires)
      guarded.station.holds.add(SystemClock.threadNanoseconds &- begin)
      return (result, errands)
    }
    run(errands)
    return result
  }

  /// Lets time pass.
  func advance() {
    work { station, wall in
      station.world.advance(to: station.now(wall: wall))
      return ((), station.settle())
    }
  }

  // MARK: - PushSink

  func opened(_ connection: ConnectionInfo, into effects: inout Effects) -> Admission {
    let environment = Listeners.environment(connection.listener)
    let (number, errands) = guarded.withLock { guarded in
      guarded.opened += 1
      let id = Simulation.ConnectionID(guarded.opened)
      guarded.wires[id] = connection.id
      guarded.station.world.connectionOpened(
        id, to: environment, peer: connection.peer,
        managesChannels: Listeners.managesChannels(connection.listener), at: guarded.station.now(wall: SystemClock.now))
      guarded.settle()
      var errands = Errands()
      for event in guarded.events { pass(on: event, of: id, guarded.wires, into: &effects, &errands) }
      return (guarded.opened, errands)
    }
    run(errands)
    return Admission(token: number)
  }

  func received(
    _ requests: [IncomingRequest], on connection: Transport.ConnectionID, token: UInt64, into effects: inout Effects
  ) -> Int {
    let id = Simulation.ConnectionID(token)
    let wall = SystemClock.now
    var taken = 0
    var errands = Errands()
    guarded.withLock { guarded in
      let now = guarded.station.now(wall: wall)
      for request in requests {
        taken += 1
        guard guarded.station.world.receive(request.request, on: StreamID(id, request.stream), at: now) else { break }
      }
      guarded.settle()
      // By index: an event is looked at where it lies, for a copy of one costs as much as answering it.
      let wires = guarded.wires
      Event.sort(guarded.events, of: id, answers: { effects.respond($0, $1) }) { event in
        pass(on: event, of: id, wires, into: &effects, &errands)
      }
    }
    run(errands)
    return taken
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
    let errands = guarded.withLock { guarded in
      body(&guarded.station.world, guarded.station.now(wall: SystemClock.now), &guarded.wires)
      guarded.settle()
      return self.errands(of: guarded.events, guarded.wires)
    }
    run(errands)
  }

  /// What events want of others than the connection at hand.
  private struct Errands {
    var wires: [(Transport.ConnectionID, Effect)] = []
    var calls = CallOrders()
    var doors: [(ListenerFault?, Environment?)] = []
    /// For the log.
    var troubles: [Simulation.Trouble] = []
  }

  private func errands(
    of events: [Event], _ wires: [Simulation.ConnectionID: Transport.ConnectionID]
  ) -> Errands {
    var errands = Errands()
    for event in events { note(event, wires, in: &errands) }
    return errands
  }

  private func note(
    _ event: Event, _ wires: [Simulation.ConnectionID: Transport.ConnectionID], in errands: inout Errands
  ) {
    errands.calls.note(event)
    if case .listener(let fault, let environment) = event { errands.doors.append((fault, environment)) }
    errands.wires += effects(of: event, wires)
  }

  private func run(_ errands: Errands) {
    post(errands.wires)
    if !errands.doors.isEmpty, let doorman = doorman.withLock({ $0 }) {
      for (fault, environment) in errands.doors { doorman(fault, environment) }
    }
    carry(out: errands.calls)
    for trouble in errands.troubles { log("\(trouble.peer): \(trouble.sentence)") }
  }

  private func effects(of order: WireOrder) -> [Effect] {
    Effect.of(order, authorisedStreams: announces ? authorisedStreams : nil)
  }

  /// What is no answer to the connection at hand.
  private func pass(
    on event: Event, of id: Simulation.ConnectionID, _ wires: [Simulation.ConnectionID: Transport.ConnectionID],
    into effects: inout Effects, _ errands: inout Errands
  ) {
    switch event {
    case .streamsAllowed(let authorised) where authorised == id:
      if announces { effects.append(.announceStreams(authorisedStreams)) }
    case .trouble(let trouble): errands.troubles.append(trouble)
    case .wire(let own, let order) where own == id:
      for effect in self.effects(of: order) { effects.append(effect) }
    default:
      if let answer = event.answer(on: id) {
        effects.respond(answer.stream, answer.response)
      } else {
        note(event, wires, in: &errands)
      }
    }
  }

  private func effects(
    of event: Event, _ wires: [Simulation.ConnectionID: Transport.ConnectionID]
  ) -> [(Transport.ConnectionID, Effect)] {
    switch event {
    case .push(let record) where !record.isAnsweredApart:
      on(wires[record.stream.connection], [.respond(stream: record.stream.number, record.answer.response)])
    case .channels(let record):
      on(wires[record.stream.connection], [.respond(stream: record.stream.number, record.answer.response)])
    case .streamsAllowed(let id) where announces: on(wires[id], [.announceStreams(authorisedStreams)])
    case .wire(let id, let order): on(wires[id], effects(of: order))
    default: []
    }
  }

  private func on(_ wire: Transport.ConnectionID?, _ effects: [Effect]) -> [(Transport.ConnectionID, Effect)] {
    wire.map { wire in effects.map { (wire, $0) } } ?? []
  }

  private func carry(out calls: CallOrders) {
    guard !calls.isEmpty, let caller = caller.withLock({ $0 }) else { return }
    caller.cancel(calls.cancelled)
    caller.start(calls.started)
  }

  private func post(_ effects: [(Transport.ConnectionID, Effect)]) {
    guard !effects.isEmpty, let poster = poster.withLock({ $0 }) else { return }
    for (connection, effect) in effects {
      var list = Effects()
      list.append(effect)
      poster.post(list, to: connection)
    }
  }
}

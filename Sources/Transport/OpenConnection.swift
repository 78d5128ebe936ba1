import CLibevent
import HTTP2
import Timeline
import WireFormats

/// The part of a connection that serves requests: from the end of the handshake until the write side is shut.
///
/// Everything available is read, processed at once, answered at once, and written at once.
final class OpenConnection {
  /// The connection keeps this object until it leaves the state `open`, and calls `end` then.
  private unowned(unsafe) let connection: PushConnection
  /// The loop outlives its connections.
  private unowned(unsafe) let loop: PushLoop
  private let session: HTTP2Session
  private let stream: WireStream
  private let events: ConnectionEvents
  private let sink: ConnectionSink

  /// True after `end`: nothing may be read or written any more.
  private var isOver = false
  private var ending = ConnectionEnding.none
  private var silence: ClientSilence
  private var deadline: GreetingDeadline
  private var relayed: RelayedClient?

  private let writer: SocketWriter
  /// Created when something waits for the client for the first time.
  private var stall: StallWatch?
  private var held: BufferedBytes.Share

  // Intentional faults.
  private var freeze: Freeze?
  private var slowReading: SlowReading?
  private var pauses: AnswerPauses?

  init(_ connection: PushConnection, _ session: HTTP2Session, deadline: GreetingDeadline) {
    self.connection = connection
    self.session = session
    self.deadline = deadline
    (loop, stream, events, sink) = (connection.loop, connection.stream, connection.events, connection.sink)
    writer = SocketWriter(stream, events)
    relayed = stream.isRelayed ? RelayedClient() : nil
    silence = ClientSilence(at: Libevent.steadyNanoseconds)
    held = BufferedBytes.Share(of: loop.held)
  }

  private var limits: TransportLimits { loop.options.limits }

  func begin() {
    events.setTimer(untilGreeted(limits.idle))
    applyEffects()
    flush()
    if !isOver { becameReadable() }
  }

  /// The connection leaves this state: answers that were not sent are lost.
  func end() {
    isOver = true
    // Their events use the socket.
    (freeze, slowReading, stall, pauses) = (nil, nil, nil, nil)
    held.set(0)
    guard sink.isOpen else { return }
    session.giveUpAnswers()
    sink.reportAnswers(of: session)
  }

  // MARK: Reading

  func becameReadable() {
    if slowReading == nil, freeze == nil { return read() }
    guard freeze?.isSolid != true else { return }
    if let slowReading { readSlowly(slowReading) } else { read() }
  }

  func becameWritable(canReadOn: Bool) {
    if canReadOn { becameReadable() }
    flush()
  }

  private func read() {
    let (count, outcome) = stream.readAll(loop.input)
    if count > 0 { process(UnsafeRawBufferPointer(rebasing: loop.input[..<count])) }
    readEnded(outcome)
  }

  /// Reads one portion, and rests if there may be more.
  private func readSlowly(_ slowReading: SlowReading) {
    events.ignoreReadable()
    guard !slowReading.isResting else { return }
    let (count, outcome) = stream.read(loop.input, atMost: slowReading.portion)
    if count > 0 { process(UnsafeRawBufferPointer(rebasing: loop.input[..<count])) }
    readEnded(outcome)
    guard !isOver else { return }
    guard case .bytes = outcome else {
      if events.isReading { events.startReading() }
      return
    }
    slowReading.rest(on: loop.base) { [unowned self] in if !isOver, events.isReading { becameReadable() } }
  }

  private func readEnded(_ outcome: TLSStream.Outcome) {
    guard !isOver else { return }
    switch outcome {
    case .bytes, .wantsRead: break
    case .wantsWrite:
      events.readOnceWritten()
      watchStall()
    case .flooded:
      connection.report(.flooded(text: "more than \(TLSNotes.most) messages of TLS without data"))
      connection.end(.trouble, sendsCloseNotify: false)
    case .ended: connection.end(.client)
    case .failed(let error): readFailed(error)
    case .broken: connection.end(.broken, sendsCloseNotify: false)
    }
  }

  /// In TLS 1.3 a client may check the certificate after the server has finished; then its alert arrives here.
  private func readFailed(_ error: UInt) {
    var why = CloseReason.trouble
    switch session.counters.requests == 0 ? HandshakeFailure(error: error) : nil {
    case .abandoned?: why = .client
    case let trouble?: connection.report(.handshake(trouble))
    case nil: connection.report(.broken(text: HandshakeFailure.text(of: error)))
    }
    connection.end(why, sendsCloseNotify: false)
  }

  private func process(_ bytes: UnsafeRawBufferPointer) {
    let now = Libevent.steadyNanoseconds
    silence.ended(at: now)
    session.now = now
    session.isOverMemoryBudget = loop.held.isBeyond(limits.held) && held.count > limits.heldAnyway
    session.receive(bytes)
    guard identify() else { return }
    sink.reportUnserved(of: session)
    if freeze == nil { handOver(&loop.effects) } else { session.withdrawCancelled() }
    flush()
  }

  /// Tells the upper layer of a relay's connection when its first requests are there.
  ///
  /// - Returns: false if the connection was aborted.
  private func identify() -> Bool {
    guard relayed != nil else { return true }
    do throws(RelayFlaw) {
      if !sink.isOpen {
        guard !session.arrived.isEmpty || !session.ignored.isEmpty || !session.unserved.isEmpty else { return true }
        let certificate = try relayed?.firstArrived(session.arrived)
        connection.announce(TLSInfo(version: "unknown", alpn: .h2, clientCertificate: certificate ?? nil))
        applyEffects()
      }
      try relayed?.check(session.arrived)
      return true
    } catch {
      connection.report(.relay(error))
      connection.abort(.trouble)
      return false
    }
  }

  /// Passes the received requests to the upper layer and applies its effects. If it takes only the first requests, the
  /// effects decide which of the others are still served.
  private func handOver(_ effects: inout Effects) {
    repeat {
      session.handedOver(max(sink.received(from: session, into: &effects), 1))
      // Answers are taken out where they are: copying an effect costs more than finding its stream.
      for index in effects.list.indices {
        if case .respond(let stream, let response) = effects.list[index], takesOrders {
          session.respond(stream, response)
        } else {
          apply(effects.list[index])
        }
      }
      effects.clear()
      sink.reportLostAnswers()
    } while !isOver && freeze == nil && !session.arrived.isEmpty
  }

  // MARK: Effects

  /// Effects not caused by a read.
  func perform(_ effects: Effects) {
    silence.ended(at: Libevent.steadyNanoseconds)
    for effect in effects.list { apply(effect) }
    flush()
    sink.reportLostAnswers()
  }

  private func applyEffects() {
    for effect in loop.effects.list { apply(effect) }
    loop.effects.clear()
    sink.reportLostAnswers()
  }

  /// False while the connection closes, or is over.
  private var takesOrders: Bool { !isOver && !ending.isDecided }

  @inline(never)
  private func apply(_ effect: Effect) {
    guard takesOrders else { return applyLate(effect) }
    switch effect {
    case .respond(let stream, let response): session.respond(stream, response)
    case .announceStreams(let count): if !stream.isRelayed { session.announceStreams(count) }
    case .limitStreams(let count, let refuses, let excessStreams):
      session.limitStreams(count, refusesOpen: refuses, excessStreams: excessStreams)
    case .restoreStreamLimit: session.restoreStreamLimit()
    case .reset(let stream, let code): session.reset(stream, code)
    case .goAway(let goAway):
      ending = goAway.closes ? .none : .staysOpen
      session.goAway(lastStream: goAway.lastStream, goAway.code, debug: goAway.debug)
    case .ping: session.ping()
    case .respondSplit(let stream, let response, let split): respond(stream, response, in: split)
    case .window(let bytes, let withheld): session.setWindow(bytes, withheld: withheld)
    case .readSlowly(let bytesPerSecond): readSlowly(bytesPerSecond)
    case .freeze(let answersPings): freeze(answersPings: answersPings)
    case .thaw: thaw()
    case .close: ending = .close(.asked)
    case .halfClose(let sendsCloseNotify): ending = .halfClose(sendsCloseNotify: sendsCloseNotify)
    case .abort: connection.abort(.asked)
    }
  }

  /// Effects during the closing of the connection: a frozen one can still be thawed, and any can be aborted.
  private func applyLate(_ effect: Effect) {
    switch effect {
    case .thaw where !isOver: thaw()
    case .abort where !isOver: connection.abort(.asked)
    default: sink.lose(effect)
    }
  }

  /// The server stops: finish what has begun.
  func drain(debug: [UInt8]) {
    guard freeze == nil else { return connection.end(.stopped) }
    ending.endsAfterLastAnswer()
    session.goAway(.noError, debug: debug)
    flush()
  }

  // MARK: Silence

  /// Ends the connection after nothing was received for `limits.idle`.
  ///
  /// A client that waits for an answer is quiet for a reason: it first gets a PING, and as much time again to answer
  /// it. A frozen connection cannot send a PING, and its client may have disappeared without a FIN.
  func timerFired() {
    let now = Libevent.steadyNanoseconds
    if awaitsGreeting, deadline.rest(at: now) <= .zero {
      connection.report(.handshake(.noPreface))
      return connection.end(.trouble)
    }
    let rest = limits.idle - silence.duration(at: now)
    guard rest <= .zero else { return events.setTimer(untilGreeted(rest)) }
    guard freeze == nil else { return connection.endIdle() }
    guard session.awaitingCount > 0 else {
      connection.report(.idle)
      session.goAway(.noError, debug: limits.idleDebug)
      ending = .close(.idle)
      return flush()
    }
    guard silence.probe() else { return connection.endIdle() }
    session.ping()
    flush()
    if !isOver { events.setTimer(limits.idle) }
  }

  /// Time until the preface must be complete, at most `delay`.
  private func untilGreeted(_ delay: Duration) -> Duration {
    awaitsGreeting ? min(delay, max(deadline.rest(at: Libevent.steadyNanoseconds), .zero)) : delay
  }

  private func awaitGreetingAgain() {
    guard awaitsGreeting else { return }
    deadline.restart(at: Libevent.steadyNanoseconds)
    events.setTimer(untilGreeted(limits.idle))
  }

  private var awaitsGreeting: Bool { !isOver && freeze == nil && slowReading == nil && !session.isGreeted }

  // MARK: Writing

  /// Writes as much as possible, then checks whether the connection is finished.
  private func flush() {
    guard !isOver else { return }
    sink.reportUnserved(of: session)
    if freeze == nil { writeAll() } else { writeFrozen() }
    guard !isOver else { return }
    held.set(session.heldBytes + writer.heldBytes + (freeze?.held.count ?? 0))
    watchStall()
  }

  private func writeAll() {
    switch writer.write(session, through: loop.output, keeping: limits.unwritten) {
    case .failed: connection.end(.broken, sendsCloseNotify: false)
    case .full: break
    case .overfull: if events.isReading { events.pauseReading() }
    case .done:
      events.resumeReading()
      session.reportHeldAnswers()
      sink.reportAnswers(of: session)
      closeIfDone()
    }
  }

  private func closeIfDone() {
    var why = ending.reason(isFinished: session.isFinished)
    if let failure = session.failure {
      connection.report(ConnectionTrouble.Kind(failure))
      why = .trouble
    }
    guard let why else { return }
    guard case .halfClose(let sendsCloseNotify) = ending else { return connection.shutWriting(why) }
    connection.shutWriting(why, waitsForClient: true, sendsCloseNotify: sendsCloseNotify)
  }

  /// Ends the connection if nothing of what waits for the client was sent for `writeStall`.
  private func watchStall() {
    let socketIsFull = writer.isWaiting || events.readsOnceWritten
    guard freeze == nil, socketIsFull || session.unsentAnswers > 0 else {
      stall?.ended()
      return
    }
    if stall == nil {
      stall = StallWatch(limits.writeStall, on: loop.base) { [unowned self] in
        connection.report(.neverReads)
        connection.end(.trouble)
      }
    }
    stall?.dataWaits(
      written: writer.written, answers: session.answerProgress, socketIsFull: socketIsFull,
      answersWait: session.unsentAnswers > 0)
  }

  // MARK: Faults

  private func readSlowly(_ bytesPerSecond: Int?) {
    slowReading = bytesPerSecond.map { SlowReading(bytesPerSecond: $0) }
    if bytesPerSecond == nil { awaitGreetingAgain() }
    if events.isReading, freeze == nil { events.startReadingNow() }
  }

  private func respond(_ stream: Int32, _ response: HTTPResponse, in split: BodySplit) {
    guard session.respond(stream, response, in: split), let pause = split.pause else { return }
    let pauses = pauses ?? AnswerPauses(on: loop.base)
    self.pauses = pauses
    pauses.begin(pause, of: stream) { [unowned self] in
      let continues = session.continueSplit(stream)
      flush()
      return continues
    }
  }

  private func freeze(answersPings: Bool) {
    flush()
    guard !isOver else { return }
    if freeze == nil { freeze = Freeze() }
    guard answersPings else { return freezeSolid() }
    freeze?.answerPings()
    events.startReading()
    flush()
  }

  private func freezeSolid() {
    events.pauseReading()
    events.ignoreWritable()
    // Edge-triggered: it fires once for data present, and again for new data, including the client's close.
    let watch = LoopEvent(
      on: loop.base, descriptor: connection.socket.descriptor, events: EV_READ | EV_ET | EV_PERSIST
    ) { [unowned self] in
      silence.ended(at: Libevent.steadyNanoseconds)
      if connection.socket.otherEndIsGone { connection.end(.client) }
    }
    watch.add()
    freeze?.harden(watch)
  }

  private func thaw() {
    guard let frames = freeze?.held else { return }
    freeze = nil
    silence.ended(at: Libevent.steadyNanoseconds)
    writer.append(frames)
    session.releaseDivertedAnswers()
    awaitGreetingAgain()
    events.startReadingNow()
    var effects = Effects()
    handOver(&effects)
    flush()
  }

  /// Writes only answers to PINGs, if any.
  private func writeFrozen() {
    session.reportFrozenAnswers()
    defer { sink.reportAnswers(of: session) }
    guard freeze?.isSolid == false, events.isReading else { return }
    let (leaving, kept) = session.fillOnlyPings()
    writer.append(leaving)
    freeze?.hold(kept)
    guard writer.writeKept() != .failed else { return connection.end(.broken, sendsCloseNotify: false) }
    if writer.heldBytes + (freeze?.held.count ?? 0) > limits.unwritten { freezeSolid() }
  }
}

import CLibevent
import HTTP2

extension PushConnection {
  /// Reads all available data, processes it at once, gets the answers at once, and writes once.
  func read() {
    guard let base = loop.input.baseAddress else { return }
    var filled = 0
    var ending = TLSStream.Outcome.wantsRead
    // A record is begun only if a complete one fits. Once begun it is read to its end, because OpenSSL holds the rest
    // and the socket does not become readable for it.
    reading: while filled + TLSStream.recordCount <= loop.input.count || stream.isInsideRecord {
      let outcome = stream.read(base + filled, loop.input.count - filled)
      switch outcome {
      case .bytes(let count): filled += count
      default:
        ending = outcome
        break reading
      }
    }
    if filled > 0 { understand(UnsafeRawBufferPointer(start: base, count: filled)) }
    finishReading(ending)
  }

  /// Reads at most `room` bytes, even if there are more.
  ///
  /// - Returns: `bytes` if there may be more.
  func read(atMost room: Int) -> TLSStream.Outcome {
    guard let base = loop.input.baseAddress else { return .wantsRead }
    var filled = 0
    var ending = TLSStream.Outcome.bytes(0)
    reading: while filled < room {
      ending = stream.read(base + filled, room - filled)
      guard case .bytes(let count) = ending else { break reading }
      filled += count
    }
    if filled > 0 { understand(UnsafeRawBufferPointer(start: base, count: filled)) }
    finishReading(ending)
    return ending
  }

  private func finishReading(_ ending: TLSStream.Outcome) {
    guard phase == .open else { return }
    switch ending {
    case .bytes, .wantsRead: break
    case .wantsWrite:
      waitToReadOn()
      watchStall()
    case .flooded:
      tlsIsSound = false
      report(.flooded(text: "more than \(TLSNotes.most) messages of TLS without data"))
      end(.trouble)
    case .ended: end(.client)
    case .failed(let error): fail(error)
    case .broken:
      tlsIsSound = false
      end(.broken)
    }
  }

  /// OpenSSL has an answer to write before it reads on.
  func waitToReadOn() {
    readNeedsWriting = true
    isReading = false
    event_del(readEvent)
    waitForWriting()
  }

  /// The socket takes bytes again.
  func readOnIfWritten() {
    guard readNeedsWriting else { return }
    readNeedsWriting = false
    isReading = true
    event_add(readEvent, nil)
    if phase == .open { becameReadable() }
  }

  private func understand(_ bytes: UnsafeRawBufferPointer) {
    guard let session else { return }
    lastActivity = Libevent.steadyNanoseconds
    session.now = lastActivity
    session.isOverMemoryBudget = loop.held.isBeyond(limits.held) && countedBytes > limits.heldAnyway
    session.receive(bytes)
    guard identify(session) else { return }
    reportUnserved(session)
    if isFrozen { session.withdrawCancelled() } else { handOver(session, &loop.effects) }
    flush()
  }

  /// Passes the received requests to the upper layer and applies its effects. If it takes only the first requests, the
  /// effects decide which of the others are still served.
  func handOver(_ session: HTTP2Session, _ effects: inout Effects) {
    repeat {
      var taken = 0
      if !session.arrived.isEmpty {
        taken = loop.sink.received(session.arrived, on: id, token: token, state: state, into: &effects)
      }
      if !session.cancelled.isEmpty { loop.sink.cancelled(session.cancelled, on: id, token: token) }
      session.handedOver(max(taken, 1))
      // Answers are taken out where they are: copying an effect costs more than finding its stream.
      for index in effects.list.indices {
        if case .respond(let stream, let response) = effects.list[index], phase == .open, closing == nil {
          session.respond(stream, response)
        } else {
          apply(effects.list[index])
        }
      }
      effects.clear()
      reportLostAnswers()
    } while phase == .open && !isFrozen && !session.arrived.isEmpty
  }

  /// Reports unserved streams to the upper layer.
  func reportUnserved(_ session: HTTP2Session) {
    if !session.ignored.isEmpty { loop.sink.ignored(session.takeIgnored(), on: id, token: token) }
    if !session.unserved.isEmpty { loop.sink.unserved(session.takeUnserved(), on: id, token: token) }
  }

  /// In TLS 1.3 a client may check the certificate after the server has finished; then its alert arrives here.
  private func fail(_ error: UInt) {
    tlsIsSound = false
    if let session, session.counters.requests == 0, let trouble = HandshakeFailure(error: error) {
      if trouble == .abandoned { return end(.client) }
      report(.handshake(trouble))
    } else {
      report(.broken(text: HandshakeFailure.text(of: error)))
    }
    end(.trouble)
  }

  // MARK: Effects

  /// Effects not caused by a read: from another connection, another thread, or later.
  func perform(_ effects: Effects) {
    guard phase == .open else {
      for effect in effects.list { applyLate(effect) }
      return reportLostAnswers()
    }
    lastActivity = Libevent.steadyNanoseconds
    for effect in effects.list { apply(effect) }
    flush()
    reportLostAnswers()
  }

  func applyEffects() {
    for effect in loop.effects.list { apply(effect) }
    loop.effects.clear()
    reportLostAnswers()
  }

  @inline(__always)
  private func reportLostAnswers() {
    guard !lostAnswers.isEmpty else { return }
    loop.sink.answers(lostAnswers, on: id, token: token)
    lostAnswers = []
  }

  func apply(_ effect: Effect) {
    guard let session, phase == .open, closing == nil else { return applyLate(effect) }
    switch effect {
    case .respond(let stream, let response): session.respond(stream, response)
    case .announceStreams(let count): if !self.stream.isRelayed { session.announceStreams(count) }
    case .limitStreams(let count, let refuses, let excessStreams):
      session.limitStreams(count, refusesOpen: refuses, excessStreams: excessStreams)
    case .restoreStreamLimit: session.restoreStreamLimit()
    case .reset(let stream, let code): session.reset(stream, code)
    case .goAway(let goAway):
      staysOpen = !goAway.closes
      session.goAway(lastStream: goAway.lastStream, goAway.code, debug: goAway.debug)
    case .ping: session.ping()
    case .respondSplit(let stream, let response, let split): respond(session, stream, response, split)
    case .window(let bytes, let withheld): session.setWindow(bytes, withheld: withheld)
    case .readSlowly(let bytesPerSecond): readSlowly(bytesPerSecond)
    case .freeze(let answersPings): freeze(answersPings: answersPings)
    case .thaw: thaw()
    case .close: closing = .asked
    case .halfClose(let saysGoodbye):
      tamper().halfClose = saysGoodbye ? .withGoodbye : .withoutGoodbye
      closing = .asked
    case .abort: abort()
    }
  }

  /// Effects during the closing of the connection: a frozen one can still be thawed, and any can be aborted.
  private func applyLate(_ effect: Effect) {
    switch effect {
    case .thaw where phase == .open: thaw()
    case .abort where phase == .open: abort()
    case .respond(let stream, _), .respondSplit(let stream, _, _): lostAnswers.append(AnswerReport(stream, .lost))
    default: break
    }
  }

  private func abort() {
    socket.resetOnClose()
    tlsIsSound = false
    end(.asked)
  }
}

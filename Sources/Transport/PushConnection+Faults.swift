import CLibevent
import HTTP2
import Timeline
import WireFormats

extension PushConnection {
  func tamper() -> ConnectionFaults {
    if let connectionFaults { return connectionFaults }
    let made = ConnectionFaults()
    connectionFaults = made
    return made
  }

  // MARK: Reading slowly

  func readSlowly(_ bytesPerSecond: Int?) {
    let connectionFaults = tamper()
    connectionFaults.pace = bytesPerSecond.map { ConnectionFaults.Pace(bytesPerSecond: $0) }
    connectionFaults.rest = nil
    if bytesPerSecond == nil { awaitGreetingAgain() }
    guard isReading, !isFrozen else { return }
    event_add(readEvent, nil)
    event_active(readEvent, Int32(EV_READ), 0)
  }

  /// Reads from a socket with an intentional fault.
  func readTampered() {
    guard !isFrozen || connectionFaults?.answersPings == true else { return }
    guard let connectionFaults, let pace = connectionFaults.pace else { return read() }
    event_del(readEvent)
    guard connectionFaults.rest == nil else { return }
    let ending = read(atMost: min(pace.count, loop.input.count))
    guard phase == .open else { return }
    guard case .bytes = ending else {
      if isReading { event_add(readEvent, nil) }
      return
    }
    let rest = LoopEvent(on: loop.base) { [unowned self] in
      self.connectionFaults?.rest = nil
      if phase == .open, isReading { readTampered() }
    }
    rest.add(timeout: pace.interval)
    connectionFaults.rest = rest
  }

  // MARK: Answers in pieces

  func respond(_ session: HTTP2Session, _ stream: Int32, _ response: HTTPResponse, _ split: BodySplit) {
    guard session.respond(stream, response, in: split), let pause = split.pause else { return }
    let event = LoopEvent(on: loop.base) { [unowned self] in continueSplit(stream, after: pause) }
    event.add(timeout: pause)
    tamper().pauses[stream] = event
  }

  private func continueSplit(_ stream: Int32, after pause: Duration) {
    guard phase == .open, let session else { return }
    if session.continueSplit(stream) {
      connectionFaults?.pauses[stream]?.add(timeout: pause)
    } else {
      connectionFaults?.pauses[stream] = nil
    }
    flush()
  }

  // MARK: Handshakes with faults

  func begin(_ greeting: Greeting) {
    switch greeting {
    case .ordinary: begin()
    case .refusal:
      tamper().refusesHandshake = true
      begin()
    case .late(let delay):
      let event = LoopEvent(on: loop.base) { [unowned self] in if phase == .handshaking { begin() } }
      event.add(timeout: delay)
      tamper().delay = event
    case .silence:
      phase = .deaf
      lastActivity = Libevent.steadyNanoseconds
      event_add(readEvent, nil)
      setTimer(limits.idle)
    }
  }

  /// The client has sent its hello; it gets the alert `handshake_failure` in a separate record (RFC 8446 sections 5.1
  /// and 6.2).
  func refuseHandshake() {
    tlsIsSound = false
    socket.send([21, 3, 3, 0, 2, 2, 40])
    shutWriting(.asked)
  }
}

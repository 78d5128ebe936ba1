import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

extension EventDigest {
  /// Adds everything of an event that is visible from outside.
  mutating func combine(_ event: WorldEvent) {
    switch event {
    case .push(let record): combine(record)
    case .connectionOpened(let id, let environment, let peer):
      combine(1, id)
      combine(environment.rawValue)
      combine(peer)
    case .connectionClosed(let id): combine(2, id)
    case .trouble(let trouble):
      combine(3 as UInt64)
      combine(trouble.at)
      for text in [trouble.kind, trouble.peer, trouble.sentence] { combine(text) }
    case .streamsAllowed(let id): combine(4, id)
    case .channels(let record): combine(record)
    case .broadcastReached(let number, let device, let fate, let at):
      combine(6, number: number, device: device, fate: fate, at: at)
    case .pushSettled(let number, let device, let fate, let at):
      combine(7, number: number, device: device, fate: fate, at: at)
    case .answerSent(let number, let sent, let at):
      combine(15 as UInt64)
      combine(number)
      combine(sent)
      combine(at)
    case .faultStruck(let name, let device, let at):
      combine(8 as UInt64)
      combine(name)
      combine(device)
      combine(at)
    case .connectionStruck(let name, let id, let at):
      combine(14, id)
      combine(name)
      combine(at)
    case .wire(let id, let order):
      combine(9, id)
      combine(order)
    case .listener(let fault, let environment):
      combine(10 as UInt64)
      combine(fault) { $0.combine($1) }
      combine(environment) { $0.combine($1.rawValue) }
    case .call(let record): combine(record)
    case .callEnded(let end): combine(end)
    case .phone(let device, let app, let deviceEvent, let at):
      combine(13 as UInt64)
      combine(device)
      combine(app) { $0.combine(Int64($1)) }
      combine(at)
      combine(deviceEvent)
    }
  }

  /// The request is not included, because the tape contains it.
  private mutating func combine(_ record: ChannelRecord) {
    combine(5, record.stream)
    combine(record.number)
    combine(record.at)
    combine(record.home.environment.rawValue)
    combine(record.home.bundleID)
    combine(record.operation) { $0.combine($1.rawValue) }
    combine(record.channelID) { $0.combine($1.text) }
    combine(record.answer.response)
    combine(record.answer.rejection?.rule) { $0.combine($1.name) }
    combine(record.keyNumber) { $0.combine(Int64($1)) }
    combine(Int64(record.subscribers))
    combine(record.fault) { $0.combine($1) }
    combine(record.sent) { $0.combine($1) }
  }

  /// Combines the part of a call that its app remembers, which is not visible before its next one.
  private mutating func combine(_ record: CallRecord) {
    combine(11 as UInt64)
    combine(record.number)
    combine(record.device)
    combine(Int64(record.app))
    combine(record.at)
    combine(record.isCopy)
    let call = record.call
    for text in [call.event, call.method, call.url] { combine(text) }
    combine(call.body) { $0.combine($1) }
    combine(call.timeout.wholeNanoseconds)
    combine(Int64(call.headers.count))
    for header in call.headers {
      combine(header.name)
      combine(header.value)
    }
  }

  private mutating func combine(_ end: CallEnd) {
    combine(12 as UInt64)
    combine(end.number)
    combine(end.device)
    combine(Int64(end.app))
    for text in [end.event, end.method] { combine(text) }
    combine(end.url) { $0.combine($1) }
    combine(end.body) { $0.combine($1) }
    combine(end.began)
    combine(end.at)
    switch end.outcome {
    case .answered(let status, let body):
      combine(Int64(status))
      combine(body) { $0.combine($1.text) }
    case .failed(let failure, let sentence):
      combine(failure.rawValue)
      combine(sentence)
    }
  }

  private mutating func combine(_ kind: UInt64, _ connection: ProviderConnectionID) {
    combine(kind)
    combine(connection.number)
  }

  private mutating func combine(_ kind: UInt64, _ stream: StreamID) {
    combine(kind, stream.connection)
    combine(Int64(stream.number))
  }

  private mutating func combine(_ now: Now) {
    combine(now.world)
    combine(now.wall)
  }

  private mutating func combine(_ kind: UInt64, number: UInt64, device: DeviceID, fate: Fate, at: Instant) {
    combine(kind)
    combine(number)
    combine(device)
    combine(fate)
    combine(at)
  }

  /// The request is not included, because the tape contains it.
  private mutating func combine(_ record: PushRecord) {
    let facts = record.facts
    combine(16, facts.stream)
    combine(facts.sequence)
    combine(facts.at)
    combine(facts.push.environment.rawValue)
    combine(facts.answer.id)
    combine(facts.answer.uniqueID) { $0.combine($1) }
    combine(facts.answer.rejection) {
      $0.combine($1.reason.rawValue)
      $0.combine($1.rule) { $0.combine($1.rawValue) }
      $0.combine($1.since) { $0.combine($1) }
    }
    combine(facts.keyNumber) { $0.combine(Int64($1)) }
    combine(facts.address) {
      $0.combine($1.device)
      $0.combine($1.slotNumber)
      $0.combine(UInt64($1.generation) << 1 | ($1.isGiven ? 1 : 0))
    }
    combine(facts.firstSent) { $0.combine($1) }
    combine(facts.fault) { $0.combine($1) }
    combine(facts.firstFate)
  }

  private mutating func combine(_ sent: SentAnswer) {
    combine(sent.name)
    switch sent {
    case .answer(let status), .malformed(let status), .incomplete(let status): combine(Int64(status))
    case .reset(let code): combine(UInt64(code))
    case .pending(let wait): combine(wait.rawValue)
    case .nothing(let cause): combine(cause.rawValue)
    }
  }

  private mutating func combine(_ deviceEvent: DeviceEvent) {
    combine(deviceEvent.name)
    combine(deviceEvent.activity) { $0.combine(UInt64($1)) }
    if let slot = deviceEvent.slot {
      combine(slot.kind.name)
      if case .pushToStart(let type) = slot { combine(Int64(type)) }
    }
    for detail in deviceEvent.details { combine(detail.value) }
    if let button = deviceEvent.button { combine(UInt64(button)) }
    // Its words are rounded.
    if case .clockSet(let ahead) = deviceEvent { combine(ahead.wholeNanoseconds) }
    if case .pushArrivedAgain(_, let reaction) = deviceEvent { combineWordless(reaction) }
  }

  private mutating func combine(_ order: WireCommand) {
    combine(order.name)
    switch order {
    case .respond(let stream, let response):
      combine(Int64(stream))
      combine(response)
    case .reset(let stream, let code):
      combine(Int64(stream))
      combine(UInt64(code))
    case .goAway(let lastStream, let code, let debug, let closes):
      combine(lastStream) { $0.combine(Int64($1)) }
      combine(UInt64(code))
      debug.withUnsafeBytes { combine($0) }
      combine(closes)
    case .respondInPieces(let stream, let response, let pieces):
      combine(Int64(stream))
      combine(response)
      combine(Int64(pieces.sizes.count))
      for size in pieces.sizes { combine(Int64(size)) }
      combine(pieces.end.rawValue)
      combine(pieces.pause) { $0.combine($1.wholeNanoseconds) }
    case .streams(let count, let open, let excessStreams):
      combine(Int64(count))
      combine(open == .finish)
      combine(excessStreams) { digest, excess in
        digest.combine(UInt64(excess.code))
        excess.debug.withUnsafeBytes { digest.combine($0) }
      }
    case .window(let bytes, let withheld):
      combine(Int64(bytes))
      combine(withheld)
    case .readSlowly(let rate): combine(rate) { $0.combine(Int64($1)) }
    case .freeze(let answersPings): combine(answersPings)
    case .halfClose(let sendsCloseNotify): combine(sendsCloseNotify)
    case .restoreStreamLimit, .thaw, .close, .abort: break
    }
  }

  private mutating func combine(_ fault: ListenerFault) {
    switch fault {
    case .refuse: combine("refuse")
    case .failHandshake: combine("failHandshake")
    case .slowHandshake(let wait): combine(wait.wholeNanoseconds)
    case .hang: combine("hang")
    case .certificate(let kind): combine(kind.rawValue)
    }
  }
}

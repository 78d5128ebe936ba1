import APNs
import Devices
import Reporting
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
    case .channels(let record):
      combine(5, record.stream.connection)
      combine(record.number)
      combine(Int64(record.stream.number))
      combine(record.answer.response)
      combine(Int64(record.subscribers))
    case .broadcastReached(let number, let device, let fate, let at): combine(6, number, device, fate, at)
    case .pushSettled(let number, let device, let fate, let at): combine(7, number, device, fate, at)
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
      combine(environment?.rawValue ?? "")
    case .call(let record): combine(record)
    case .callEnded(let end):
      combine(12 as UInt64)
      combine(end.number)
      combine(end.device)
      combine(end.at)
      combine(end.sentence)
    case .phone(let device, let app, let deviceEvent, let at):
      combine(13 as UInt64)
      combine(device)
      combine(Int64(app ?? -1))
      combine(at)
      combine(deviceEvent)
    }
  }

  private mutating func combine(_ record: CallRecord) {
    combine(11 as UInt64)
    combine(record.number)
    combine(record.device)
    combine(Int64(record.app))
    combine(record.at)
    combine(record.isCopy)
    for text in [record.call.event, record.call.method, record.call.url, record.call.body ?? ""] { combine(text) }
    for header in record.call.headers {
      combine(header.name)
      combine(header.value)
    }
  }

  private mutating func combine(_ kind: UInt64, _ connection: ProviderConnectionID) {
    combine(kind)
    combine(connection.number)
  }

  private mutating func combine(_ kind: UInt64, _ number: UInt64, _ device: DeviceID, _ fate: Fate, _ at: Instant) {
    combine(kind)
    combine(number)
    combine(device)
    combine(fate)
    combine(at)
  }

  /// The request is not included, because the tape contains it.
  private mutating func combine(_ record: PushRecord) {
    let facts = record.facts
    combine(facts.sequence)
    combine(facts.answer.id)
    if let id = facts.answer.uniqueID { combine(id) }
    if let rejection = facts.answer.rejection {
      combine(rejection.reason.rawValue)
      combine(rejection.since?.nanoseconds ?? 0)
    }
    combine(Int64(facts.keyNumber ?? -1))
    if let address = facts.address {
      combine(address.device)
      combine(address.slotNumber)
    }
    combine(facts.firstSent != nil)
    if let sent = facts.firstSent { combine(sent) }
    if let fault = facts.fault { combine(fault) }
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
    combine(Int64(deviceEvent.activity.map { Int64($0) } ?? -1))
    if let slot = deviceEvent.slot {
      combine(slot.kind.name)
      if case .pushToStart(let type) = slot { combine(Int64(type)) }
    }
    for detail in deviceEvent.details { combine(detail.value) }
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
      combine(Int64(lastStream ?? -1))
      combine(UInt64(code))
      debug.withUnsafeBytes { combine($0) }
      combine(closes)
    case .respondInPieces(let stream, let response, let pieces):
      combine(Int64(stream))
      combine(response)
      for size in pieces.sizes { combine(Int64(size)) }
      combine(pieces.end.rawValue)
      combine(pieces.pause?.wholeNanoseconds ?? -1)
    case .streams(let count, let open, let excessStreams):
      combine(Int64(count))
      if open == .finish { combine(true) }
      combine(UInt64(excessStreams?.code ?? .max))
      excessStreams?.debug.withUnsafeBytes { combine($0) }
    case .window(let bytes, let withheld):
      combine(Int64(bytes))
      combine(withheld)
    case .readSlowly(let rate): combine(Int64(rate ?? -1))
    case .freeze(let answersPings): combine(answersPings)
    case .halfClose(let saysGoodbye): combine(saysGoodbye)
    case .streamsAsBefore, .thaw, .close, .abort: break
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

import APNs
import Devices
import Reporting
import Timeline
import WireFormats

extension EventDigest {
  /// Everything of an event that somebody outside can see.
  mutating func add(_ event: Event) {
    switch event {
    case .push(let record): add(record)
    case .connectionOpened(let id, let environment, let peer):
      add(1, id)
      add(environment.rawValue)
      add(peer)
    case .connectionClosed(let id): add(2, id)
    case .trouble(let trouble):
      add(3 as UInt64)
      add(trouble.at)
      for text in [trouble.kind, trouble.peer, trouble.sentence] { add(text) }
    case .streamsAllowed(let id): add(4, id)
    case .channels(let record):
      add(5, record.stream.connection)
      add(record.number)
      add(Int64(record.stream.number))
      add(record.answer.response)
      add(Int64(record.subscribers))
    case .broadcastReached(let number, let device, let fate, let at): add(6, number, device, fate, at)
    case .pushSettled(let number, let device, let fate, let at): add(7, number, device, fate, at)
    case .answerSent(let number, let sent, let at):
      add(15 as UInt64)
      add(number)
      add(sent)
      add(at)
    case .faultStruck(let name, let device, let at):
      add(8 as UInt64)
      add(name)
      add(device)
      add(at)
    case .connectionStruck(let name, let id, let at):
      add(14, id)
      add(name)
      add(at)
    case .wire(let id, let order):
      add(9, id)
      add(order)
    case .listener(let fault, let environment):
      add(10 as UInt64)
      add(fault) { $0.add($1) }
      add(environment?.rawValue ?? "")
    case .call(let record): add(record)
    case .callEnded(let end):
      add(12 as UInt64)
      add(end.number)
      add(end.device)
      add(end.at)
      add(end.sentence)
    case .phone(let device, let app, let happening, let at):
      add(13 as UInt64)
      add(device)
      add(Int64(app ?? -1))
      add(at)
      add(happening)
    }
  }

  private mutating func add(_ record: CallRecord) {
    add(11 as UInt64)
    add(record.number)
    add(record.device)
    add(Int64(record.app))
    add(record.at)
    add(record.isCopy)
    for text in [record.call.event, record.call.method, record.call.url, record.call.body ?? ""] { add(text) }
    for header in record.call.headers {
      add(header.name)
      add(header.value)
    }
  }

  private mutating func add(_ kind: UInt64, _ connection: ConnectionID) {
    add(kind)
    add(connection.number)
  }

  private mutating func add(_ kind: UInt64, _ number: UInt64, _ device: DeviceID, _ fate: Fate, _ at: Instant) {
    add(kind)
    add(number)
    add(device)
    add(fate)
    add(at)
  }

  /// What was asked is not in it: the tape has that.
  private mutating func add(_ record: PushRecord) {
    let facts = record.facts
    add(facts.sequence)
    add(facts.answer.id)
    if let id = facts.answer.uniqueID { add(id) }
    if let refusal = facts.answer.refusal {
      add(refusal.reason.rawValue)
      add(refusal.since?.nanoseconds ?? 0)
    }
    add(Int64(facts.keyNumber ?? -1))
    if let address = facts.address {
      add(address.device)
      add(address.slotNumber)
    }
    add(facts.firstSent != nil)
    if let sent = facts.firstSent { add(sent) }
    if let fault = facts.fault { add(fault) }
    add(facts.firstFate)
  }

  private mutating func add(_ sent: SentAnswer) {
    add(sent.name)
    switch sent {
    case .answer(let status), .malformed(let status), .incomplete(let status): add(Int64(status))
    case .reset(let code): add(UInt64(code))
    case .pending(let wait): add(wait.rawValue)
    case .nothing(let cause): add(cause.rawValue)
    }
  }

  private mutating func add(_ happening: Happening) {
    add(happening.name)
    add(Int64(happening.activity.map { Int64($0) } ?? -1))
    if let slot = happening.slot {
      add(slot.kind.name)
      if case .pushToStart(let type) = slot { add(Int64(type)) }
    }
    for detail in happening.details { add(detail.value) }
  }

  private mutating func add(_ order: WireOrder) {
    add(order.name)
    switch order {
    case .respond(let stream, let response):
      add(Int64(stream))
      add(response)
    case .reset(let stream, let code):
      add(Int64(stream))
      add(UInt64(code))
    case .goAway(let lastStream, let code, let debug, let closes):
      add(Int64(lastStream ?? -1))
      add(UInt64(code))
      debug.withUnsafeBytes { add($0) }
      add(closes)
    case .respondInPieces(let stream, let response, let pieces):
      add(Int64(stream))
      add(response)
      for size in pieces.sizes { add(Int64(size)) }
      add(pieces.end.rawValue)
      add(pieces.pause?.wholeNanoseconds ?? -1)
    case .streams(let count, let open, let surplus):
      add(Int64(count))
      if open == .finish { add(true) }
      add(UInt64(surplus?.code ?? .max))
      surplus?.debug.withUnsafeBytes { add($0) }
    case .window(let bytes, let withheld):
      add(Int64(bytes))
      add(withheld)
    case .readSlowly(let rate): add(Int64(rate ?? -1))
    case .freeze(let answersPings): add(answersPings)
    case .halfClose(let saysGoodbye): add(saysGoodbye)
    case .streamsAsBefore, .thaw, .close, .abort: break
    }
  }

  private mutating func add(_ fault: ListenerFault) {
    switch fault {
    case .refuse: add("refuse")
    case .failHandshake: add("failHandshake")
    case .slowHandshake(let wait): add(wait.wholeNanoseconds)
    case .hang: add("hang")
    case .certificate(let kind): add(kind.rawValue)
    }
  }
}

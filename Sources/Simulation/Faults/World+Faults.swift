import APNs
import Devices
import Timeline
import WireFormats

/// An answer that leaves later, or changed.
struct ApartAnswer: Sendable {
  let stream: StreamID
  let wait: Duration?
  let retryAfter: Int?
  var pieces: FaultPieces?
}

extension World {
  /// Whether a provider waits for something that a fault holds back for a time.
  package var holdsAnswers: Bool { !heldOrders.isEmpty }

  /// The push on a stream whose answer a fault holds back.
  func heldAnswer(on stream: StreamID) -> UInt64? { heldOrders.isEmpty ? nil : heldOrders.push(on: stream) }

  /// What a fault has made of a push that APNs would have taken.
  struct Struck {
    let fault: String
    let fate: Fate
    let refusal: Refusal?
    /// What is sent at first where the answer goes its own way, or not at all; nil where it leaves as decided.
    let sent: SentAnswer?
  }

  /// Looks for a fault that strikes a push, and carries it out. Nil where none does.
  mutating func strike(
    _ accepted: AcceptedPush, on stream: StreamID, key: Int?, at now: Now
  ) -> Struck? {
    let (push, address) = (accepted.examined, accepted.address)
    func isWithin(_ scope: SessionScope) -> Bool {
      let traits = PushTraits(key: key, device: address.device)
      return scope.match(traits, push) == .sure
    }
    if !faults.sticky.isEmpty,
      let sticky = faults.sticky[stream.connection.number]?.first(where: { $0.scope.map(isWithin) ?? true })
    {
      return Struck(fault: sticky.label, fate: .refused, refusal: Refusal(sticky.reason, by: nil), sent: nil)
    }
    let facts = PushFacts(
      environment: push.environment, connection: stream.connection.number, address: address, type: push.type,
      priority: push.priority)
    let os = faults.asksForOS ? fleet.os(of: address.device).major : 0
    let payload = PushPayload(
      storage: push.request.storage, range: push.payloadRange,
      event: accepted.activity?.event.rawValue)
    let struck = faults.strike(facts, os: os, at: now.world, payload, isWithin: isWithin)
    guard let fault = struck else { return nil }
    events.append(.faultStruck(fault.label, address.device, at: now.world))
    switch fault.consequence {
    case .push(let consequence): return carry(out: consequence, fault, accepted, stream, at: now)
    case .connection(let consequence):
      let number = stream.number
      switch carry(out: consequence, fault, on: stream.connection, stream: number, at: now.world) {
      case .served:
        let fate = deliver(accepted, number: pushes + 1, at: now.world)
        return Struck(fault: fault.label, fate: fate, refusal: nil, sent: nil)
      case .lost(let cause):
        return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, sent: .nothing(cause))
      case .refused(let reason):
        return Struck(fault: fault.label, fate: .refused, refusal: Refusal(reason, by: nil), sent: nil)
      }
    case .devices, .prompts, .reports, .listener: return nil
    }
  }

  private mutating func carry(
    out consequence: PushFault, _ fault: Fault, _ accepted: AcceptedPush, _ stream: StreamID, at now: Now
  ) -> Struck {
    switch consequence {
    case .refuse(let reason, let retryAfter, let age, let pieces):
      let since = reason.status == 410 ? now.world.advanced(by: .zero - (age ?? .zero)) : nil
      let refusal = Refusal(reason, by: nil, since: since)
      guard retryAfter != nil || pieces != nil else {
        return Struck(fault: fault.label, fate: .refused, refusal: refusal, sent: nil)
      }
      apart = ApartAnswer(stream: stream, wait: nil, retryAfter: retryAfter, pieces: pieces)
      let sent = pieces?.sent(reason.status) ?? .answer(status: reason.status)
      return Struck(fault: fault.label, fate: .refused, refusal: refusal, sent: sent)
    case .silence:
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, sent: .nothing(.silence))
    case .lose: return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, sent: nil)
    case .reset(let code):
      events.append(.wire(stream.connection, .reset(stream: stream.number, code: code)))
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, sent: .reset(code: code))
    case .malformed(let status, let body, let pieces):
      let response = HTTPResponse(
        status: status, fields: HTTPFields([("content-type", "application/json")]), body: body)
      events.append(.wire(stream.connection, .respond(to: stream.number, response, pieces)))
      let sent = pieces?.sent(status) ?? .malformed(status: status)
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, sent: sent)
    case .delay(let delay):
      let fate = deliver(accepted, number: pushes + 1, at: now.world)
      let wait = delay.draw(
        faultDelays, stream.connection.number, UInt64(bitPattern: Int64(stream.number)))
      apart = ApartAnswer(stream: stream, wait: wait, retryAfter: nil)
      let sent: SentAnswer = wait > .zero ? .pending(.delay) : .answer(status: 200)
      return Struck(fault: fault.label, fate: fate, refusal: nil, sent: sent)
    case .loseAnswer(let code):
      let fate = deliver(accepted, number: pushes + 1, at: now.world)
      if let code { events.append(.wire(stream.connection, .reset(stream: stream.number, code: code))) }
      let sent = code.map { SentAnswer.reset(code: $0) } ?? .nothing(.silence)
      return Struck(fault: fault.label, fate: fate, refusal: nil, sent: sent)
    case .withoutID:
      let fate = deliver(accepted, number: pushes + 1, at: now.world)
      let response = HTTPResponse(status: 200, fields: HTTPFields([]), body: [])
      events.append(.wire(stream.connection, .respond(stream: stream.number, response)))
      return Struck(fault: fault.label, fate: fate, refusal: nil, sent: .answer(status: 200))
    }
  }

  /// Sends an answer that goes its own way, once it is known.
  mutating func sendApart(_ answer: Answer, to push: PushRecord, at now: Now) {
    guard let apart else { return }
    self.apart = nil
    var response = answer.response
    if let retryAfter = apart.retryAfter {
      var fields = response.fields
      fields.append("retry-after", String(retryAfter))
      response = HTTPResponse(status: response.status, fields: fields, body: response.body)
    }
    let order = WireOrder.respond(to: apart.stream.number, response, apart.pieces)
    if let wait = apart.wait, wait > .zero {
      hold(order, on: apart.stream.connection, until: now.world.advanced(by: wait), answering: push)
    } else {
      events.append(.wire(apart.stream.connection, order))
    }
  }

  // MARK: - Orders

  /// Sets a fault, in place of one of the same name.
  mutating func set(_ fault: Fault, at now: Instant) throws(CommandProblem) {
    guard faults.armed.count < FaultDesk.most || faults[fault.name] != nil else {
      throw CommandProblem(.senseless, "name", "No more than \(FaultDesk.most) faults can be set at once.")
    }
    if let old = faults[fault.name] {
      heal(fault.name, at: now)
      forgetTimes(of: old.fault, at: now)
    }
    faults.set(fault)
    if fault.condition.idle != nil {
      faults.watch(openConnections.filter { !managesChannels($0.id) }, by: fault.name, at: now)
      lookForSilence(at: now)
    }
    guard let serial = faults[fault.name]?.serial else { return }
    if fault.consequence.standsByItself {
      if let from = fault.from, from > now {
        plan(.faultBegins(serial), due: from)
      } else {
        begin(fault.name, at: now)
      }
    }
    if let until = fault.until { plan(.faultEnds(serial), due: max(until, now)) }
  }

  /// Nobody waits any more for a fault to begin or to end.
  private mutating func forgetTimes(of fault: Fault, at now: Instant) {
    let begins = fault.consequence.standsByItself && fault.from.map { $0 > now } ?? false
    let ends = fault.until.map { $0 > now } ?? false
    agendaHasStale((begins ? 1 : 0) + (ends ? 1 : 0))
  }

  mutating func hold(
    _ order: WireOrder, on connection: ConnectionID, until due: Instant, answering push: PushRecord? = nil
  ) {
    let held = HeldOrders.Held(
      connection: connection, order: order, push: push?.sequence, device: push?.address?.device)
    plan(.wire(heldOrders.add(held)), due: due)
  }

  /// A fault that is not about pushes comes into force.
  mutating func begin(_ name: String?, at now: Instant) {
    guard let name, let armed = faults[name], !armed.isInForce, armed.isOn(at: now) else { return }
    faults.force(name, true)
    switch armed.fault.consequence {
    case .devices: start(DeviceWave(.begin(name, serial: armed.serial), at: now))
    case .prompts(let fault):
      let model = fleet.model.asking(fault.applied(to: fleet.model.habits.prompt))
      faults.prompts.append((name, model))
    case .listener(let fault): events.append(.listener(fault, armed.fault.condition.environment))
    case .push, .connection, .reports: break
    }
  }

  /// Its time is over.
  mutating func end(_ name: String?, at now: Instant) {
    guard let name, let until = faults[name]?.fault.until, until <= now else { return }
    heal(name, at: now)
  }

  /// It is over: what it did is taken back.
  mutating func heal(_ name: String, at now: Instant) {
    guard let armed = faults[name] else { return }
    cure(name)
    guard armed.isInForce else { return }
    faults.force(name, false)
    switch armed.fault.consequence {
    // Only where it was done: a phone that had been offline before the wave stays so.
    case .devices(_, let heal?): start(DeviceWave(.heal(armed.done, heal), at: now))
    case .prompts: faults.prompts.removeAll { $0.name == name }
    case .listener: restore(armed.fault.condition.environment, at: now)
    case .devices, .push, .connection, .reports: break
    }
  }

  /// A listener is as the faults that are left say.
  private mutating func restore(_ environment: Environment?, at now: Instant) {
    events.append(.listener(nil, environment))
    for armed in faults.armed where armed.isInForce {
      guard case .listener(let fault) = armed.fault.consequence else { continue }
      events.append(.listener(fault, armed.fault.condition.environment))
    }
  }

  mutating func remove(_ name: String, at now: Instant) throws(CommandProblem) {
    guard faults[name] != nil else {
      let known = faults.armed.map(\.fault).filter { $0.session == nil }.map(\.name)
      throw CommandProblem(
        .unknown, "name",
        known.isEmpty ? "No fault is set." : "There is no fault \(name); there are \(known.joined(separator: ", ")).")
    }
    healAndForget(name, at: now)
  }

  private mutating func healAndForget(_ name: String, at now: Instant) {
    heal(name, at: now)
    if let removed = faults.remove(name) { forgetTimes(of: removed.fault, at: now) }
  }

  /// Everything is well again.
  mutating func healAll(at now: Instant) {
    for name in faults.armed.map(\.fault.name) { healAndForget(name, at: now) }
    // Answers that are late still come; GOAWAYs and the like that were to follow do not.
    agendaHasStale(heldOrders.keepAnswers())
  }

  /// How a phone and its person are: as the fleet is, unless a fault says otherwise.
  @inline(__always)
  func model(of device: DeviceID) -> PhoneModel {
    faults.prompts.isEmpty ? fleet.model : struckModel(of: device)
  }

  private func struckModel(of device: DeviceID) -> PhoneModel {
    for (name, model) in faults.prompts {
      guard let armed = faults[name], faults.holds(armed, device) else { continue }
      if let major = armed.fault.condition.os, fleet.os(of: device).major != major { continue }
      return model
    }
    return fleet.model
  }
}

extension WireOrder {
  static func respond(to stream: Int32, _ response: HTTPResponse, _ pieces: FaultPieces?) -> WireOrder {
    pieces.map { .respondInPieces(stream: stream, response, $0) } ?? .respond(stream: stream, response)
  }
}

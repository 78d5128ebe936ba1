import APNs
import Devices
import Timeline
import WireFormats

/// An answer that leaves later, or changed.
struct ApartAnswer: Sendable {
  let stream: StreamID
  let wait: Duration?
  let retryAfter: Int?
}

extension World {
  /// Whether a provider waits for something that a fault holds back for a time.
  package var holdsAnswers: Bool { !heldOrders.isEmpty }

  /// What a fault has made of a push that APNs would have taken.
  struct Struck {
    let fault: String
    let fate: Fate
    let refusal: Refusal?
    /// The answer goes its own way, or not at all.
    let isApart: Bool
  }

  /// Looks for a fault that strikes a push, and carries it out. Nil where none does.
  mutating func strike(
    _ push: PushRequest, _ request: HTTPRequest, on stream: StreamID, _ environment: Environment, key: Int?,
    at now: Now
  ) -> Struck? {
    guard let address = Address(push.address) else { return nil }
    func isWithin(_ scope: SessionScope) -> Bool {
      var traits = PushTraits(key: key, device: address.device)
      return scope.match(&traits, in: request) == .sure
    }
    if !faults.sticky.isEmpty,
      let reason = faults.sticky[stream.connection.number]?.first(where: { $0.scope.map(isWithin) ?? true })?.reason
    {
      return Struck(fault: "sticks", fate: .refused, refusal: Refusal(reason, by: nil), isApart: false)
    }
    let facts = PushFacts(
      environment: environment, connection: stream.connection.number, address: address, type: push.type,
      priority: push.priority)
    let os = faults.asksForOS ? fleet.os(of: address.device).major : 0
    let payload = PushPayload(storage: request.storage, range: push.payload)
    let struck = faults.strike(facts, os: os, at: now.world, payload, isWithin: isWithin)
    guard let fault = struck else { return nil }
    events.append(.faultStruck(fault.label, address.device, at: now.world))
    switch fault.consequence {
    case .push(let consequence): return carry(out: consequence, fault, push, request, stream, at: now)
    case .connection(let consequence): return carry(out: consequence, fault, push, request, stream, at: now)
    case .devices, .listener: return nil
    }
  }

  private mutating func carry(
    out consequence: PushFault, _ fault: Fault, _ push: PushRequest, _ request: HTTPRequest, _ stream: StreamID,
    at now: Now
  ) -> Struck {
    switch consequence {
    case .refuse(let reason, let retryAfter, let age):
      let since = reason.status == 410 ? now.world.advanced(by: .zero - (age ?? .zero)) : nil
      let refusal = Refusal(reason, by: nil, since: since)
      if let retryAfter {
        apart = ApartAnswer(stream: stream, wait: nil, retryAfter: retryAfter)
      }
      return Struck(fault: fault.label, fate: .refused, refusal: refusal, isApart: retryAfter != nil)
    case .silence:
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .lose: return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: false)
    case .reset(let code):
      events.append(.wire(stream.connection, .reset(stream: stream.number, code: code)))
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .malformed(let status, let body):
      let response = HTTPResponse(
        status: status, fields: HTTPFields([("content-type", "application/json")]), body: body)
      events.append(.wire(stream.connection, .respond(stream: stream.number, response)))
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .delay(let delay):
      let fate = deliver(push, request, number: pushes + 1, at: now.world)
      let wait = delay.draw(
        faultDelays, stream.connection.number, UInt64(bitPattern: Int64(stream.number)))
      apart = ApartAnswer(stream: stream, wait: wait, retryAfter: nil)
      return Struck(fault: fault.label, fate: fate, refusal: nil, isApart: true)
    case .loseAnswer(let code):
      let fate = deliver(push, request, number: pushes + 1, at: now.world)
      if let code { events.append(.wire(stream.connection, .reset(stream: stream.number, code: code))) }
      return Struck(fault: fault.label, fate: fate, refusal: nil, isApart: true)
    case .withoutID:
      let fate = deliver(push, request, number: pushes + 1, at: now.world)
      let response = HTTPResponse(status: 200, fields: HTTPFields([]), body: [])
      events.append(.wire(stream.connection, .respond(stream: stream.number, response)))
      return Struck(fault: fault.label, fate: fate, refusal: nil, isApart: true)
    }
  }

  private mutating func carry(
    out consequence: ConnectionFault, _ fault: Fault, _ push: PushRequest, _ request: HTTPRequest, _ stream: StreamID,
    at now: Now
  ) -> Struck? {
    let connection = stream.connection
    switch consequence {
    case .goAway(let goAway):
      let last = goAway.before < 0 ? 0 : max(0, Int(stream.number) - 2 * goAway.before)
      let order = WireOrder.goAway(
        lastStream: Int32(clamping: last), code: goAway.code, debug: goAway.debug,
        closes: goAway.closes && !goAway.isTwice)
      events.append(.wire(connection, order))
      if goAway.isTwice {
        let second = WireOrder.goAway(
          lastStream: Int32(clamping: last), code: goAway.code, debug: goAway.debug, closes: goAway.closes)
        hold(second, on: connection, until: now.world.advanced(by: .seconds(1)))
      }
      // What lies above the last stream was never seen.
      guard last < Int(stream.number) else { return nil }
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .streams(let count, let back, let after):
      events.append(.wire(connection, .streams(count)))
      if let back { hold(.streams(back), on: connection, until: now.world.advanced(by: after)) }
      return nil
    case .freeze(let answersPings):
      events.append(.wire(connection, .freeze(answersPings: answersPings)))
      faults.grip(connection, by: fault)
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .close:
      let fate = deliver(push, request, number: pushes + 1, at: now.world)
      apart = ApartAnswer(stream: stream, wait: nil, retryAfter: nil)
      hold(.close, on: connection, until: now.world)
      return Struck(fault: fault.label, fate: fate, refusal: nil, isApart: true)
    case .abort:
      events.append(.wire(connection, .abort))
      return Struck(fault: fault.label, fate: .discarded(.byFault), refusal: nil, isApart: true)
    case .sticks(let reason):
      faults.sticky[connection.number, default: []].append(
        StickyAnswer(reason: reason, session: fault.session, scope: fault.condition.scope))
      return Struck(fault: fault.label, fate: .refused, refusal: Refusal(reason, by: nil), isApart: false)
    case .readsSlowly(let rate):
      events.append(.wire(connection, .readSlowly(bytesPerSecond: rate)))
      faults.grip(connection, by: fault)
      return nil
    }
  }

  /// Sends an answer that goes its own way, once it is known.
  mutating func sendApart(_ answer: Answer, at now: Now) {
    guard let apart else { return }
    self.apart = nil
    var response = answer.response
    if let retryAfter = apart.retryAfter {
      var fields = response.fields
      fields.append("retry-after", String(retryAfter))
      response = HTTPResponse(status: response.status, fields: fields, body: response.body)
    }
    let order = WireOrder.respond(stream: apart.stream.number, response)
    if let wait = apart.wait, wait > .zero {
      hold(order, on: apart.stream.connection, until: now.world.advanced(by: wait))
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
    if faults[fault.name] != nil { heal(fault.name, at: now) }
    faults.set(fault)
    guard !fault.consequence.strikesPushes else { return }
    if let from = fault.from, from > now {
      plan(.faultBegins(place(of: fault.name)), due: from)
    } else {
      begin(fault.name, at: now)
    }
    if let until = fault.until { plan(.faultEnds(place(of: fault.name)), due: max(until, now)) }
  }

  private mutating func hold(_ order: WireOrder, on connection: ConnectionID, until due: Instant) {
    heldCount += 1
    heldOrders[heldCount] = (connection, order)
    plan(.wire(heldCount), due: due)
  }

  private mutating func place(of name: String) -> Int {
    if let place = timedFaults.firstIndex(of: name) { return place }
    timedFaults.append(name)
    return timedFaults.count - 1
  }

  /// A fault that is not about pushes comes into force.
  mutating func begin(_ name: String, at now: Instant) {
    guard let armed = faults[name], !armed.isInForce, armed.fault.until.map({ now < $0 }) ?? true else { return }
    faults.force(name, true)
    switch armed.fault.consequence {
    case .devices(let action, _): perform(action, of: armed, at: now)
    case .listener(let fault): events.append(.listener(fault, armed.fault.condition.environment))
    case .push, .connection: break
    }
  }

  /// It is over: what it did is taken back.
  mutating func heal(_ name: String, at now: Instant) {
    guard let armed = faults[name], armed.isInForce else { return }
    faults.force(name, false)
    switch armed.fault.consequence {
    case .devices(_, let heal?): perform(heal, of: armed, at: now)
    case .listener: events.append(.listener(nil, armed.fault.condition.environment))
    case .devices, .push, .connection: break
    }
  }

  mutating func remove(_ name: String, at now: Instant) throws(CommandProblem) {
    guard faults[name] != nil else {
      let known = faults.armed.map(\.fault).filter { $0.session == nil }.map(\.name)
      throw CommandProblem(
        .unknown, "name",
        known.isEmpty ? "No fault is set." : "There is no fault \(name); there are \(known.joined(separator: ", ")).")
    }
    heal(name, at: now)
    _ = faults.remove(name)
  }

  /// Everything is well again.
  mutating func healAll(at now: Instant) {
    for name in faults.armed.map(\.fault.name) {
      heal(name, at: now)
      _ = faults.remove(name)
    }
    faults.sticky = [:]
    faults.gripped = [:]
    for connection in openConnections { events.append(.wire(connection.id, .thaw)) }
  }

  /// Does something to every device that a fault is for; where it makes no sense nothing happens.
  private mutating func perform(_ action: DeviceAction, of armed: FaultDesk.Armed, at now: Instant) {
    let condition = armed.fault.condition
    for number in 0..<fleet.plan.devices {
      let device = DeviceID(number)
      guard faults.holds(armed, device) else { continue }
      if let major = condition.os, fleet.os(of: device).major != major { continue }
      if let app = condition.app.flatMap({ app in fleet.plan.apps.firstIndex { $0.bundleID == app } }),
        !fleet.install(device, app: app).isInstalled
      {
        continue
      }
      _ = try? perform(action, on: device, at: now)
    }
  }
}

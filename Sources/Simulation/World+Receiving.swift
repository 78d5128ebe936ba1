import APNs
import Devices
import Timeline
import WireFormats

extension World {
  /// A request has arrived whole. Requests on a connection that is not open are not answered.
  ///
  /// - Returns: false where a fault has changed which streams of this connection are served: that is to be carried out
  ///   before another request of it comes in.
  @discardableResult
  package mutating func receive(_ request: HTTPRequest, on stream: StreamID, at now: Now) -> Bool {
    let before = events.count
    take(request, on: stream, at: now)
    return streamsStay(on: stream.connection, since: before)
  }

  /// The same of a push that has been examined on its connection's loop, with what `provider(of:)` said last.
  ///
  /// - Parameters:
  ///   - activity: its payload, where it is for a Live Activity and has been read.
  ///   - now: its `wall` is the time of the examination.
  package mutating func receive(
    _ examination: borrowing SettledExamination, _ activity: ActivityReading?, on stream: StreamID, at now: Now
  ) -> Bool {
    let before = events.count
    note(.received(examination.push.request, stream), at: now)
    pass(to: now)
    guard let index = place(of: stream.connection), hears(stream, at: now) else {
      return streamsStay(on: stream.connection, since: before)
    }
    if faults.skews.isEmpty {
      let (address, outcome) = gatekeeper.admit(
        examination, to: examination.address, using: &fleet, at: now.world)
      carryOut(
        Incoming(
          push: examination.push, outcome: outcome, keyNumber: examination.keyNumber, address: address,
          activity: activity),
        on: stream, of: index, at: now)
    } else {
      // A fault has come that puts this connection's clock wrong.
      let judgedAt = skewed(now, on: stream.connection)
      var anew: SettledExamination?
      let verdict = judge(examination.push, to: examination.address, of: index, at: judgedAt, &anew)
      carryOut(Incoming(verdict, activity), on: stream, of: index, at: now)
    }
    return streamsStay(on: stream.connection, since: before)
  }

  /// Examines a push and asks its phone.
  ///
  /// - Parameter settled: takes the examination, if that holds for the next push as well.
  private mutating func judge(
    _ push: ExaminedPush, to address: Address?, of index: Dictionary<ConnectionID, Caller>.Index, at now: Now,
    _ settled: inout SettledExamination?
  ) -> Verdict {
    var examination = gatekeeper.examine(push, on: &connections.values[index].provider, at: now)
    settled = SettledExamination(examination, by: gatekeeper.examiner)
    examination.address = address
    return gatekeeper.admit(examination, on: &connections.values[index].provider, using: &fleet, at: now)
  }

  /// What APNs remembers of a connection that takes pushes.
  package func provider(of connection: ConnectionID) -> ProviderConnection? { connections[connection]?.provider }

  private func streamsStay(on connection: ConnectionID, since before: Int) -> Bool {
    guard faults.strikesPushes || !faults.waiting.isEmpty, before < events.count else { return true }
    return !events[before...].contains { $0.limitsStreams(of: connection) }
  }

  /// A simulated provider sends a push to one of many devices, on a connection that takes pushes.
  ///
  /// - Parameter settled: what the rules said of it on this connection at this time, once that does not depend any
  ///   more on what was sent before.
  mutating func receive(
    _ template: PushTemplate, _ settled: inout SettledExamination?, to address: Address, on stream: StreamID,
    at now: Now
  ) {
    note(.received(template.push.request(to: address), stream), at: now)
    pass(to: now)
    guard let index = place(of: stream.connection), hears(stream, at: now) else { return }
    var incoming: Incoming
    if let settled, faults.skews.isEmpty {
      let (address, outcome) = gatekeeper.admit(settled, to: address, using: &fleet, at: now.world)
      incoming = Incoming(
        push: template.push, outcome: outcome, keyNumber: settled.keyNumber, address: address,
        activity: template.activity)
    } else {
      // A clock that a fault puts wrong is another one for each push.
      let judgedAt = faults.skews.isEmpty ? now : skewed(now, on: stream.connection)
      incoming = Incoming(judge(template.push, to: address, of: index, at: judgedAt, &settled), template.activity)
    }
    if incoming.address == nil {
      // Its token is found nowhere else.
      incoming.push = ExaminedPush(template.push.request(to: address), in: template.push.environment)
    }
    carryOut(incoming, on: stream, of: index, at: now)
  }

  private mutating func take(_ request: HTTPRequest, on stream: StreamID, at now: Now) {
    note(.received(request, stream), at: now)
    pass(to: now)
    guard let index = place(of: stream.connection) else { return }
    guard managers.isEmpty || !managers.contains(stream.connection) else {
      withProvider(of: stream.connection) { $0.manage(request, on: stream, &$1, at: now) }
      return
    }
    guard hears(stream, at: now) else { return }
    let judgedAt = faults.skews.isEmpty ? now : skewed(now, on: stream.connection)
    let examination = gatekeeper.examine(request, on: &connections.values[index].provider, at: judgedAt)
    let verdict = gatekeeper.admit(
      examination, on: &connections.values[index].provider, using: &fleet, at: judgedAt)
    if case .failure = verdict.outcome, BroadcastRequest.isAddressed(by: request) {
      if verdict.authorisesConnection { events.append(.streamsAllowed(stream.connection)) }
      withProvider(of: stream.connection) { $0.publish(request, on: stream, &$1, at: now) }
      return
    }
    carryOut(Incoming(verdict, nil), on: stream, of: index, at: now)
  }

  /// Whether a request on a stream is processed; a fault may have said that it is not.
  private mutating func hears(_ stream: StreamID, at now: Now) -> Bool {
    // The client may send it again elsewhere: what had come in one piece with the push at hand must not be delivered.
    if !faults.leaving.isEmpty, faults.leavesOut(stream) {
      let what = "Stream \(stream.number) lies above the last stream that a GOAWAY named; it was not processed."
      events.append(
        .trouble(
          Trouble(
            at: now.world, kind: "streamNotProcessed", peer: connections[stream.connection]?.peer ?? "",
            sentence: what)))
      return false
    }
    if !faults.waiting.isEmpty { heard(stream.connection, at: now.world) }
    return true
  }

  /// A push that has been judged.
  private struct Incoming: ~Copyable {
    /// As the ledger keeps it. Where the phone of a shared push was not found, it has its own token.
    var push: ExaminedPush
    let outcome: Result<PushRequest, Refusal>
    let keyNumber: Int?
    let address: Address?
    var authorisesConnection = false
    let activity: ActivityReading?

    init(
      push: ExaminedPush, outcome: Result<PushRequest, Refusal>, keyNumber: Int?, address: Address?,
      activity: ActivityReading?
    ) {
      self.push = push
      self.outcome = outcome
      self.keyNumber = keyNumber
      self.address = address
      self.activity = activity
    }

    init(_ verdict: Verdict, _ activity: ActivityReading?) {
      self.init(
        push: verdict.examined, outcome: verdict.outcome, keyNumber: verdict.keyNumber, address: verdict.address,
        activity: activity)
      authorisesConnection = verdict.authorisesConnection
    }
  }

  /// Delivers what APNs takes, answers, and notes the push. Inlined: what comes in would be copied for the call.
  @inline(__always)
  private mutating func carryOut(
    _ incoming: borrowing Incoming, on stream: StreamID, of index: Dictionary<ConnectionID, Caller>.Index,
    at now: Now
  ) {
    if incoming.authorisesConnection { events.append(.streamsAllowed(stream.connection)) }

    // What a push brings about comes after it.
    let place = events.count
    let fate: Fate
    let refusal: Refusal?
    var struck: Struck?
    switch incoming.outcome {
    case .success(let accepted):
      if faults.strikesPushes {
        struck = strike(
          AcceptedPush(request: accepted, activity: incoming.activity), on: stream,
          key: incoming.keyNumber, at: now)
      }
      if let struck {
        fate = struck.fate
        refusal = struck.refusal
      } else {
        fate = deliver(
          AcceptedPush(request: accepted, activity: incoming.activity), number: pushes + 1,
          at: now.world)
        refusal = nil
      }
    case .failure(let found):
      fate = .refused
      refusal = found
      connections.values[index].refused += 1
      let trouble = Self.trouble(found, &connections.values[index], at: now.world)
      if let trouble { events.append(.trouble(trouble)) }
    }
    pushes += 1
    connections.values[index].pushes += 1
    let subject = stream.connection.number
    let count = UInt64(bitPattern: Int64(stream.number))
    let bits = idDraw.wideBits(subject, count)
    let answer = Answer(
      id: incoming.push.id ?? NotificationID(bits: bits),
      uniqueID: incoming.push.environment == .sandbox && refusal == nil
        ? NotificationID(bits: Self.turned(bits)) : nil,
      refusal: refusal)
    var traits: PushTraits?
    if tracesRefusals, refusal != nil {
      var told = PushTraits(key: incoming.keyNumber, device: incoming.address?.device)
      told.complete(incoming.push, fleet, gatekeeper.keyRing)
      traits = told
    }
    let record = PushRecord(
      .init(
        sequence: pushes, at: now, stream: stream, push: incoming.push, answer: answer,
        keyNumber: incoming.keyNumber, address: incoming.address, firstFate: fate,
        fault: struck?.fault, firstSent: struck?.sent, traits: traits))
    if apart != nil { sendApart(answer, to: record, at: now) }
    if refusal == nil, place < events.count {
      events.insert(.push(record), at: place)
    } else {
      events.append(.push(record))
    }
  }

  /// Other bits that look no less random: one draw serves for both ids of a push.
  private static func turned(_ bits: (UInt64, UInt64)) -> (UInt64, UInt64) {
    (bits.1 &* 0x9E37_79B9_7F4A_7C15 ^ bits.0 >> 29, bits.0 &* 0xBF58_476D_1CE4_E5B9 ^ bits.1 >> 31)
  }

  /// A client that is not let in at all is named among the troubles: its pushes never get as far as a device.
  private static func trouble(_ refusal: Refusal, _ caller: inout Caller, at now: Instant) -> Trouble? {
    guard let rule = refusal.rule, refusal.reason.status == 403, caller.lastTrouble != rule else { return nil }
    caller.lastTrouble = rule
    return Trouble(
      at: now, kind: "providerToken", peer: caller.peer,
      sentence: "A push was refused with \(refusal.reason.rawValue). \(rule.sentence)")
  }
}

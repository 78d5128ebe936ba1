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
    let before = output.count
    take(request, on: stream, at: now)
    return streamsStay(on: stream.connection, since: before)
  }

  /// The same of a push that has been examined on its connection's loop, with what `provider(of:)` said last.
  ///
  /// - Parameters:
  ///   - activity: its payload, where it is for a Live Activity and has been read.
  ///   - now: its `wall` is the time of the examination.
  package mutating func receive(
    _ examination: borrowing SettledExamination, _ activity: ParsedActivityUpdate?, on stream: StreamID, at now: Now
  ) -> Bool {
    let before = output.count
    output.record(.received(examination.push.request, stream), at: now)
    pass(to: now)
    guard let place = connections.place(of: stream.connection), hears(stream, at: now) else {
      return streamsStay(on: stream.connection, since: before)
    }
    if faults.skews.isEmpty {
      let (address, outcome) = validator.admit(
        examination, to: examination.address, using: &partition.fleet, at: now.world)
      carryOut(
        Incoming(
          push: examination.push, outcome: outcome, keyNumber: examination.keyNumber, address: address,
          activity: activity),
        on: stream, of: place, at: now)
    } else {
      // A fault has come that puts this connection's clock wrong.
      let judgedAt = faults.skewed(now, on: stream.connection)
      var anew: SettledExamination?
      let verdict = validate(examination.push, to: examination.address, of: place, at: judgedAt, &anew)
      carryOut(Incoming(verdict, activity), on: stream, of: place, at: now)
    }
    return streamsStay(on: stream.connection, since: before)
  }

  /// Examines a push and asks its phone.
  ///
  /// - Parameter settled: takes the examination, if that holds for the next push as well.
  private mutating func validate(
    _ push: ExaminedPush, to address: Address?, of place: Connections.Place, at now: Now,
    _ settled: inout SettledExamination?
  ) -> PushVerdict {
    var examination = validator.examine(push, on: &connections[place].provider, at: now)
    settled = SettledExamination(examination, by: validator.examiner)
    examination.address = address
    return validator.admit(examination, on: &connections[place].provider, using: &partition.fleet, at: now)
  }

  private func streamsStay(on connection: ProviderConnectionID, since before: Int) -> Bool {
    guard faults.strikesPushes || !faults.waiting.isEmpty, before < output.count else { return true }
    return !output.contains(from: before) { $0.limitsStreams(of: connection) }
  }

  /// A simulated provider sends a push to one of many devices, on a connection that takes pushes.
  ///
  /// - Parameter settled: what the rules said of it on this connection at this time, once that does not depend any
  ///   more on what was sent before.
  mutating func receive(
    _ template: PushTemplate, _ settled: inout SettledExamination?, to address: Address, on stream: StreamID,
    at now: Now
  ) {
    output.record(.received(template.push.request(to: address), stream), at: now)
    pass(to: now)
    guard let place = connections.place(of: stream.connection), hears(stream, at: now) else { return }
    var incoming: Incoming
    if let settled, faults.skews.isEmpty {
      let (address, outcome) = validator.admit(settled, to: address, using: &partition.fleet, at: now.world)
      incoming = Incoming(
        push: template.push, outcome: outcome, keyNumber: settled.keyNumber, address: address,
        activity: template.activity)
    } else {
      // A clock that a fault puts wrong is another one for each push.
      let judgedAt = faults.skews.isEmpty ? now : faults.skewed(now, on: stream.connection)
      incoming = Incoming(validate(template.push, to: address, of: place, at: judgedAt, &settled), template.activity)
    }
    if incoming.address == nil {
      // Its token is found nowhere else.
      incoming.push = ExaminedPush(template.push.request(to: address), in: template.push.environment)
    }
    carryOut(incoming, on: stream, of: place, at: now)
  }

  private mutating func take(_ request: HTTPRequest, on stream: StreamID, at now: Now) {
    output.record(.received(request, stream), at: now)
    pass(to: now)
    guard let place = connections.place(of: stream.connection) else { return }
    if connections.hasManagers, connections.managesChannels(stream.connection) {
      return manage(request, on: stream, of: place, at: now)
    }
    guard hears(stream, at: now) else { return }
    let judgedAt = faults.skews.isEmpty ? now : faults.skewed(now, on: stream.connection)
    let examination = validator.examine(request, on: &connections[place].provider, at: judgedAt)
    let verdict = validator.admit(
      examination, on: &connections[place].provider, using: &partition.fleet, at: judgedAt)
    if case .failure = verdict.outcome, BroadcastRequest.isAddressed(by: request) {
      if verdict.authorisesConnection { output.append(.streamsAllowed(stream.connection)) }
      return publish(request, on: stream, of: place, at: now)
    }
    carryOut(Incoming(verdict, nil), on: stream, of: place, at: now)
  }

  /// Whether a request on a stream is processed; a fault may have said that it is not.
  private mutating func hears(_ stream: StreamID, at now: Now) -> Bool {
    // The client may send it again elsewhere: what had come in one piece with the push at hand must not be delivered.
    if !faults.leaving.isEmpty, faults.leavesOut(stream) {
      let what = "Stream \(stream.number) lies above the last stream that a GOAWAY named; it was not processed."
      output.append(
        .trouble(
          ClientTrouble(
            at: now.world, kind: "streamNotProcessed", peer: connections.peer(of: stream.connection) ?? "",
            sentence: what)))
      return false
    }
    if !faults.waiting.isEmpty { endSilence(of: stream.connection, at: now.world) }
    return true
  }

  /// A push that has been judged.
  private struct Incoming: ~Copyable {
    /// As the push log keeps it. Where the phone of a shared push was not found, it has its own token.
    var push: ExaminedPush
    let outcome: Result<PushRequest, Rejection>
    let keyNumber: Int?
    let address: Address?
    var authorisesConnection = false
    let activity: ParsedActivityUpdate?

    init(
      push: ExaminedPush, outcome: Result<PushRequest, Rejection>, keyNumber: Int?, address: Address?,
      activity: ParsedActivityUpdate?
    ) {
      self.push = push
      self.outcome = outcome
      self.keyNumber = keyNumber
      self.address = address
      self.activity = activity
    }

    init(_ verdict: PushVerdict, _ activity: ParsedActivityUpdate?) {
      self.init(
        push: verdict.examined, outcome: verdict.outcome, keyNumber: verdict.keyNumber, address: verdict.address,
        activity: activity)
      authorisesConnection = verdict.authorisesConnection
    }
  }

  /// Delivers what APNs takes, answers, and notes the push. Inlined: what comes in would be copied for the call.
  @inline(__always)
  private mutating func carryOut(
    _ incoming: borrowing Incoming, on stream: StreamID, of place: Connections.Place, at now: Now
  ) {
    if incoming.authorisesConnection { output.append(.streamsAllowed(stream.connection)) }

    // What a push brings about comes after it.
    let first = output.count
    let fate: Fate
    let rejection: Rejection?
    var struck: FaultRegistry.Struck?
    switch incoming.outcome {
    case .success(let accepted):
      if faults.strikesPushes, !accepted.isDropped {
        struck = strike(
          AcceptedPush(request: accepted, activity: incoming.activity), on: stream,
          key: incoming.keyNumber, at: now)
      }
      if let struck {
        fate = struck.fate
        rejection = struck.rejection
      } else if accepted.isDropped {
        fate = .discarded(.certificate)
        rejection = nil
      } else {
        fate = partition.deliver(
          AcceptedPush(request: accepted, activity: incoming.activity), number: connections.pushes + 1,
          at: now.world, &faults, &output)
        rejection = nil
      }
    case .failure(let found):
      fate = .refused
      rejection = found
      if let trouble = connections[place].countRefusal(found, at: now.world) { output.append(.trouble(trouble)) }
    }
    connections.countPush(at: place)
    let record = PushRecord(
      .init(
        sequence: connections.pushes, at: now, stream: stream, push: incoming.push,
        answer: answer(incoming, rejection, on: stream), keyNumber: incoming.keyNumber, address: incoming.address,
        firstFate: fate, fault: struck?.fault, firstSent: struck?.sent, traits: traits(incoming, rejection)))
    if faults.apart != nil { sendApart(record.answer, to: record, at: now) }
    if rejection == nil {
      output.insert(.push(record), at: first)
    } else {
      output.append(.push(record))
      leave(stream.connection, of: place, for: rejection?.rule)
    }
  }

  @inline(__always)
  private func answer(_ incoming: borrowing Incoming, _ rejection: Rejection?, on stream: StreamID) -> PushAnswer {
    let bits = connections.drawBits(stream)
    return PushAnswer(
      id: incoming.push.id ?? NotificationID(bits: bits),
      uniqueID: incoming.push.environment == .sandbox && rejection == nil
        ? NotificationID(bits: Self.turned(bits)) : nil,
      rejection: rejection)
  }

  /// Whose a refused push was, where somebody wants to know.
  @inline(__always)
  private func traits(_ incoming: borrowing Incoming, _ rejection: Rejection?) -> PushTraits? {
    guard output.tracesRefusals, rejection != nil else { return nil }
    var traits = PushTraits(key: incoming.keyNumber, device: incoming.address?.device)
    traits.complete(incoming.push, partition.fleet, validator.keyRing)
    return traits
  }

  /// A fault has struck a push, and it is delivered nevertheless.
  mutating func deliver(_ accepted: AcceptedPush, at now: Instant) -> Fate {
    partition.deliver(accepted, number: connections.pushes + 1, at: now, &faults, &output)
  }

  /// Other bits that look no less random: one draw serves for both ids of a push.
  private static func turned(_ bits: (UInt64, UInt64)) -> (UInt64, UInt64) {
    (bits.1 &* 0x9E37_79B9_7F4A_7C15 ^ bits.0 >> 29, bits.0 &* 0xBF58_476D_1CE4_E5B9 ^ bits.1 >> 31)
  }
}

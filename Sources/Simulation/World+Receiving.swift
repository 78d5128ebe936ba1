import APNs
import Devices
import Timeline
import WireFormats

extension World {
  /// A complete request has arrived. Requests on a closed connection are not answered.
  ///
  /// - Returns: false if a fault has changed which streams of this connection are served; that must be carried out
  ///   before the connection's next request.
  @discardableResult
  package mutating func receive(_ request: HTTPRequest, on stream: StreamID, at now: Now) -> Bool {
    let before = output.count
    take(request, on: stream, at: now)
    return streamsStay(on: stream.connection, since: before)
  }

  /// The same for a push that was examined on its connection's loop, with the last value of `provider(of:)`.
  ///
  /// - Parameters:
  ///   - activity: its parsed payload, if it is for a Live Activity.
  ///   - now: its `wall` is the time of the examination.
  package mutating func receive(
    _ examination: borrowing SettledExamination, _ activity: ParsedActivityUpdate?, on stream: StreamID, at now: Now
  ) -> Bool {
    let before = output.count
    let now = enter(.received(examination.push.request, stream), at: now)
    defer { check(at: now.world) }
    guard let place = caller(of: stream, at: now) else {
      return streamsStay(on: stream.connection, since: before)
    }
    if faults.skews.isEmpty {
      let whole = wholeVerdict(on: examination.push.request, of: place, at: now)
      let (address, outcome) = validator.admit(
        examination, to: examination.address, using: &partition.fleet, at: now.world)
      check(outcome, address, examination.keyNumber, against: whole)
      carryOut(
        ValidatedPush(
          push: examination.push, outcome: outcome, keyNumber: examination.keyNumber, address: address),
        activity, on: stream, of: place, at: now)
    } else {
      // A fault may have changed this connection's clock.
      let judgedAt = faults.skewed(now, on: stream.connection)
      var anew: SettledExamination?
      let whole = wholeVerdict(on: examination.push.request, of: place, at: judgedAt)
      let verdict = validate(examination.push, to: examination.address, of: place, at: judgedAt, &anew)
      check(verdict.outcome, verdict.address, verdict.keyNumber, against: whole)
      carryOut(ValidatedPush(verdict), activity, on: stream, of: place, at: now)
    }
    return streamsStay(on: stream.connection, since: before)
  }

  /// Validates a push, including the rules that need its phone.
  ///
  /// - Parameter settled: receives the examination, if it is valid for the next push too.
  private mutating func validate(
    _ push: ExaminedPush, to address: Address?, of place: Connections.Place, at now: Now,
    _ settled: inout SettledExamination?
  ) -> PushVerdict {
    var examination = validator.examine(push, on: &connections[place].provider, at: now)
    settled = SettledExamination(examination, by: validator.examiner)
    examination.address = address
    return validator.admit(examination, on: &connections[place].provider, using: &partition.fleet, at: now)
  }

  @inline(__always)
  private func streamsStay(on connection: ProviderConnectionID, since before: Int) -> Bool {
    guard faults.strikesPushes || !faults.waiting.isEmpty || mostErrors != nil, before < output.count else {
      return true
    }
    return !output.contains(from: before) { $0.limitsStreams(of: connection) }
  }

  /// A simulated provider sends a push to one of many devices, on a push connection.
  ///
  /// - Returns: the push with the verdict of the rules on this connection at this time, once the verdict no longer
  ///   depends on earlier pushes.
  @inline(never)
  package mutating func receive(
    _ template: PushTemplate, to address: Address, on stream: StreamID, at now: Now
  ) -> SettledTemplate? {
    let now = enter(.received(template.push.request(to: address), stream), at: now)
    defer { check(at: now.world) }
    guard let place = caller(of: stream, at: now) else { return nil }
    // A clock offset set by a fault depends on the push.
    let isSkewed = !faults.skews.isEmpty
    let judgedAt = isSkewed ? faults.skewed(now, on: stream.connection) : now
    var settled: SettledExamination?
    let whole = wholeVerdict(on: template, to: address, of: place, at: judgedAt)
    let verdict = validate(template.push, to: address, of: place, at: judgedAt, &settled)
    check(verdict.outcome, verdict.address, verdict.keyNumber, against: whole)
    let incoming = ValidatedPush(
      push: sent(template, to: address, found: verdict.address), outcome: verdict.outcome,
      keyNumber: verdict.keyNumber, address: verdict.address, authorisesConnection: verdict.authorisesConnection)
    carryOut(incoming, template.activity, on: stream, of: place, at: now)
    return isSkewed ? nil : settled.map { SettledTemplate(template, $0) }
  }

  /// The same with the verdict that the push to another device has returned, at the same time and on the same
  /// connection.
  package mutating func receive(_ settled: SettledTemplate, to address: Address, on stream: StreamID, at now: Now) {
    guard faults.skews.isEmpty else {
      _ = receive(settled.template, to: address, on: stream, at: now)
      return
    }
    let now = enter(.received(settled.template.push.request(to: address), stream), at: now)
    defer { check(at: now.world) }
    guard let place = caller(of: stream, at: now) else { return }
    let whole = wholeVerdict(on: settled.template, to: address, of: place, at: now)
    let (found, outcome) = validator.admit(
      settled.examination, to: address, using: &partition.fleet, at: now.world)
    check(outcome, found, settled.examination.keyNumber, against: whole)
    let incoming = ValidatedPush(
      push: sent(settled.template, to: address, found: found), outcome: outcome,
      keyNumber: settled.examination.keyNumber, address: found)
    carryOut(incoming, settled.template.activity, on: stream, of: place, at: now)
  }

  /// The connection of a push; nil if the push is not processed.
  @inline(__always)
  private mutating func caller(of stream: StreamID, at now: Now) -> Connections.Place? {
    guard let place = connections.place(of: stream.connection), hears(stream, at: now) else { return nil }
    return place
  }

  /// The push as the push log keeps it. A token that the user has registered cannot be made from the address it leads
  /// to.
  @inline(__always)
  private func sent(_ template: PushTemplate, to address: Address, found: Address?) -> ExaminedPush {
    found?.isGiven ?? true
      ? ExaminedPush(template.push.request(to: address), in: template.push.environment) : template.push
  }

  private mutating func take(_ request: HTTPRequest, on stream: StreamID, at now: Now) {
    let now = enter(.received(request, stream), at: now)
    defer { check(at: now.world) }
    guard let place = connections.place(of: stream.connection) else { return }
    if connections.hasManagers, connections.managesChannels(stream.connection) {
      manage(request, on: stream, of: place, at: now)
      return
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
    carryOut(ValidatedPush(verdict), nil, on: stream, of: place, at: now)
  }

  /// Whether a request on a stream is processed; a fault may have excluded it.
  private mutating func hears(_ stream: StreamID, at now: Now) -> Bool {
    // The client may send it again elsewhere, so a request that arrived together with the current push must not be
    // delivered.
    if !faults.leaving.isEmpty, faults.leavesOut(stream) {
      let what = "Stream \(stream.number) is above the last stream of a GOAWAY; it was not processed."
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

  /// Delivers an accepted push, answers, and records it. Inlined, because a call would copy the input.
  ///
  /// - Parameter activity: its parsed payload, if it is known.
  @inline(__always)
  private mutating func carryOut(
    _ incoming: borrowing ValidatedPush, _ activity: ParsedActivityUpdate?, on stream: StreamID,
    of place: Connections.Place, at now: Now
  ) {
    if incoming.authorisesConnection { output.append(.streamsAllowed(stream.connection)) }

    // A push comes before the events it caused.
    let first = output.count
    let fate: Fate
    let rejection: Rejection?
    let struck: FaultRegistry.Struck?
    switch incoming.outcome {
    case .success(let request):
      struck =
        faults.strikesPushes && !request.isDropped
        ? strike(incoming, activity, request, on: stream, at: now) : nil
      if let struck {
        fate = struck.fate
        rejection = struck.rejection
      } else if request.isDropped {
        fate = .discarded(.certificate)
        rejection = nil
      } else {
        fate = deliver(incoming, activity, request, at: now.world)
        rejection = nil
      }
    case .failure(let found):
      struck = nil
      fate = .refused
      rejection = found
      if let rule = connections[place].countRefusal(found) {
        let trouble = trouble(
          of: found, by: rule, incoming.push, key: incoming.keyNumber, from: place, at: now)
        output.append(.trouble(trouble))
      }
      if partition.fleet.plan.cell != nil,
        let trouble = troubleOfOtherCell(incoming.push, found, of: place, at: now.world)
      {
        output.append(.trouble(trouble))
      }
    }
    connections.countPush(at: place)
    let record = PushRecord(
      .init(
        .init(sequence: connections.pushes, at: now, stream: stream), incoming.push,
        answer(incoming, rejection, on: stream), keyNumber: incoming.keyNumber, address: incoming.address,
        .init(fate: fate, fault: struck?.fault, sent: struck?.sent, traits: traits(incoming, rejection))))
    if faults.apart != nil { sendApart(record.answer, to: record, at: now) }
    if rejection == nil {
      output.insert(.push(record), at: first)
    } else {
      output.append(.push(record))
      if let rule = rejection?.rule, rule.isAboutCertificate {
        leave(stream.connection, of: place, for: rule)
      } else if let most = mostErrors, connections[place].errors == most, connections[place].markLeaving() {
        drop(stream, of: place, after: most, at: now)
      }
    }
  }

  /// A connection has had too many errors: it ends once this push is answered.
  private mutating func drop(_ stream: StreamID, of place: Connections.Place, after errors: UInt32, at now: Now) {
    output.append(
      .trouble(
        ClientTrouble(
          at: now.world, kind: "tooManyErrors", peer: connections[place].peer,
          sentence: "\(errors) requests on one connection were refused (rules.errorsPerConnection), so it ends; APNs"
            + " drops connections with many errors. Stop pushing to tokens that are refused.")))
    faults.leaving[stream.connection.number] = stream.number
    output.append(
      .wire(stream.connection, .goAway(lastStream: stream.number, code: 0, debug: [], closes: true)))
  }

  @inline(__always)
  private func answer(_ incoming: borrowing ValidatedPush, _ rejection: Rejection?, on stream: StreamID) -> PushAnswer {
    PushAnswer(
      connections.drawnIDs(stream), given: incoming.push.id, in: incoming.push.environment, rejection: rejection)
  }

  /// The session attributes of a rejected push, if they are needed.
  @inline(__always)
  private func traits(_ incoming: borrowing ValidatedPush, _ rejection: Rejection?) -> PushTraits? {
    guard output.tracesRefusals, rejection != nil else { return nil }
    var traits = PushTraits(key: incoming.keyNumber, device: incoming.address?.device)
    traits.complete(incoming.push, partition.fleet, validator.keyRing)
    return traits
  }

  /// Also for a push that a fault has struck and that is delivered nevertheless.
  @inline(__always)
  mutating func deliver(
    _ push: borrowing ValidatedPush, _ activity: ParsedActivityUpdate?, _ request: PushRequest, at now: Instant
  ) -> Fate {
    var arriving = ArrivingPush(
      number: connections.pushes + 1, request: push.push.request, priority: push.push.priority, type: push.push.type,
      collapseID: push.push.collapseIDRange, expiration: push.push.expiration)
    arriving.shared = activity
    return partition.deliver(arriving, request, at: now, &faults, &output)
  }
}

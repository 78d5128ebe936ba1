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
    let now = enter(.received(request, stream), at: now)
    defer { check(at: now.world) }
    take(request, on: stream, at: now)
    return streamsStay(on: stream.connection, since: before)
  }

  /// Receives a push that was checked on its connection's loop, with the last value of `provider(of:)`.
  ///
  /// - Parameters:
  ///   - activity: the push's parsed payload, if it is for a Live Activity.
  ///   - now: the present time; `wall` is the time of the check.
  package mutating func receive(
    _ checked: borrowing CheckedPush, _ activity: ParsedActivityUpdate?, on stream: StreamID, at now: Now
  ) -> Bool {
    let before = output.count
    let now = enter(.received(checked.push.request, stream), at: now)
    defer { check(at: now.world) }
    if let index = connection(of: stream, at: now) {
      let judgedAt = clock(now, of: index)
      let whole = wholeVerdict(on: checked.push.request, of: index, at: judgedAt)
      if judgedAt == now {
        admit(
          checked, from: Origin(address: checked.address, activity: activity), on: stream, of: index, at: now,
          whole: whole)
      } else {
        // A fault may have changed this connection's clock.
        let anew = validator.check(checked.push, on: &connections[index].provider, at: judgedAt.wall)
        admit(
          anew, from: Origin(address: checked.address, activity: activity), on: stream, of: index, at: now, whole: whole
        )
      }
    }
    return streamsStay(on: stream.connection, since: before)
  }

  /// Receives a push that a simulated provider writes to one of many devices.
  package mutating func receive(_ template: PushTemplate, to address: Address, on stream: StreamID, at now: Now) {
    let now = enter(.received(template.push.request(to: address), stream), at: now)
    defer { check(at: now.world) }
    guard let index = connection(of: stream, at: now) else { return }
    let judgedAt = clock(now, of: index)
    let whole = wholeVerdict(on: template, to: address, of: index, at: judgedAt)
    let verdict = template.verdict(
      on: stream.connection, &connections[index].provider, at: judgedAt.wall, by: &validator)
    admit(
      verdict.checked, from: Origin(address: address, activity: template.activity, template: template), on: stream,
      of: index, at: now, whole: whole)
  }

  /// Knowledge about a push besides its fields and body.
  private struct Origin {
    /// The address of the device token, if it is known.
    var address: Address?
    /// The parsed payload, if it is for a Live Activity and known.
    var activity: ParsedActivityUpdate?
    /// Nil unless the push is written from a template.
    var template: PushTemplate?
  }

  /// Applies the rules about the device token, and carries out the verdict.
  ///
  /// - Parameter whole: the verdict of all rules, for a check of Pushpit itself.
  @inline(__always)
  private mutating func admit(
    _ checked: borrowing CheckedPush, from origin: borrowing Origin, on stream: StreamID, of index: Connections.Index,
    at now: Now, whole: WholeVerdict
  ) {
    let (found, outcome) = validator.admit(
      checked, to: origin.address, isBlocked: isBlocked(index, at: now.world), using: &deviceState.fleet, at: now.world)
    check(outcome, address: found, keyNumber: checked.keyNumber, against: whole)
    var push = checked.push
    // A token that the user has registered cannot be made from the address it leads to.
    if let template = origin.template, let address = origin.address, found?.isGiven ?? true {
      push = ParsedPush(template.push.request(to: address), in: template.push.environment)
    }
    apply(
      ReceivedPush(
        push: push, outcome: outcome, keyNumber: checked.keyNumber, address: found,
        authorizesConnection: checked.authorizesConnection),
      origin.activity, on: stream, of: index, at: now)
  }

  @inline(__always)
  private func streamsStay(on connection: ProviderConnectionID, since before: Int) -> Bool {
    guard faults.strikesPushes || faults.strikesIdle || mostErrors != nil || narrowsStreams, before < output.count
    else {
      return true
    }
    return !output.contains(from: before) { $0.limitsStreams(of: connection) }
  }

  /// The connection of a push; nil if the push is not processed.
  @inline(__always)
  private mutating func connection(of stream: StreamID, at now: Now) -> Connections.Index? {
    guard let index = connections.index(of: stream.connection), accepts(stream, of: index, at: now) else { return nil }
    return index
  }

  /// The time used to check the provider tokens of a connection.
  @inline(__always)
  func clock(_ now: Now, of index: Connections.Index) -> Now {
    connections[index].isFaultFree ? now : connections[index].clock(now)
  }

  private mutating func take(_ request: HTTPRequest, on stream: StreamID, at now: Now) {
    guard let index = connections.index(of: stream.connection) else { return }
    if connections.hasManagers, connections.managesChannels(stream.connection) {
      manage(request, on: stream, of: index, at: now)
      return
    }
    guard accepts(stream, of: index, at: now) else { return }
    let push = ParsedPush(request, in: connections[index].environment)
    if push.tokenRange == nil, BroadcastRequest.isAddressed(by: request) {
      return publish(request, on: stream, of: index, at: now)
    }
    let judgedAt = clock(now, of: index)
    let whole = wholeVerdict(on: request, of: index, at: judgedAt)
    let checked = validator.check(push, on: &connections[index].provider, at: judgedAt.wall)
    admit(checked, from: Origin(), on: stream, of: index, at: now, whole: whole)
  }

  /// True if a request on a stream is processed; a fault may have excluded it.
  private mutating func accepts(_ stream: StreamID, of index: Connections.Index, at now: Now) -> Bool {
    // The client may send it again elsewhere, so a request that arrived together with the current push must not be
    // delivered.
    if stream.number > connections[index].lastStream {
      let what = "Stream \(stream.number) is above the last stream of a GOAWAY; it was not processed."
      output.append(
        .trouble(
          ClientTrouble(
            at: now.world, kind: "streamNotProcessed", peer: connections[index].peer,
            sentence: what)))
      return false
    }
    connections[index].latestStream = max(connections[index].latestStream, stream.number)
    if faults.strikesIdle { endIdleTime(of: stream.connection, at: index, now: now.world) }
    return true
  }

  /// Delivers an accepted push, answers, and records it. Inlined, because a call would copy the input.
  ///
  /// - Parameter activity: the push's parsed payload, if it is known.
  @inline(__always)
  private mutating func apply(
    _ incoming: borrowing ReceivedPush, _ activity: ParsedActivityUpdate?, on stream: StreamID,
    of index: Connections.Index, at now: Now
  ) {
    if incoming.authorizesConnection { output.append(.streamsAllowed(stream.connection)) }

    // A push comes before the events it caused.
    let first = output.count
    let fate: Fate
    let rejection: Rejection?
    let struck: PushStrike?
    switch incoming.outcome {
    case .success(let request):
      struck =
        (faults.strikesPushes || !connections[index].isFaultFree) && !request.isDropped
        ? strike(incoming, activity: activity, request: request, on: stream, of: index, at: now) : nil
      rejection = struck?.rejection
      if let struck {
        fate = struck.fate
      } else if request.isDropped {
        fate = .discarded(.certificate)
      } else {
        fate = deliver(incoming, activity: activity, request: request, at: now.world)
      }
    case .failure(let found):
      (struck, fate, rejection) = (nil, .refused, found)
      if let rule = connections[index].countRefusal(found) {
        output.append(
          .trouble(trouble(of: found, by: rule, incoming.push, key: incoming.keyNumber, from: index, at: now)))
      }
      if fleet.plan.cell != nil,
        let trouble = troubleOfOtherCell(incoming.push, found, of: index, at: now.world)
      {
        output.append(.trouble(trouble))
      }
    }
    connections.countPush(at: index)
    let record = PushRecord(
      .init(
        .init(sequence: connections.pushes, at: now, stream: stream), push: incoming.push,
        answer: answer(incoming, rejection, on: stream), keyNumber: incoming.keyNumber, address: incoming.address,
        outcome: .init(
          fate: consume fate, fault: struck?.fault, sent: struck?.sent, traits: traits(incoming, rejection))))
    if let alteration = struck?.alteration {
      send(alteration, of: record.answer.response, on: stream, of: index, to: record, at: now.world)
    }
    if rejection == nil {
      output.insert(.push(record), at: first)
    } else {
      output.append(.push(record))
      if let rule = rejection?.rule, rule.isAboutCertificate {
        leave(stream.connection, of: index, for: rule)
      } else if let most = mostErrors, connections[index].errors == most, connections[index].markLeaving() {
        drop(stream, of: index, after: most, at: now)
      }
    }
    if senderBlocks.isOn { countForBlock(rejection, to: incoming.address, of: index, at: now.world) }
    if narrowsStreams { narrow(stream.connection, of: index, after: rejection) }
  }

  /// True if the sender of a connection is blocked.
  @inline(__always)
  func isBlocked(_ index: Connections.Index, at now: Instant) -> Bool {
    senderBlocks.isOn && sender(of: index).map { senderBlocks.isBlocked($0, at: now) } ?? false
  }

  private mutating func countForBlock(
    _ rejection: Rejection?, to address: Address?, of index: Connections.Index, at now: Instant
  ) {
    guard rejection == nil, let device = address?.device, let sender = sender(of: index),
      let sentence = senderBlocks.countPush(of: sender, to: device, at: now)
    else { return }
    reportBlock(of: connections[index].peer, sentence, at: now)
  }

  /// The address of a connection, which a block is about; nil if nobody can be blocked, and for the admin API, which
  /// opens a connection for each of its pushes.
  func sender(of index: Connections.Index) -> String? {
    guard senderBlocks.isOn, connections[index].id.number < ProviderConnectionID.firstOfAdmin else { return nil }
    let peer = connections[index].peer
    return peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
  }

  mutating func reportBlock(of peer: String, _ sentence: String, at now: Instant) {
    output.append(.trouble(ClientTrouble(at: now, kind: "senderBlocked", peer: peer, sentence: sentence)))
  }

  /// Lowers the limit of streams of a connection after a rejection, and raises it after an acceptance.
  private mutating func narrow(
    _ connection: ProviderConnectionID, of index: Connections.Index, after rejection: Rejection?
  ) {
    guard rejection?.reason.status != 410, let command = connections[index].narrow(rejection != nil) else { return }
    output.append(.wire(connection, command))
  }

  /// A connection has had too many errors: it ends once this push is answered.
  private mutating func drop(_ stream: StreamID, of index: Connections.Index, after errors: UInt32, at now: Now) {
    output.append(
      .trouble(
        ClientTrouble(
          at: now.world, kind: "tooManyErrors", peer: connections[index].peer,
          sentence: "\(errors) requests on one connection were refused (rules.errorsPerConnection), so it ends; APNs"
            + " drops connections with many errors. Stop pushing to tokens that are refused.")))
    connections[index].lastStream = stream.number
    output.append(
      .wire(stream.connection, .goAway(lastStream: stream.number, code: 0, debug: [], closes: true)))
  }

  @inline(__always)
  private func answer(_ incoming: borrowing ReceivedPush, _ rejection: Rejection?, on stream: StreamID) -> PushAnswer {
    PushAnswer(
      connections.drawnIDs(stream), given: incoming.push.id, in: incoming.push.environment, rejection: rejection)
  }

  /// The session attributes of a rejected push, if they are needed.
  @inline(__always)
  private func traits(_ incoming: borrowing ReceivedPush, _ rejection: Rejection?) -> PushTraits? {
    guard output.tracesRefusals, rejection != nil else { return nil }
    var traits = PushTraits(key: incoming.keyNumber, device: incoming.address?.device)
    traits.complete(incoming.push, fleet: fleet, keyRing: validator.keyRing)
    return traits
  }

  /// Also for a push that a fault has struck and that is delivered nevertheless.
  ///
  /// - Parameter arrival: the change of its way to the phone.
  @inline(__always)
  mutating func deliver(
    _ push: borrowing ReceivedPush, activity: ParsedActivityUpdate?, request: AcceptedPush,
    arriving arrival: ArrivalFault? = nil, at now: Instant
  ) -> Fate {
    var arriving = ArrivingPush(
      number: connections.pushes + 1, request: push.push.request, priority: push.push.priority, type: push.push.type,
      collapseID: push.push.collapseIDRange, expiration: push.push.expiration)
    arriving.shared = activity
    if let arrival { return deviceState.send(arriving, request, by: arrival, at: now) }
    return deviceState.deliver(arriving, request, at: now)
  }
}

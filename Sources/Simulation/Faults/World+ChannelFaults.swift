import APNs
import Devices
import Timeline
import WireFormats

/// A broadcast or a request about channels that passed every rule, as faults see it.
struct ChannelRequestSubject: MatchSubject {
  let numbers: MatchNumbers
  let key: Int?
  let operation: ChannelOperation?
  let home: ChannelOwner
  let channelID: ChannelID?
  private let request: HTTPRequest
  private var payloadEvent = PayloadEvent()

  /// - Parameters:
  ///   - app: number of the app in the path.
  ///   - priority: of a broadcast.
  init(_ checked: CheckedChannelRequest, _ request: HTTPRequest, app: Int?, on connection: ProviderConnectionID) {
    (operation, home, channelID, key) = (checked.operation, checked.home, checked.channelID, checked.keyNumber)
    self.request = request
    numbers = Self.numbers(home, app, connection)
  }

  init(
    _ verdict: BroadcastVerdict, _ broadcast: BroadcastRequest, _ request: HTTPRequest, app: Int?,
    on connection: ProviderConnectionID
  ) {
    (operation, home, channelID, key) = (.publish, verdict.home, verdict.channelID, verdict.keyNumber)
    self.request = request
    var numbers = Self.numbers(home, app, connection)
    numbers.set(broadcast.priority)
    numbers.set(PushType.liveactivity)
    self.numbers = numbers
  }

  private static func numbers(_ home: ChannelOwner, _ app: Int?, _ connection: ProviderConnectionID) -> MatchNumbers {
    var numbers = MatchNumbers()
    numbers.set(home.environment)
    numbers.connection = connection.number
    if let app { numbers.set(app: app) }
    return numbers
  }

  /// The value from which odds are drawn.
  var drawn: UInt64 { channelID?.bits ?? 0 }

  func isChannel(_ name: String) -> Bool { channelID?.text == name }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool {
    guard operation == .publish else { return false }
    let storage = request.storage
    return payloadEvent.isEvent(name, bytes, storage, request.bodyStart..<storage.count)
  }
}

extension FaultRegistry {
  /// - Returns: the index of the first fault that strikes a broadcast or a request about channels, if any.
  mutating func strike(_ request: inout ChannelRequestSubject, at now: Instant) -> Int? {
    for watch in watching where watch.numeric.passes(request.numbers) && watch.isOn(at: now) {
      let condition = armed[watch.place].fault.condition
      // A broadcast is a push to a channel; requests about channels are struck if the fault names their operation.
      guard request.operation == .publish || condition.filter.operation != nil else { continue }
      if let rest = watch.rest, !rest.matches(&request) { continue }
      if let scope = condition.scope, !scope.hears(key: request.key, app: request.home.bundleID) { continue }
      if counts(watch.place, of: request.drawn) { return watch.place }
    }
    return nil
  }
}

extension ConnectionConditions {
  /// The first fault that makes the connection reject such a request, if any.
  func rejecting(_ request: ChannelRequestSubject) -> Rejecting? {
    rejecting.first { rejecting in
      guard let scope = rejecting.scope else { return true }
      // A broadcast belongs to no device.
      return scope.devices == nil && scope.hears(key: request.key, app: request.home.bundleID)
    }
  }
}

extension World {
  /// The effect of a fault on a broadcast or a request about channels.
  struct ChannelStrike {
    let fault: String
    /// True if the request is carried out; false if it is rejected or lost.
    let isCarriedOut: Bool
    var rejection: ChannelRejection?
    var sent: SentAnswer?
    /// Sent to the wire after the request is carried out, or instead.
    var command: WireCommand?
    /// The change of the answer, if it is sent.
    var alteration: AnswerAlteration?
  }

  /// Finds a fault that strikes a broadcast or a request about channels. Nil if no fault strikes.
  mutating func strike(
    _ request: ChannelRequestSubject, on stream: StreamID, of connection: Connections.Place, at now: Now
  ) -> ChannelStrike? {
    if !connections[connection].isSound,
      let rejecting = connections[connection].faults.conditions.rejecting(request)
    {
      return ChannelStrike(
        fault: rejecting.fault, isCarriedOut: false, rejection: ChannelRejection(rejecting.reason, by: nil))
    }
    var request = request
    guard let place = faults.strike(&request, at: now.world) else { return nil }
    let fault = faults.armed[place].fault
    switch fault.consequence {
    case .push(let consequence):
      let effect = consequence.kind.effect(on: stream, at: now.world, faults.delays)
      return ChannelStrike(
        fault: fault.label, isCarriedOut: effect.isDelivered,
        rejection: effect.rejection.map { ChannelRejection($0.reason, by: nil) }, sent: effect.sent,
        command: effect.command, alteration: effect.alteration)
    case .connection(let consequence):
      switch strike(stream.connection, with: consequence, of: fault, stream: stream.number, at: now.world) {
      case .served: return ChannelStrike(fault: fault.label, isCarriedOut: true)
      case .lost(let cause): return ChannelStrike(fault: fault.label, isCarriedOut: false, sent: .nothing(cause))
      case .refused(let reason):
        return ChannelStrike(fault: fault.label, isCarriedOut: false, rejection: ChannelRejection(reason, by: nil))
      }
    case .devices, .prompts, .reports, .listener: return nil
    }
  }

  /// Sends what a fault has ordered for a request on that stream, and its changed answer.
  mutating func send(
    _ strike: ChannelStrike?, _ answer: ChannelAnswer, on stream: StreamID, of place: Connections.Place, at now: Instant
  ) {
    if let command = strike?.command { output.append(.wire(stream.connection, command)) }
    if let alteration = strike?.alteration {
      send(alteration, of: answer.response, on: stream, of: place, at: now)
    }
  }
}

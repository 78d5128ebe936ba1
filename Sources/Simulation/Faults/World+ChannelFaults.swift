import APNs
import Devices
import Timeline
import WireFormats

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
    _ request: ChannelRequestSubject, on stream: StreamID, of connection: Connections.Index, at now: Now
  ) -> ChannelStrike? {
    if !connections[connection].isFaultFree,
      let rejecting = connections[connection].faults.conditions.rejecting(request)
    {
      return ChannelStrike(
        fault: rejecting.fault, isCarriedOut: false, rejection: ChannelRejection(rejecting.reason, by: nil))
    }
    var request = request
    guard let fault = faults.strike(&request, at: now.world) else { return nil }
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
    _ strike: ChannelStrike?, _ answer: ChannelAnswer, on stream: StreamID, of index: Connections.Index, at now: Instant
  ) {
    if let command = strike?.command { output.append(.wire(stream.connection, command)) }
    if let alteration = strike?.alteration {
      send(alteration, of: answer.response, on: stream, of: index, at: now)
    }
  }
}

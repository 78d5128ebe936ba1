import APNs
import Devices
import Timeline
import WireFormats

/// Broadcast channels: management and publishing.
extension World {
  /// A request on a channel management connection.
  mutating func manage(_ request: HTTPRequest, on stream: StreamID, of index: Connections.Index, at now: Now) {
    let checked = broadcasts.check(
      request, on: &connections[index].provider, through: &validator, at: clock(now, of: index))
    if checked.authorizesConnection { output.append(.streamsAllowed(stream.connection)) }
    let first = output.count
    let struck =
      checked.rejection == nil
      ? strike(
        ChannelRequestSubject(checked, request, app: app(of: checked.home), on: stream.connection), on: stream,
        of: index, at: now)
      : nil
    // A request that a fault swallows has no answer to record.
    let lost = struck.flatMap {
      $0.isCarriedOut ? nil : $0.rejection ?? ChannelRejection(.internalServerError, by: nil)
    }
    let drawn = connections.drawnIDs(stream).id
    let verdict = broadcasts.answer(checked, but: lost, drawing: drawn, at: now.world)
    switch verdict.change {
    case .created(let channel, let home)?: deviceState.subscriptions.open(.init(home: home, id: channel.id.text))
    case .deleted(let channel, let home)?: deviceState.subscriptions.close(.init(home: home, id: channel.id.text))
    case nil: break
    }
    let record = ChannelRecord(
      number: broadcasts.countRequest(), at: now, stream: stream, home: verdict.home, operation: verdict.operation,
      channelID: verdict.channelID, request: request, answer: verdict.answer, keyNumber: verdict.keyNumber,
      subscribers: 0, fault: struck?.fault, sent: struck?.sent)
    output.insert(.channels(record), at: first)
    send(struck, verdict.answer, on: stream, of: index, at: now.world)
    leave(stream.connection, of: index, for: verdict.answer.rejection?.providerRule)
  }

  /// A request on a push connection with the path of a broadcast.
  mutating func publish(_ request: HTTPRequest, on stream: StreamID, of index: Connections.Index, at now: Now) {
    let verdict = broadcasts.admit(
      request, on: &connections[index].provider, through: &validator, at: clock(now, of: index))
    if verdict.authorizesConnection { output.append(.streamsAllowed(stream.connection)) }
    // A broadcast comes before the events it causes.
    let first = output.count
    var broadcast: Broadcast?
    var struck: ChannelStrike?
    var rejection: ChannelRejection?
    if case .success(let accepted) = verdict.outcome {
      if waves.acceptsBroadcasts {
        let subject = ChannelRequestSubject(
          verdict, of: accepted, request: request, app: app(of: verdict.home), on: stream.connection)
        struck = strike(subject, on: stream, of: index, at: now)
        rejection = struck?.rejection
        if struck?.isCarriedOut ?? true {
          let push = ArrivingPush(
            number: broadcasts.broadcastNumber, request: request, priority: accepted.priority, type: .liveactivity,
            expiration: accepted.deferrableUntil(at: now.world))
          broadcast = deviceState.publish(accepted, push, as: subject, at: now.world)
        }
      } else {
        let rule = ChannelRule.roomForBroadcast
        rejection = ChannelRejection(rule.reason, by: .channel(rule))
      }
    }
    let answer = verdict.answer(connections.drawnIDs(stream), but: rejection)
    let record = ChannelRecord(
      number: broadcasts.countRequest(), at: now, stream: stream, home: verdict.home, operation: .publish,
      channelID: verdict.channelID, request: request, answer: answer, keyNumber: verdict.keyNumber,
      subscribers: broadcast?.subscribers ?? 0, fault: struck?.fault, sent: struck?.sent)
    output.insert(.channels(record), at: first)
    if let broadcast { start(.broadcast(broadcast), at: now.world) }
    send(struck, answer, on: stream, of: index, at: now.world)
    leave(stream.connection, of: index, for: answer.rejection?.providerRule)
  }

  /// Number of the app that owns channels, if the fleet has it.
  private func app(of home: ChannelOwner) -> Int? {
    fleet.plan.apps.firstIndex { $0.bundleID == home.bundleID }
  }

  /// Number of Live Activities that subscribe to a channel.
  package func subscribers(_ channel: Channel, in home: ChannelOwner) -> Int {
    deviceState.subscriptions.count(.init(home: home, id: channel.id.text))
  }

  /// All channels, app by app in the order of the fleet.
  package var channels: [(home: ChannelOwner, channel: Channel)] {
    channelHomes.flatMap { home in channels(in: home).map { (home, $0) } }
  }

  /// The possible owners of channels: each app in each environment.
  package var channelHomes: [ChannelOwner] {
    fleet.plan.apps.flatMap { app in Environment.allCases.map { ChannelOwner($0, app.bundleID) } }
  }

  package func channelCount(in home: ChannelOwner) -> Int { broadcasts.count(in: home) }

  /// The channels of an owner in the order of creation.
  package func channels(in home: ChannelOwner) -> [Channel] { broadcasts.channels(in: home) }
}

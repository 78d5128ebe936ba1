import APNs
import Devices
import Timeline
import WireFormats

/// Broadcast channels: their management, and what is published to them.
extension World {
  /// A request on a connection that manages channels.
  mutating func manage(_ request: HTTPRequest, on stream: StreamID, of place: Connections.Place, at now: Now) {
    let drawn = NotificationID(bits: connections.drawBits(stream))
    let verdict = broadcasts.answer(
      request, on: &connections[place].provider, through: &validator, drawing: drawn, at: now)
    if verdict.authorisesConnection { output.append(.streamsAllowed(stream.connection)) }
    output.append(
      .channels(
        ChannelRecord(
          number: broadcasts.countRequest(), at: now, stream: stream, home: verdict.home,
          operation: verdict.operation, channelID: verdict.channelID, request: request, answer: verdict.answer,
          keyNumber: verdict.keyNumber, subscribers: 0)))
    leave(stream.connection, of: place, for: verdict.answer.rejection?.providerRule)
  }

  /// A request on a connection for pushes whose path is that of a broadcast.
  mutating func publish(_ request: HTTPRequest, on stream: StreamID, of place: Connections.Place, at now: Now) {
    let verdict = broadcasts.admit(request, on: &connections[place].provider, through: &validator, at: now)
    if verdict.authorisesConnection { output.append(.streamsAllowed(stream.connection)) }
    var reached = 0
    if case .success(let broadcast) = verdict.outcome {
      let push = ArrivingPush(
        number: broadcasts.broadcastNumber, request: request, priority: broadcast.priority, type: .liveactivity)
      reached = partition.fanOut(broadcast, push, at: now.world, &faults, &output)
    }
    let answer = verdict.answer(NotificationID(bits: connections.drawBits(stream)))
    output.append(
      .channels(
        ChannelRecord(
          number: broadcasts.countRequest(), at: now, stream: stream, home: verdict.home, operation: .publish,
          channelID: verdict.channelID, request: request, answer: answer, keyNumber: verdict.keyNumber,
          subscribers: reached)))
    leave(stream.connection, of: place, for: answer.rejection?.providerRule)
  }

  /// Live Activities that listen to a channel, those over since the last broadcast included.
  package func subscribers(_ channel: Channel, in home: ChannelOwner) -> Int {
    partition.subscriptions.count(.init(home: home, id: channel.id.text))
  }

  /// All channels, app by app in the order of the partition.fleet.
  package var channels: [(home: ChannelOwner, channel: Channel)] {
    channelHomes.flatMap { home in channels(in: home).map { (home, $0) } }
  }

  /// Where channels can be: each app in each environment.
  package var channelHomes: [ChannelOwner] {
    partition.fleet.plan.apps.flatMap { app in Environment.allCases.map { ChannelOwner($0, app.bundleID) } }
  }

  package func channelCount(in home: ChannelOwner) -> Int { broadcasts.count(in: home) }

  /// The channels of a home in the order they were made.
  package func channels(in home: ChannelOwner) -> [Channel] { broadcasts.channels(in: home) }
}

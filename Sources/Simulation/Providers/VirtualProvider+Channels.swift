import APNs
import Devices
import Timeline
import WireFormats

/// The provider's channels: it creates them, broadcasts to them and deletes them.
extension VirtualProvider {
  /// A channel that a step has created. It stays known after its deletion, so that a step can broadcast to it.
  struct KnownChannel: Sendable {
    let id: ChannelID
    let app: Int
    let environment: Environment
  }

  /// Carries out a step about a channel.
  ///
  /// - Returns: the reason why the step had no effect; nil if it had one.
  package mutating func perform(_ step: ChannelStep, round: Int, on world: inout World, at now: Now) -> String? {
    switch step.order {
    case .create(let policy, let app, let environment):
      let answer = create(policy, app: app, environment: environment, in: &world, at: now)
      guard let answer, let id = answer.channelID else { return Self.notCreated(step.channel, answer) }
      channels[step.channel] = KnownChannel(id: id, app: app, environment: environment)
      return nil
    case .broadcast(let content):
      guard let channel = channels[step.channel] else { return Self.unknown(step.channel) }
      broadcast(content, round: round, to: channel, in: &world, at: now)
      return nil
    case .delete:
      guard let channel = channels[step.channel] else { return Self.unknown(step.channel) }
      let rejection = delete(channel, &world, at: now)?.rejection
      return rejection.map { "the channel \(step.channel) was not deleted: \($0.reason.rawValue)." }
    }
  }

  private static func notCreated(_ channel: String, _ answer: ChannelAnswer?) -> String {
    let reason = answer?.rejection.map { " (\(answer?.status ?? 0) \($0.reason.rawValue))" } ?? ""
    return "the channel \(channel) was not created\(reason)."
  }

  private static func unknown(_ channel: String) -> String {
    "it sent nothing: there is no channel \(channel), because it was not created."
  }

  /// An action with the ids of the channels that it names.
  package func naming(_ action: DeviceAction) -> DeviceAction {
    guard let written = action.channel, let text = try? ScenarioText(written), !text.isFixed else { return action }
    var moment = ScenarioText.Moment(now: Instant(seconds: 0), round: 1)
    moment.channels = channels.mapValues(\.id.text)
    var action = action
    action.channel = text.text(at: moment)
    return action
  }

  private mutating func create(
    _ policy: StoragePolicy, app: Int, environment: Environment, in world: inout World, at now: Now
  ) -> ChannelAnswer? {
    let body: JSONValue = ["message-storage-policy": JSONValue(policy.rawValue), "push-type": "LiveActivity"]
    let path = "/1/apps/\(world.deviceState.fleet.plan.apps[app].bundleID)/channels"
    let fields = authorized([], app, at: now)
    let request = HTTPRequest("POST", path, fields: fields, body: Array(body.text.utf8))
    let stream = nextStream(of: app, to: environment, managesChannels: true, &world, at: now)
    world.receive(request, on: stream, at: now)
    return world.output.channelAnswer(on: stream)
  }

  private mutating func delete(_ channel: KnownChannel, _ world: inout World, at now: Now) -> ChannelAnswer? {
    let path = "/1/apps/\(world.deviceState.fleet.plan.apps[channel.app].bundleID)/channels"
    let fields = authorized([("apns-channel-id", channel.id.text)], channel.app, at: now)
    let stream = nextStream(of: channel.app, to: channel.environment, managesChannels: true, &world, at: now)
    world.receive(HTTPRequest("DELETE", path, fields: fields, body: []), on: stream, at: now)
    return world.output.channelAnswer(on: stream)
  }

  private mutating func broadcast(
    _ content: ProviderStep, round: Int, to channel: KnownChannel, in world: inout World, at now: Now
  ) {
    let moment = moment(round, at: now)
    var list = content.headers.map { (name: $0.name, value: $0.value.text(at: moment)) }
    if !list.contains(where: { $0.name == "apns-channel-id" }) {
      list.insert(("apns-channel-id", channel.id.text), at: 0)
    }
    let path = "/4/broadcasts/apps/\(world.deviceState.fleet.plan.apps[channel.app].bundleID)"
    let request = HTTPRequest(
      "POST", path, fields: authorized(list, channel.app, at: now), body: content.body(at: moment))
    let stream = nextStream(of: channel.app, to: channel.environment, managesChannels: false, &world, at: now)
    world.receive(request, on: stream, at: now)
  }

  /// Sends a broadcast again, as it was.
  package mutating func resend(_ record: ChannelRecord, on id: ChannelID, of world: inout World, at now: Now) {
    guard let channel = channels.values.first(where: { $0.id == id }) else { return }
    let stream = nextStream(of: channel.app, to: channel.environment, managesChannels: false, &world, at: now)
    world.receive(record.request, on: stream, at: now)
  }

  private mutating func authorized(
    _ list: [(name: String, value: String)], _ app: Int, at now: Now
  ) -> [(name: String, value: String)] {
    guard !list.contains(where: { $0.name == "authorization" }), let bearer = bearer(teamOfApp[app], at: now.wall)
    else { return list }
    return list + [("authorization", bearer)]
  }
}

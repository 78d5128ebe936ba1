import APNs
import Devices
import TestSupport
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Requests of providers: pushes, channels and broadcasts.
extension GrammarDay {
  private mutating func authorization() -> (name: String, value: String)? {
    if draw.oneIn(40) { return nil }
    let key = draw.oneIn(12) ? draw.oneOf(["KEY0000002", "KEY0000003"]) : "KEY0000001"
    return ("authorization", Stage.authorization(of: key))
  }

  /// The next stream of a connection, which is open unless chance says otherwise.
  private mutating func stream(where isWanted: (Caller) -> Bool) -> (caller: Caller, stream: StreamID)? {
    let places = callers.indices.filter { isWanted(callers[$0]) }
    guard !places.isEmpty else { return nil }
    let place = draw.oneOf(places)
    callers[place].streams += 2
    return (callers[place], StreamID(callers[place].id, callers[place].streams))
  }

  mutating func push() {
    guard !targets.isEmpty else { return }
    let target = draw.oneOf(targets)
    let profile = stage.world.fleet.plan.apps[target.app]
    let anywhere = draw.oneIn(12)
    guard
      let (_, stream) = stream(where: {
        !$0.managesChannels && (anywhere || ($0.environment == .production) == (profile.build == .production))
      })
    else { return }
    var fields: [(name: String, value: String)] = []
    if let authorization = authorization() { fields.append(authorization) }
    let topic = draw.oneIn(30) ? Stage.store : profile.bundleID
    fields.append(("apns-topic", topic + target.slot.suffix.text))
    var body: String
    var type: String?
    switch target.slot {
    case .app: (body, type) = notification()
    case .service: (body, type) = ("{}", nil)
    case .pushToStart, .update: (body, type) = (activity(target.slot.isActivity, of: target.app), "liveactivity")
    }
    if draw.oneIn(25) { body = draw.oneOf(["", "x", "[]", #"{"aps":7}"#]) }
    if let type, !draw.oneIn(10) { fields.append(("apns-push-type", type)) }
    if let priority = draw.oneOf([nil, "10", "5", "5", "1", "7"]) { fields.append(("apns-priority", priority)) }
    let now = self.seconds
    if let expiration = draw.oneOf([nil, 0, now - 5, now + Int64(draw.dice.below(9000))]) {
      fields.append(("apns-expiration", "\(expiration)"))
    }
    if draw.oneIn(4) { fields.append(("apns-collapse-id", "c\(draw.dice.below(3))")) }
    if draw.oneIn(9) { fields.append(("apns-id", "11111111-2222-3333-4444-55555555555\(draw.dice.below(10))")) }
    stage.receive(target.token, fields, body, on: stream)
  }

  /// A provider's clock is the world's, or the machine's, which may be years behind.
  private var seconds: Int64 {
    mutating get { (draw.oneIn(6) ? stage.now.wall : stage.now.world).seconds }
  }

  private mutating func notification() -> (String, String?) {
    draw.oneOf([
      (#"{"aps":{"content-available":1}}"#, "background"),
      (#"{"aps":{"alert":"Work","content-available":1,"sound":"default"}}"#, "alert"),
      (#"{"aps":{"alert":{"title":"M"},"mutable-content":1,"category":"GOAL"}}"#, "alert"),
      (#"{"aps":{"alert":"Goal","category":"GOAL"}}"#, "alert"),
      (#"{"aps":{"alert":"T","interruption-level":"time-sensitive"}}"#, nil), (#"{"aps":{"badge":3}}"#, "alert"),
      (#"{"aps":{"badge":0}}"#, nil), (#"{"aps":{"alert":"Silent"}}"#, "background"),
      (#"{"aps":{"content-available":true}}"#, "alert"),
      (#"{"aps":{"alert":"Long \#(draw.dice.letters(40))"}}"#, "alert"),
    ])
  }

  private mutating func activity(_ isUpdate: Bool, of app: Int) -> String {
    let seconds = self.seconds
    let timestamp = seconds + Int64(draw.dice.below(12)) - 4
    let content = #""content-state":{"n":\#(draw.dice.below(1000))}"#
    var members = [#""timestamp":\#(timestamp)"#, content]
    if isUpdate {
      members.append(draw.oneIn(5) ? #""event":"end""# : #""event":"update""#)
      if draw.oneIn(6) { members.append(#""dismissal-date":\#(seconds + Int64(draw.dice.below(9000)))"#) }
    } else {
      members += [
        #""event":"start","attributes-type":"MatchAttributes","attributes":{"id":"m1"}"#,
        #""alert":{"title":"Go","body":"!"}"#,
      ]
      let own = channels.filter { $0.app == app }
      if !channels.isEmpty, draw.oneIn(2) {
        members.append(#""input-push-channel":"\#(draw.oneOf(own.isEmpty ? channels : own).id)""#)
      }
    }
    if draw.oneIn(5) { members.append(#""stale-date":\#(seconds + Int64(draw.dice.below(1000)))"#) }
    if draw.oneIn(12) { members.removeFirst() }
    return #"{"aps":{"# + members.joined(separator: ",") + "}}"
  }

  /// Each phone starts an activity on a channel, if it can.
  private mutating func subscribe(_ app: Int, to channel: String) {
    var request = StartActivity(app: stage.world.fleet.plan.apps[app].bundleID)
    request.order.updates = .channel(channel)
    for device in 0..<min(6, draw.there.devices) { perform(.device(DeviceID(device), .start(request))) }
  }

  /// Channels are made, listed and deleted on their own connections, and published to on those of pushes.
  mutating func manageChannels() {
    let publishes = !channels.isEmpty && !draw.oneIn(3)
    let channel = publishes ? draw.oneOf(channels) : nil
    let environment = draw.oneIn(9) ? nil : channel?.environment
    guard
      let (_, stream) = stream(where: {
        $0.managesChannels != publishes && (environment == nil || environment == $0.environment)
      }), let authorization = authorization()
    else { return }
    var fields = [authorization]
    if let (app, _, id) = channel {
      if draw.oneIn(2) { subscribe(app, to: id) }
      let now = stage.now.world.seconds
      fields += [
        ("apns-channel-id", id), ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
        ("apns-expiration", "\(draw.oneIn(2) ? 0 : now + 3600)"),
      ]
      let path = "/4/broadcasts/apps/" + stage.world.fleet.plan.apps[app].bundleID
      let request = HTTPRequest("POST", path, fields: fields, body: Array(activity(true, of: app).utf8))
      let hadWaves = stage.world.hasWaves
      stage.world.receive(request, on: stream, at: stage.now)
      if !hadWaves, stage.world.hasWaves { done.insert("broadcast in portions") }
      return
    }
    let path = "/1/apps/\(draw.oneOf(draw.there.apps))/"
    let request: HTTPRequest
    switch draw.dice.below(5) {
    case 0: request = HTTPRequest("GET", path + "all-channels", fields: fields, body: [])
    case 1:
      fields.append(("apns-channel-id", channels.last?.id ?? "none"))
      request = HTTPRequest(draw.oneIn(2) ? "GET" : "DELETE", path + "channels", fields: fields, body: [])
    default:
      let body = #"{"message-storage-policy":\#(draw.dice.below(2)),"push-type":"LiveActivity"}"#
      request = HTTPRequest("POST", path + "channels", fields: fields, body: Array(body.utf8))
    }
    stage.world.receive(request, on: stream, at: stage.now)
  }
}

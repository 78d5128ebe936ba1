import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Sound Live Activity payloads of which one thing may be spoilt, and pushes of any bytes.
extension Stage {
  /// Members of a sound `aps`, in JSON.
  func aps(_ event: String) -> [String: String] {
    var aps = ["timestamp": nextTimestamp(), "event": #""\#(event)""#, "content-state": #"{"score":1}"#]
    guard event == "start" else { return aps }
    aps["attributes-type"] = #""MatchAttributes""#
    aps["attributes"] = #"{"home":"A"}"#
    aps["alert"] = #"{"title":"Go","body":"!"}"#
    return aps
  }

  static func body(_ aps: [String: String]) -> String {
    let members = aps.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    return #"{"aps":{\#(members.joined(separator: ","))}}"#
  }

  /// A sound push but for some members of `aps`; nil leaves one out.
  @discardableResult
  mutating func pushActivity(
    _ event: String, spoilt: [String: String?] = [:], to slot: TokenSlot? = nil, _ headers: [String: String] = [:],
    on device: UInt32 = 0
  ) throws -> PushRecord {
    let slot = slot ?? (event == "start" ? .pushToStart(type: 0) : .update(activity: 0))
    var aps = aps(event)
    for (key, value) in spoilt { aps[key] = value }
    return try send(try token(slot, on: device), topic: Self.activityTopic, Self.body(aps), headers)
  }

  /// Any bytes as a body.
  mutating func send(_ token: String, topic: String = Stage.app, bytes: [UInt8]) throws -> PushRecord {
    let before = world.recent.count
    let fields = [(name: "apns-topic", value: topic), (name: "authorization", value: Self.authorization)]
    // Beyond the numbers that the other ways of sending use.
    let stream = StreamID(Self.sandbox, Int32(truncatingIfNeeded: 100_000_001 + 2 * before))
    world.receive(HTTPRequest("POST", "/3/device/" + token, fields: fields, body: bytes), on: stream, at: now)
    let records = world.recent.dropFirst(before).compactMap { event -> PushRecord? in
      if case .push(let record) = event { record } else { nil }
    }
    return try #require(records.last)
  }

  /// The story of a push so far, as the push log has it.
  func story(of record: PushRecord) throws -> [LogLine] {
    var logs = EventLogs(pushLogCapacity: 10_000)
    logs.read(world.recent)
    return PushStory(try #require(logs.pushLog.push(record.answer.id))).lines
  }
}

import APNs
import Simulation
import Timeline
import WireFormats

/// Broadcast channels: which there are, and what was asked of them.
enum ChannelRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    let all = station.world.channels
    let page = all.dropFirst(start).prefix(limit)
    let end = start + page.count
    return .json([
      "channels": .array(
        page.map { home, channel in
          [
            "channel": .string(channel.id.text), "app": .string(home.bundleID),
            "environment": .string(home.environment.rawValue), "storagePolicy": JSONValue(channel.policy.rawValue),
            "createdAt": .string(channel.createdAt.rfc3339),
            "subscribers": JSONValue(station.world.subscribers(channel, in: home)),
          ]
        }),
      "next": JSONValue(end < all.count ? String(end) : nil),
    ])
  }

  /// Newest first. A request's number says where to go on, whatever is forgotten meanwhile.
  static func requests(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let before = try visit.query.cursor().map { UInt64($0[0]) } ?? .max
    let kept = station.chronicle.broadcasts.prefix { $0.number < before }
    let page = kept.suffix(limit)
    return .json([
      "requests": .array(page.reversed().map(value)),
      "next": JSONValue(page.count < kept.count ? page.first.map { String($0.number) } : nil),
    ])
  }

  private static func value(_ record: ChannelRecord) -> JSONValue {
    let refusal = record.answer.refusal
    return [
      "number": .integer(Int64(clamping: record.number)), "at": .string(record.at.world.rfc3339),
      "operation": JSONValue(record.operation?.rawValue), "app": .string(record.home.bundleID),
      "environment": .string(record.home.environment.rawValue), "channel": JSONValue(record.channelID?.text),
      "requestId": .string(record.answer.requestID.text), "status": JSONValue(record.answer.status),
      "reason": JSONValue(refusal?.reason.rawValue), "rule": JSONValue(refusal?.rule?.name),
      "sentence": JSONValue(refusal?.rule?.sentence), "subscribers": JSONValue(record.subscribers),
    ]
  }
}

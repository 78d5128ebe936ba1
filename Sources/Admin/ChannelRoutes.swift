import APNs
import Simulation
import Timeline
import WireFormats

/// Broadcast channels: which there are, and what was asked of them.
enum ChannelRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    return list(Part(left: start, end: start), limit: limit, station)
  }

  private struct Row: Sendable {
    let home: ChannelHome
    let channel: Channel
    let subscribers: Int
  }

  /// As much of a page as is gathered.
  private struct Part: Sendable {
    /// Channels still to be passed over.
    var left: Int
    /// Where the next page begins.
    var end: Int
    /// Homes that have been gone through.
    var homes = 0
    var rows: [Row] = []
  }

  /// Goes through the homes of channels, one with channels in each hold of the lock.
  private static func list(_ part: Part, limit: Int, _ station: Station) -> AdminReply {
    var part = part
    let homes = station.world.channelHomes
    var hasLooked = false
    while part.homes < homes.count {
      let home = homes[part.homes]
      let count = station.world.channelCount(in: home)
      guard part.left < count else {
        part.left -= count
        part.homes += 1
        continue
      }
      guard part.rows.count < limit else { break }
      guard !hasLooked else { return .more { [part] _, station in list(part, limit: limit, station) } }
      hasLooked = true
      let page = station.world.channels(in: home).dropFirst(part.left).prefix(limit - part.rows.count)
      part.rows += page.map { Row(home: home, channel: $0, subscribers: station.world.subscribers($0, in: home)) }
      part.end += page.count
      part.left += page.count
    }
    let (rows, next) = (part.rows, part.homes < homes.count ? part.end : nil)
    return .json(["channels": .array(rows.map(value)), "next": JSONValue(next.map { String($0) })])
  }

  private static func value(_ row: Row) -> JSONValue {
    [
      "channel": .string(row.channel.id.text), "app": .string(row.home.bundleID),
      "environment": .string(row.home.environment.rawValue), "storagePolicy": JSONValue(row.channel.policy.rawValue),
      "createdAt": .string(row.channel.createdAt.rfc3339), "subscribers": JSONValue(row.subscribers),
    ]
  }

  /// Newest first. A request's number says where to go on, whatever is forgotten meanwhile.
  static func requests(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let limit = try visit.query.limit()
    let before = try visit.query.cursor().map { UInt64($0[0]) } ?? .max
    let kept = station.readers.chronicle.broadcasts.prefix { $0.number < before }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    return .json(["requests": .array(page.reversed().map(value)), "next": JSONValue(next.map { String($0) })])
  }

  private static func value(_ record: ChannelRecord) -> JSONValue {
    let refusal = record.answer.refusal
    return [
      "number": .integer(Int64(clamping: record.number)), "at": .string(record.at.world.rfc3339),
      "operation": JSONValue(record.operation?.rawValue), "app": .string(record.home.bundleID),
      "environment": .string(record.home.environment.rawValue), "channel": JSONValue(record.channelID?.text),
      "requestId": .string(record.answer.requestID.text), "status": JSONValue(record.answer.status),
      "reason": JSONValue(refusal?.reason.rawValue), "rule": JSONValue(refusal?.rule?.name),
      "sentence": JSONValue(refusal?.rule?.sentence),
      "evidence": JSONValue(refusal?.rule?.evidence.kind.rawValue),
      "source": JSONValue(refusal?.rule?.evidence.source), "subscribers": JSONValue(record.subscribers),
    ]
  }
}

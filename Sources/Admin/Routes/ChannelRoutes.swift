import APNs
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Broadcast channels, and the requests about them.
enum ChannelRoutes {
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let start = try context.query.cursor().map { $0[0] } ?? 0
    return list(Part(left: start, end: start), limit: limit, simulator)
  }

  private struct Row: Sendable {
    let home: ChannelOwner
    let channel: Channel
    let subscribers: Int
  }

  /// The rows collected so far.
  private struct Part: Sendable {
    /// Number of channels still to skip.
    var left: Int
    /// The position at which the next page begins.
    var end: Int
    /// Number of owners processed.
    var homes = 0
    var rows: [Row] = []
  }

  /// Goes through the owners of channels, one per hold of the lock.
  private static func list(_ part: Part, limit: Int, _ simulator: Simulator) -> AdminReply {
    var part = part
    let homes = simulator.world.channelHomes
    var hasLooked = false
    while part.homes < homes.count {
      let home = homes[part.homes]
      let count = simulator.world.channelCount(in: home)
      guard part.left < count else {
        part.left -= count
        part.homes += 1
        continue
      }
      guard part.rows.count < limit else { break }
      guard !hasLooked else { return .more { [part] _, simulator in list(part, limit: limit, simulator) } }
      hasLooked = true
      let page = simulator.world.channels(in: home).dropFirst(part.left).prefix(limit - part.rows.count)
      part.rows += page.map { Row(home: home, channel: $0, subscribers: simulator.world.subscribers($0, in: home)) }
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

  /// Newest first. A request's number is the cursor, so dropped requests do not shift pages.
  static func requests(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let before = try context.query.cursor().map { UInt64($0[0]) } ?? .max
    let kept = simulator.readers.logs.broadcasts.prefix { $0.number < before }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    let requests = page.reversed().map {
      value($0, mistake: simulator.world.mistake($0), evidence: simulator.world.evidence(of: $0))
    }
    return .json(["requests": .array(requests), "next": JSONValue(next.map { String($0) })])
  }

  private static func value(_ record: ChannelRecord, mistake: String?, evidence: Evidence?) -> JSONValue {
    let rejection = record.answer.rejection
    return [
      "number": .integer(Int64(clamping: record.number)), "at": .string(record.at.world.rfc3339),
      "operation": JSONValue(record.operation?.rawValue), "app": .string(record.home.bundleID),
      "environment": .string(record.home.environment.rawValue), "channel": JSONValue(record.channelID?.text),
      "requestId": .string(record.answer.requestID.text), "status": JSONValue(record.answer.status),
      "reason": JSONValue(rejection?.reason.rawValue), "rule": JSONValue(rejection?.rule?.name),
      "sentence": JSONValue(mistake ?? rejection?.rule?.sentence),
      "evidence": JSONValue(evidence?.kind.rawValue), "source": JSONValue(evidence?.source),
      "subscribers": JSONValue(record.subscribers),
      "fault": JSONValue(record.fault), "sent": .string(record.sent?.words ?? "\(record.answer.status)"),
    ]
  }
}

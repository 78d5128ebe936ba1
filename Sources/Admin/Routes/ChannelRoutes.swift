import APNs
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Broadcast channels, and the requests about them.
enum ChannelRoutes {
  static let routes: [Route] = [
    Route("GET /v1/channels", id: "listChannels", tag: .world, summary: "channels and their subscribers", answer: list)
      .meaning("App by app in the order of the fleet, channels in the order of creation.")
      .paged()
      .answers(channels.answer("A page of channels.")),
    Route(
      "GET /v1/broadcasts", id: "listBroadcasts", tag: .ledger,
      summary: "broadcasts and requests about channels, newest first", answer: requests
    )
    .meaning("At least the last 500 are kept. The fate of a broadcast on a phone is in that phone's log.")
    .paged()
    .answers(requestPage.answer("A page of requests.")),
  ]

  private static let channels = ListPage("channels", of: channel.schema)
  private static let requestPage = ListPage("requests", of: request.schema)

  private static let channel = Shape<Row>(
    "Channel",
    members: [
      .init("channel", .string, meaning: "Its `apns-channel-id`.") { .string($0.channel.id.text) },
      .init("app", .string) { .string($0.home.bundleID) },
      .init("environment", .environment) { .string($0.home.environment.rawValue) },
      .init("storagePolicy", .integer.with(["enum": [0, 1]]), meaning: "0 stores nothing, 1 the most recent message.") {
        JSONValue($0.channel.policy.rawValue)
      },
      .init("createdAt", .time) { .string($0.channel.createdAt.rfc3339) },
      .init("subscribers", .whole, meaning: "Number of Live Activities that subscribe to it.") {
        JSONValue($0.subscribers)
      },
    ])

  private static let request = Shape<(record: ChannelRecord, mistake: String?, evidence: Evidence?)>(
    "ChannelRequest",
    members: [
      .init("number", .positive) { .integer(Int64(clamping: $0.record.number)) },
      .init("at", .time) { .string($0.record.at.world.rfc3339) },
      .init("operation", .words(ChannelOperation.self).orNull) { JSONValue($0.record.operation?.rawValue) },
      .init("app", .string, meaning: "From the path; empty if the path has none.") { .string($0.record.home.bundleID) },
      .init("environment", .environment) { .string($0.record.home.environment.rawValue) },
      .init("channel", .string.orNull) { JSONValue($0.record.channelID?.text) },
      .init("requestId", .string, meaning: "`apns-request-id`.") { .string($0.record.answer.requestID.text) },
      .init("status", .integer) { JSONValue($0.record.answer.status) },
      .init("reason", .reason.orNull) { JSONValue($0.record.answer.rejection?.reason.rawValue) },
      .init("rule", .string.orNull, meaning: "The rule that rejected it.") {
        JSONValue($0.record.answer.rejection?.rule?.name)
      },
      .init("sentence", .string.orNull, meaning: "Why it was rejected, or a mistake in what was accepted.") {
        JSONValue($0.mistake ?? $0.record.answer.rejection?.rule?.sentence)
      },
      .init("evidence", .evidence.orNull) { JSONValue($0.evidence?.kind.rawValue) },
      .init("source", .string.orNull) { JSONValue($0.evidence?.source) },
      .init("subscribers", .whole, meaning: "Number of Live Activities that a broadcast was for.") {
        JSONValue($0.record.subscribers)
      },
      .init("fault", .string.orNull, meaning: "The fault that struck it.") { JSONValue($0.record.fault) },
      .init(
        "sent", .string,
        meaning: "What was sent at first: a status, or what a fault did instead, such as nothing (silence)."
      ) { .string($0.record.sent?.words ?? "\($0.record.answer.status)") },
    ])

  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let start = try context.query.cursor() ?? 0
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
    return .json(channels.json(rows.map { channel.json($0) }, next: next))
  }

  /// Newest first. A request's number is the cursor, so dropped requests do not shift pages.
  static func requests(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let before = try context.query.cursor().map { UInt64($0) } ?? .max
    let kept = simulator.readers.logs.broadcasts.prefix { $0.number < before }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    let requests = page.reversed().map {
      request.json(($0, simulator.world.mistake($0), simulator.world.evidence(of: $0)))
    }
    return .json(requestPage.json(requests, next: next))
  }
}

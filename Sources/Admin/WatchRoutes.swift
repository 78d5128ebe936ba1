import APNs
import Simulation
import Timeline
import WireFormats

/// What goes on beside the pushes: connections, troubles, and the rules that are applied.
enum WatchRoutes {
  static func connections(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let after = try visit.query.cursor().map { UInt64($0[0]) }
    let rest = station.world.openConnections.drop { connection in after.map { connection.id.number <= $0 } ?? false }
    let page = rest.prefix(limit)
    let next = page.count < rest.count ? page.last?.id.number : nil
    return .json(["connections": .array(page.map(value)), "next": JSONValue(next.map { String($0) })])
  }

  /// Newest first. A trouble's number among all there ever were says where to go on, whatever is forgotten meanwhile.
  static func troubles(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let kept = station.chronicle.troubles
    let all = station.chronicle.metrics.troubles.reduce(0) { $0 + Int($1.count) }
    let before = try visit.query.cursor().map { min($0[0], all) } ?? all
    let left = max(0, kept.count - (all - before))
    let page = kept[..<left].suffix(limit)
    let next = page.count < left ? before - page.count : nil
    return .json([
      "troubles": .array(page.reversed().map(value)), "next": JSONValue(next.map { String($0) }),
    ])
  }

  static func rules(_ visit: inout Visit, _ station: inout Station) -> AdminResponse {
    let rulebook = station.world.rulebook
    return .json(["rules": .array(rulebook.order.map { value($0, rulebook) })])
  }

  private static func value(_ connection: OpenConnection) -> JSONValue {
    [
      "connection": .integer(Int64(clamping: connection.id.number)),
      "environment": .string(connection.environment.rawValue), "peer": .string(connection.peer),
      "pushes": .integer(Int64(clamping: connection.pushes)), "refused": .integer(Int64(clamping: connection.refused)),
    ]
  }

  private static func value(_ trouble: Trouble) -> JSONValue {
    [
      "at": .string(trouble.at.rfc3339), "kind": .string(trouble.kind), "peer": .string(trouble.peer),
      "sentence": .string(trouble.sentence),
    ]
  }

  private static func value(_ rule: Rule, _ rulebook: Rulebook) -> JSONValue {
    let reason = rule.reason(rulebook)
    let evidence = rule.evidence
    return [
      "rule": .string(rule.rawValue), "status": JSONValue(reason.status), "reason": .string(reason.rawValue),
      "sentence": .string(rule.sentence), "evidence": .string(evidence.kind.rawValue),
      "source": .string(evidence.source),
    ]
  }
}

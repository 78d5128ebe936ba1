import APNs
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Diagnostics: connections, troubles, and the rules.
enum DiagnosticRoutes {
  static func connections(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem)
    -> AdminReply
  {
    let limit = try context.query.limit()
    let after = try context.query.cursor().map { UInt64($0[0]) }
    let (page, hasMore) = simulator.world.openConnections(after: after ?? 0, limit: limit)
    let next = hasMore ? page.last?.id.number : nil
    return .json(["connections": .array(page.map(value)), "next": JSONValue(next.map { String($0) })])
  }

  /// Newest first. The cursor is the number of a trouble's last occurrence, so new or dropped troubles do not shift
  /// pages.
  static func troubles(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let limit = try context.query.limit()
    let before = try context.query.cursor().map { UInt64($0[0]) } ?? .max
    let kept = simulator.readers.logs.troubles.entries.prefix { $0.number < before }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    return .json([
      "troubles": .array(page.reversed().map(value)), "next": JSONValue(next.map { String($0) }),
    ])
  }

  static func rules(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let rulebook = simulator.world.rulebook
    return .json([
      "rules": .array(
        Rule.allCases.map {
          value($0.rawValue, reason: $0.reason(rulebook), sentence: $0.sentence, evidence: $0.evidence)
        }),
      "channelRules": .array(
        ChannelRule.allCases.map { value($0.rawValue, reason: $0.reason, sentence: $0.sentence, evidence: $0.evidence) }
      ),
    ])
  }

  private static func value(_ connection: OpenConnection) -> JSONValue {
    [
      "connection": .integer(Int64(clamping: connection.id.number)),
      "environment": .string(connection.environment.rawValue), "peer": .string(connection.peer),
      "pushes": .integer(Int64(clamping: connection.pushes)), "refused": .integer(Int64(clamping: connection.refused)),
      "certificate": connection.certificate.map(value) ?? .null,
    ]
  }

  private static func value(_ certified: CertifiedProvider) -> JSONValue {
    let certificate = certified.certificate
    return [
      "subject": .string(certificate.subject), "topics": .array(certificate.topics.map(JSONValue.string)),
      "environments": .array(
        Environment.allCases.filter(certificate.environments.contains).map { .string($0.rawValue) }),
      "notAfter": .string(certificate.notAfter.rfc3339), "refused": JSONValue(certified.refusal?.sentence),
    ]
  }

  private static func value(_ entry: TroubleLog.Entry) -> JSONValue {
    let trouble = entry.latest
    return [
      "at": .string(trouble.at.rfc3339), "kind": .string(trouble.kind), "peer": .string(trouble.peer),
      "sentence": .string(trouble.sentence), "count": .integer(Int64(clamping: entry.count)),
      "first": .string(entry.first.rfc3339),
    ]
  }

  private static func value(
    _ rule: String, reason: RejectionReason, sentence: String, evidence: Evidence
  ) -> JSONValue {
    [
      "rule": .string(rule), "status": JSONValue(reason.status), "reason": .string(reason.rawValue),
      "sentence": .string(sentence), "evidence": .string(evidence.kind.rawValue), "source": .string(evidence.source),
    ]
  }
}

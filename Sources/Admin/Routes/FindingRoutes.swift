import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The audit's findings about the backend.
enum FindingRoutes {
  /// A page of all findings, or of those of one session, newest first. A finding's number is the cursor, so dropped
  /// findings do not shift pages.
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    if let session = try context.query.text("session") {
      return try page(context.query, try SessionRoutes.session(session, simulator).auditor)
    }
    guard let auditor = simulator.readers.logs.auditor else {
      // An invalid query is reported first.
      _ = try page(context.query, Auditor())
      throw AdminProblem(
        409, "Auditing is off; start with --audit, set audit to true, or ask for the findings of a session.")
    }
    return try page(context.query, auditor)
  }

  private static func page(_ query: Query, _ auditor: Auditor) throws(AdminProblem) -> AdminReply {
    let limit = try query.limit()
    let before = try query.cursor().map { UInt64($0[0]) } ?? .max
    let kind = try query.choice("kind", AuditFinding.Kind.allCases.map { ($0.rawValue, $0) })
    let kept = auditor.findings.filter { $0.number < before && (kind == nil || $0.kind == kind) }
    let page = Array(kept.suffix(limit))
    let next = page.count < kept.count ? page.first?.number : nil
    let counts = AuditFinding.Kind.allCases.map { ($0, auditor.count($0)) }
    let forgotten = Int64(clamping: auditor.counts.forgotten)
    return .json([
      "findings": .array(page.reversed().map(value)),
      "counts": .object(counts.map { .init($0.rawValue, .integer(Int64(clamping: $1))) }),
      "forgotten": .integer(forgotten), "next": JSONValue(next.map { String($0) }),
    ])
  }

  static func value(_ finding: AuditFinding) -> JSONValue {
    [
      "number": .integer(Int64(clamping: finding.number)), "kind": .string(finding.kind.rawValue),
      "at": .string(finding.at.rfc3339), "device": JSONValue(finding.device?.text),
      "apnsId": JSONValue(finding.push?.text), "sentence": .string(finding.sentence),
      "evidence": .string(finding.evidence.kind.rawValue), "source": .string(finding.evidence.source),
    ]
  }
}

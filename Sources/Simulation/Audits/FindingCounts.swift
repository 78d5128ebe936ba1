/// The findings of an audit by kind, and the number of entries that the audit has forgotten.
package struct FindingCounts: Sendable {
  private var counts: [AuditFinding.Kind: UInt64] = [:]
  private var latest: [AuditFinding.Kind: AuditFinding] = [:]
  /// Number of tokens, reports and activities of which the audit no longer knows anything, because there were too many.
  /// Findings about them may be missing.
  package internal(set) var forgotten: UInt64 = 0

  package func count(_ kind: AuditFinding.Kind) -> UInt64 { counts[kind] ?? 0 }
  package func latest(_ kind: AuditFinding.Kind) -> AuditFinding? { latest[kind] }

  mutating func add(_ finding: AuditFinding) {
    counts[finding.kind, default: 0] += 1
    latest[finding.kind] = finding
  }

  /// Adds the counts of a later audit.
  mutating func add(_ later: FindingCounts) {
    counts.merge(later.counts) { $0 + $1 }
    latest.merge(later.latest) { $1 }
    forgotten += later.forgotten
  }

  /// The sentence for a report; nil if nothing was forgotten.
  package var note: String? {
    guard forgotten > 0 else { return nil }
    return
      "The audit has forgotten \(forgotten) tokens, reports or activities, because it remembers \(Auditor.mostTokens)"
      + " of each: findings about them may be missing."
  }
}

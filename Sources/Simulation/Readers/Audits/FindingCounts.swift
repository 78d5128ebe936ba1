/// The findings of an audit by kind, and the number of entries that the audit has forgotten.
package struct FindingCounts: Sendable {
  private struct Found: Sendable {
    var count: UInt64
    var latest: AuditFinding

    mutating func add(_ more: UInt64, _ newest: AuditFinding) {
      count += more
      latest = newest
    }
  }

  private var found: [AuditFinding.Kind: Found] = [:]
  /// Number of tokens, reports and activities of which the audit no longer knows anything, because there were too many.
  /// Findings about them may be missing.
  package internal(set) var forgotten: UInt64 = 0

  package func count(_ kind: AuditFinding.Kind) -> UInt64 { found[kind]?.count ?? 0 }
  package func latest(_ kind: AuditFinding.Kind) -> AuditFinding? { found[kind]?.latest }

  mutating func add(_ finding: AuditFinding) { add(1, finding) }

  private mutating func add(_ more: UInt64, _ latest: AuditFinding) {
    found[latest.kind, default: Found(count: 0, latest: latest)].add(more, latest)
  }

  /// Adds the counts of a later audit.
  mutating func add(_ later: FindingCounts) {
    for more in later.found.values { add(more.count, more.latest) }
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

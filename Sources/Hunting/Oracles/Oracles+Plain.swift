import Simulation

extension Oracles {
  /// The failures of the story itself: what the audit finds, since nothing went wrong by order, except kinds with fewer
  /// findings than count as a mistake.
  package static func judge(plain witness: Witness) -> [HuntFailure] {
    var kinds: [AuditFinding.Kind] = []
    for finding in witness.findings where !kinds.contains(finding.kind) { kinds.append(finding.kind) }
    return kinds.compactMap { kind in
      let found = witness.findings.filter { $0.kind == kind }
      guard found.count >= BackendFindings.fewest(kind) else { return nil }
      return HuntFailure(
        HuntFailure.Group(BackendFindings.name, kind.rawValue),
        "\(counted(found.count, "finding")) \(kind.rawValue): \(found[0].sentence)")
    }
  }

  /// The words that an owner of a story can accept: names of oracles, and kinds of findings.
  package static var words: [String] { all.map { $0.name } + AuditFinding.Kind.allCases.map(\.rawValue) }
}

import APNs
import Devices
import Reporting
import Timeline

/// Expectations about calls of apps, connections, delays and findings.
extension Observer {
  func reports(_ index: Int) -> ReportTally { reports[index] ?? ReportTally() }
  func findings(_ index: Int) -> FailureSample<AuditFinding> { findings[index] ?? FailureSample() }
  func delay(_ index: Int) -> DelayTally? { delays[index] }
  func connections(_ index: Int) -> SeenConnections { connections[index] ?? SeenConnections() }

  /// The connections that an expectation counts.
  struct SeenConnections: Sendable {
    private(set) var sample = FailureSample<String>()
    private(set) var figures = Figures()

    /// - Parameter isOwn: whether the scenario's own provider opened it.
    mutating func add(_ id: ProviderConnectionID, _ words: String, isOwn: Bool) {
      sample.add(words)
      figures.meant += 1
      figures.met += 1
      if isOwn { figures.addAlike(id.number, isMet: true) }
    }
  }

  mutating func count(_ end: CallEnd) {
    for (index, question) in aboutReports where isOpen(index, at: end.at) { reports[index]?.count(end, question) }
  }

  /// - Parameter step: the step that opened it; nil for a connection of a client.
  mutating func count(_ id: ProviderConnectionID, _ environment: Environment, _ peer: String, of step: Int?) {
    var connection = ConnectionSubject(id, to: environment)
    for (index, matcher) in aboutConnections where !tallies[index].isClosed && matcher.matches(&connection) {
      let words = "connection \(id.number) to \(environment.rawValue), from \(peer)"
      connections[index]?.add(id, words, isOwn: step != nil)
    }
  }

  mutating func measure(_ list: [WorldEvent], of step: Int?) {
    for index in aboutDelays where !tallies[index].isClosed {
      for event in list { delays[index]?.read(event, step: step) }
    }
  }

  mutating func audit(_ list: [WorldEvent]) {
    let before = auditor?.total ?? 0
    for event in list { auditor?.read(event) }
    guard let found = auditor?.findings, let total = auditor?.total, total > before else { return }
    for finding in found.suffix(Int(total - before)) {
      for index in aboutFindings where isOpen(index, at: finding.at) {
        guard case .findings(let kind, _) = expectations[index].question, kind ?? finding.kind == finding.kind
        else { continue }
        findings[index]?.add(finding)
      }
    }
  }

  /// The push in its current state.
  func observed(_ record: PushRecord) -> ObservedPush {
    let step = senders.step(of: record.sequence)
    return ObservedPush(record, step: step, name: step.flatMap { names[$0] })
  }

  /// The filters of each expectation about pushes, and of its claim.
  func matchers(_ filter: Filter, _ condition: Filter) -> (means: Matcher, meets: Matcher) {
    (Matcher(filter, apps: apps, steps: names), Matcher(condition, apps: apps, steps: names))
  }
}

import APNs
import Devices
import Reporting
import Timeline

/// Expectations about calls of apps, connections, delays and findings.
extension Observer {
  func reports(_ index: Int) -> ReportTally { reports[index] ?? ReportTally() }
  func findings(_ index: Int) -> FailureSample<AuditFinding> { findings[index] ?? FailureSample() }
  func delay(_ index: Int) -> DelayTally? { delays[index] }
  func connections(_ index: Int) -> FailureSample<String> { connections[index] ?? FailureSample() }

  mutating func count(_ end: CallEnd) {
    for (index, question) in aboutReports where isOpen(index, at: end.at) { reports[index]?.count(end, question) }
  }

  mutating func count(_ id: ProviderConnectionID, _ environment: Environment, _ peer: String) {
    var connection = ConnectionSubject(id, to: environment)
    for (index, matcher) in aboutConnections where !tallies[index].isClosed && matcher.matches(&connection) {
      connections[index]?.add("connection \(id.number) to \(environment.rawValue), from \(peer)")
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
}

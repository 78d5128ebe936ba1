import APNs
import Devices
import Timeline

/// What is only counted: findings and connections.
extension Judge {
  func judge(_ kind: Finding.Kind?, _ range: ClosedRange<Int>, _ found: Shown<Finding>) -> Scenario.Verdict {
    var verdict = self.verdict(range.contains(found.count))
    let which = kind.map { " of the kind \($0.rawValue)" } ?? ""
    verdict.wanted = range == 0...0 ? "no findings\(which)" : range.counting("finding") + which
    verdict.found = "\(found.count)"
    guard !verdict.passed else { return verdict }
    if found.count == 0 { verdict.nearest = "the auditor found nothing\(which) by then" }
    verdict.findings = found.lines { finding in
      let device = finding.device.map { " to \($0.text)" } ?? ""
      let push = finding.push.map { " (apns-id \($0.text))" } ?? ""
      return "\(finding.kind.rawValue)\(device) at \(DurationText.write(began.duration(to: finding.at)))\(push): "
        + finding.sentence
    }
    return verdict
  }

  func judge(_ environment: Environment?, _ range: ClosedRange<Int>, _ found: Shown<String>) -> Scenario.Verdict {
    var verdict = self.verdict(range.contains(found.count))
    let which = environment.map { " to \($0.rawValue)" } ?? ""
    verdict.wanted = range.counting("connection") + which
    verdict.found = "\(found.count)"
    guard !verdict.passed else { return verdict }
    verdict.nearest =
      found.count == 0
      ? "nobody had connected\(which) by then" : "opened were " + found.lines(\.self).joined(separator: "; ")
    return verdict
  }
}

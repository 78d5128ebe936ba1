import APNs
import Devices
import Reporting
import WireFormats

/// Which calls of apps to their backends are meant: those for which all that is said holds.
package struct ReportFilter: ClaimFilter {
  /// Name of the event at which it was made; `launch` is `launch.cold` as well.
  package var event: String?
  package var devices: [DeviceID]?
  package var app: Int?
  /// What the backend answered.
  package var status: Int?
  package var failure: CallOutcome.Failure?
  /// What must be in its JSON body.
  package var body: JSONValue?

  package init() {}

  func matches(_ report: inout ObservedReport) -> Bool { differences(&report).isEmpty }

  /// What differs, in words.
  func differences(_ report: inout ObservedReport) -> [String] {
    let end = report.end
    var list: [String] = []
    if let event, !Self.event(event, covers: end.event) { list.append("event is \(end.event), not \(event)") }
    if let devices, !devices.contains(end.device) {
      list.append("device is \(end.device.text), not \(devices.map(\.text).joined(separator: " or "))")
    }
    if let app, end.app != app { list.append("it was made by another app") }
    if let status, end.outcome.status != status {
      list.append("status is \(end.outcome.status.map { "\($0)" } ?? "none"), not \(status)")
    }
    if let failure, end.outcome.failure != failure {
      list.append("failure is \(end.outcome.failure?.rawValue ?? "none"), not \(failure.rawValue)")
    }
    if let body {
      if let found = report.body() {
        list += body.differences(from: found, "body")
      } else {
        list.append(end.body == nil ? "it has no body" : "its body is no JSON")
      }
    }
    return list
  }

  /// What is said, in words; empty when nothing is.
  func words(_ apps: [String]) -> String {
    let parts: [String?] = [
      event.map { "event \($0)" }, devices.map { "device \($0.map(\.text).joined(separator: " or "))" },
      app.map { "app \(apps[$0])" }, status.map { "status \($0)" }, failure.map { "failure \($0.rawValue)" },
      body.map { "body with \($0.text)" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// Whether a name of an event stands for another: itself, and what is narrower.
  package static func event(_ wide: String, covers name: String) -> Bool {
    name.hasPrefix(wide) && (name.utf8.count == wide.utf8.count || name.dropFirst(wide.count).first == ".")
  }
}

extension CallOutcome {
  var failure: Failure? { if case .failed(let failure, _) = self { failure } else { nil } }
}

/// What an expectation about reports has seen.
struct ReportTally: Sendable {
  var meant = 0
  var met = 0
  /// Those that a failure would show.
  private(set) var blamed = FailureSample<CallEnd>()
  /// The one that came nearest to what is wanted, and how many things differ.
  private(set) var nearest: (end: CallEnd, differences: [String])?

  mutating func count(_ end: CallEnd, _ filter: ReportFilter, _ claim: Claim<ReportFilter>) {
    var report = ObservedReport(end)
    let outside = filter.differences(&report)
    let inside = claim.condition.differences(&report)
    if outside.isEmpty {
      meant += 1
      if inside.isEmpty { met += 1 }
      switch claim {
      case .count: blamed.add(end)
      case .all where !inside.isEmpty: blamed.add(end)
      case .none where inside.isEmpty: blamed.add(end)
      case .all, .none, .sometimes: break
      }
    }
    let differences = outside + inside
    guard !differences.isEmpty else { return }
    // One that is meant is nearer than any that is not.
    let distance = 100 * outside.count + inside.count
    if nearest == nil || distance < self.distance { (nearest, self.distance) = ((end, differences), distance) }
  }

  private var distance = Int.max
}

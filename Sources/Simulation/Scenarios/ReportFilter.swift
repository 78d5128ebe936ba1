import APNs
import Devices
import Reporting
import WireFormats

/// A filter for calls of apps to their backends: those for which all given values match.
package struct ReportFilter: ClaimFilter {
  /// Name of the event that caused it; `launch` includes `launch.cold`.
  package var event: String?
  package var devices: [DeviceID]?
  package var app: Int?
  /// The backend's answer.
  package var status: Int?
  package var failure: CallOutcome.Failure?
  /// Content that its JSON body must have.
  package var body: JSONValue?

  package init() {}

  func matches(_ report: inout ObservedReport) -> Bool { differences(&report).isEmpty }

  /// What differs, as text.
  func differences(_ report: inout ObservedReport) -> [String] {
    let end = report.end
    var list: [String] = []
    if let event, !Self.event(event, covers: end.event) { list.append("event is \(end.event), not \(event)") }
    if let devices, !devices.contains(end.device) {
      list.append("device is \(end.device.text), not \(devices.map(\.text).joined(separator: " or "))")
    }
    if let app, end.app != app { list.append("another app made it") }
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
        list.append(end.body == nil ? "it has no body" : "its body is not JSON")
      }
    }
    return list
  }

  /// The given values, as text; empty without values.
  func words(_ apps: [String]) -> String {
    let parts: [String?] = [
      event.map { "event \($0)" }, devices.map { "device \($0.map(\.text).joined(separator: " or "))" },
      app.map { "app \(apps[$0])" }, status.map { "status \($0)" }, failure.map { "failure \($0.rawValue)" },
      body.map { "body with \($0.text)" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// Whether one event name includes another: itself, and narrower ones.
  package static func event(_ wide: String, covers name: String) -> Bool {
    name.hasPrefix(wide) && (name.utf8.count == wide.utf8.count || name.dropFirst(wide.count).first == ".")
  }
}

extension CallOutcome {
  var failure: Failure? { if case .failed(let failure, _) = self { failure } else { nil } }
}

/// The state of an expectation about reports.
struct ReportTally: Sendable {
  var meant = 0
  var met = 0
  /// The reports that a failure would show.
  private(set) var blamed = FailureSample<CallEnd>()
  /// The nearest match, and what differs.
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
    // A report that the filter selects is nearer than any other.
    let distance = 100 * outside.count + inside.count
    if nearest == nil || distance < self.distance { (nearest, self.distance) = ((end, differences), distance) }
  }

  private var distance = Int.max
}

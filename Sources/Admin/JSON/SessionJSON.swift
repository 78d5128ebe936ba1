import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// A session as JSON.
enum SessionJSON {
  /// Maximum number of devices listed; the rest is only counted.
  private static let mostDevices = 1000

  /// The newest findings; all of them have a separate list.
  private static let mostFindings = 20

  static func value(_ session: TestSession, _ world: World) -> JSONValue {
    let scope = session.scope
    let devices = scope.devices.map { $0.prefix(mostDevices).map(\.text) }
    let faults = session.isOpen ? world.faults.active.count { $0.fault.session == session.name } : 0
    return [
      "name": .string(session.name), "open": .bool(session.isOpen), "openedAt": .string(session.openedAt.rfc3339),
      "closedAt": JSONValue(session.closedAt?.rfc3339), "expiresAt": JSONValue(session.expiresAt?.rfc3339),
      "keys": list(scope.keys?.map(\.id)), "topics": list(scope.topics?.map(\.text)),
      "devices": list(devices),
      "deviceCount": scope.devices.map { JSONValue($0.count) } ?? .null,
      "ledger": ["capacity": JSONValue(session.pushLog.capacity), "kept": JSONValue(session.pushLog.count)],
      "counts": counts(session), "faults": JSONValue(faults),
      "expect": session.given ?? .array([]), "expected": JSONValue(session.expected),
      "passed": session.passed.map { .bool($0) } ?? .null,
      "expectations": .array(session.verdicts.map(\.json)),
      "findings": .array(session.auditor.findings.suffix(mostFindings).reversed().map(FindingRoutes.value)),
    ]
  }

  private static func counts(_ session: TestSession) -> JSONValue {
    func number(_ count: UInt64) -> JSONValue { .integer(Int64(clamping: count)) }
    let metrics = session.metrics
    return [
      "pushes": number(session.pushLog.total), "accepted": number(metrics.accepted),
      "refused": number(session.pushLog.total - metrics.accepted), "delivered": number(metrics.delivered),
      "answered": number(metrics.answered),
      "stored": number(metrics.stored), "discarded": number(metrics.discarded), "dropped": number(metrics.dropped),
      "activitiesStarted": number(metrics.activitiesStarted), "activitiesEnded": number(metrics.activitiesEnded),
      "calls": number(session.calls.total), "findings": number(session.auditor.total),
    ]
  }

  private static func list(_ texts: [String]?) -> JSONValue {
    guard let texts else { return .null }
    return .array(texts.map { .string($0) })
  }
}

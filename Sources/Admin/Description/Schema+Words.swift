import APNs
import Devices
import Grammar
import Reporting
import Simulation
import WireFormats

/// Types that many answers, bodies and parameters share.
extension Schema {
  static let next = string.orNull.named("Next", "`cursor` of the next page; null on the last page.")
  static let time = string.with(["format": "date-time", "example": "2026-03-01T12:00:00.000Z"])
    .named("Instant", "RFC 3339 in UTC with milliseconds, by the world's clock.")
  static let timeOrNull = string.orNull.with(["format": "date-time"])
  static let environment = Schema(ValueType.environment)
  static let tokenKind = Schema(ValueType.tokenKind)
  static let deviceID = Schema(ValueType.device)
  static let user = Schema(ValueType.user)
  static let deviceIDs = Schema(ValueType.devices)
  static let version = Schema(ValueType.version)
  static let pushType = Schema(ValueType.pushType)
  static let apnsID = Schema(ValueType.uuid)
  static let reason = Schema(ValueType.reason)
  static let evidence = words(Evidence.Kind.self).named(
    "Evidence",
    """
    How we know: Apple documents it, developers observed it, it is our choice, or sources contradict each other.
    docs/behavior has details.
    """)
  static let process = words(LogProcess.self).named("Process")
  static let permission = Schema(ValueType.permission)
  static let phoneSwitch = Schema(ValueType.phoneSwitch)
  static let activityState = words(LiveActivity.State.self).named(
    "ActivityState",
    """
    The values of `activityState`, and `prompting`: a push has started it, and the Allow question on its card is
    not answered, so there is no update token and only the person can change it.
    """)
  static let bundleID = Schema(ValueType.bundleID)
  static let deliveryStatus = words(DeliveryStatus.allCases.map(\.words)).named(
    "DeliveryStatus",
    "In the words of Apple's delivery metrics up to Discarded - Disabled (From Storage); the rest are Pushpit's own.")
  static let scene = Schema(ValueType.scene)
  static let seconds = Schema(ValueType.seconds)
  static let authorizationError = Schema(ValueType.authorizationError)
  static let outcome = Schema(ValueType.outcome)
  static let findingKind = words(AuditFinding.Kind.self).named("FindingKind")
}

/// `ActivityAuthorizationError`: why `Activity.request` throws.
///
/// Documented: ActivityKit reference. Errors whose trigger Apple does not describe occur only when injected.
package enum AuthorizationError: String, Error, CaseIterable, Hashable, Sendable {
  case denied
  case visibility
  case targetMaximumExceeded
  case globalMaximumExceeded
  case attributesTooLarge
  case unsupported
  case unsupportedTarget
  case unentitled
  case persistenceFailure
  case missingProcessIdentifier
  case malformedActivityIdentifier
  case reconnectNotPermitted

  package var sentence: String {
    switch self {
    case .denied: "the person has turned Live Activities off"
    case .visibility: "the app is not in the foreground"
    case .targetMaximumExceeded: "the app has reached its limit of Live Activities"
    case .globalMaximumExceeded: "the device has reached its limit of Live Activities"
    case .attributesTooLarge: "attributes and content state together are larger than 4,096 bytes"
    case .unsupported: "this device does not support Live Activities of that kind"
    case .unsupportedTarget: "this target may not start Live Activities"
    case .unentitled: "the app's Info.plist lacks NSSupportsLiveActivities"
    case .persistenceFailure: "the system could not store the activity"
    case .missingProcessIdentifier: "the process has no identifier"
    case .malformedActivityIdentifier: "the identifier of the activity is malformed"
    case .reconnectNotPermitted: "the app may not reconnect to this activity"
    }
  }
}

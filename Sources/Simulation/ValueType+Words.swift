import APNs
import Devices
import Grammar
import WireFormats

/// Types that orders, filters, answers and documents share.
extension ValueType {
  package static let bundleID = ValueType.text().named(
    "BundleId", "Bundle id of an app of the fleet.", limits: ["example": "com.example.app"])
  static let activityID = ValueType.text().named(
    "ActivityId", "The id of an activity, ignoring case. Default: the only one.")
  package static let environment = words(Environment.self)
    .named("Environment", "One of APNs' two gateways, each with separate tokens.")
  package static let tokenKind = ValueType.words(TokenKind.allCases.map(\.name)).named(
    "TokenKind",
    """
    `device` is the app's own token, `pushToStart` starts Live Activities of one attributes type, `update` updates
    and ends one activity; the others are services with separate tokens.
    """)
  package static let device = ValueType.pattern(DeviceID.pattern).named(
    "DeviceId", "`d` and the device's number in the fleet, from 0.")
  package static let user = ValueType.pattern(UserID.pattern).named(
    "UserId", "`u` and the number of the person's first phone.")
  package static let devices = ValueType.list(of: .device).named(
    "DeviceIds", "Only these devices. For one of them, `device` has the same meaning; use one of the two.",
    limits: ["maxItems": .integer(Int64(Selection.mostChanged))])
  package static let pushType = words(PushType.self).named("ApnsPushType")
  package static let reason = words(RejectionReason.self).named("Reason", "Apple's reason of an error.")
  package static let outcome = ValueType.words(Fate.allOutcomes).named("Outcome", "What a phone did with a push.")
  package static let permission = words(NotificationPermission.self)
    .named("Permission", "The person's answer to the app's request for permission to notify.")
  package static let phoneSwitch = words(PhoneSwitch.self).named(
    "Switch",
    """
    `timeSensitive` lets time-sensitive notifications through a Focus; `standBy` turns the phone on its side, so that it
    shows StandBy while it is locked and charging; `carPlay` connects it to a car; `mac` puts it near its owner's Mac;
    `allLiveActivities` is the switch of the phone. The last three are switches of single apps.
    """)
  package static let scene = words(ActivityStartRequest.Scene.self).named(
    "Scene",
    """
    The state of the app at the request: in the foreground (default), in the background, which iOS refuses, or in
    a Live Activity intent.
    """)
  package static let authorizationError = words(AuthorizationError.self)
    .named("AuthorizationError", "An `ActivityAuthorizationError`; in an order, the error that iOS must throw.")
  package static let version = ValueType.text().named(
    "Version", "A version of iOS.", limits: ["pattern": #"^[1-9][0-9]?(\.[0-9]{1,2})?$"#, "example": "26.2"])
  static let errorCode = ValueType.words(HTTP2ErrorName.all)
    .named("ErrorCode", "An error code of HTTP/2 (RFC 9113, section 7).")

  private static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> ValueType {
    .words(type.allCases.map(\.rawValue))
  }
}

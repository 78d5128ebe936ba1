import APNs
import Devices
import WireFormats

/// A push that a simulated provider sends to many devices. It is examined and read once; only the device token differs.
package final class PushTemplate: Sendable {
  let push: ExaminedPush
  /// For updates and ends of Live Activities.
  let activity: ParsedActivityUpdate?

  /// - Parameters:
  ///   - request: to the first of the devices, with its token in the path.
  ///   - app: the app to whose tokens it goes.
  init(
    _ request: HTTPRequest, in environment: Environment, to app: AppProfile,
    makeToken: @escaping @Sendable (Address) -> DeviceToken
  ) {
    push = ExaminedPush(request, in: environment, makeToken: makeToken)
    activity = push.type == .liveactivity ? ParsedActivityUpdate.read(request, for: app.types.map(\.contentState)) : nil
  }
}

/// A push that APNs takes, with what has been read of its payload.
struct AcceptedPush {
  let request: PushRequest
  let activity: ParsedActivityUpdate?

  var examined: ExaminedPush { request.examined }
  var address: Address { request.address }
}

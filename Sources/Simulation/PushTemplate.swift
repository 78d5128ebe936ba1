import APNs
import Devices
import WireFormats

/// A push that a simulated provider sends to many devices. It is validated and parsed once; only the device token
/// differs.
package final class PushTemplate: Sendable {
  let push: ExaminedPush
  /// For updates and ends of Live Activities.
  let activity: ParsedActivityUpdate?

  /// - Parameters:
  ///   - request: the push to the first device, with its token in the path.
  ///   - app: the app that it is for.
  init(
    _ request: HTTPRequest, in environment: Environment, to app: AppProfile,
    makeToken: @escaping @Sendable (Address) -> DeviceToken
  ) {
    push = ExaminedPush(request, in: environment, makeToken: makeToken)
    activity = push.type == .liveactivity ? ParsedActivityUpdate.read(request, for: app.types.map(\.contentState)) : nil
  }
}

/// Such a push, and the verdict of the rules on it: on one connection at one time, independent of earlier pushes.
///
/// A class, because the verdict is large, and it is passed along for every device.
package final class SettledTemplate: Sendable {
  let template: PushTemplate
  let examination: SettledExamination

  init(_ template: PushTemplate, _ examination: SettledExamination) {
    self.template = template
    self.examination = examination
  }
}

/// A push that APNs accepts, with its parsed payload.
struct AcceptedPush {
  let examined: ExaminedPush
  let request: PushRequest
  let activity: ParsedActivityUpdate?

  var address: Address { request.address }
}

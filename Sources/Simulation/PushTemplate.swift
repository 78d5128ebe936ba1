import APNs
import Devices
import WireFormats

/// A push that a simulated provider sends to many devices. It is validated and parsed once; only the device token
/// differs.
package final class PushTemplate: Sendable {
  let push: ParsedPush
  /// For updates and ends of Live Activities.
  let activity: ParsedActivityUpdate?

  /// - Parameters:
  ///   - request: the push to the first device, with its token in the path.
  ///   - app: the app that it is for.
  package init(
    _ request: HTTPRequest, in environment: Environment, to app: AppProfile,
    makeToken: @escaping @Sendable (Address) -> DeviceToken
  ) {
    push = ParsedPush(request, in: environment, makeToken: makeToken)
    activity = push.type == .liveactivity ? ParsedActivityUpdate.read(request, for: app.types.map(\.contentState)) : nil
  }
}

/// A push with the verdict of the rules. Not copyable: everything that the world does with a push borrows it, because
/// each copy would retain its parts. Its parsed payload is passed beside it: reading an optional reference out of a
/// borrowed value costs a hundred instructions (Swift 6.3).
struct ReceivedPush: ~Copyable {
  /// As the push log keeps it. If the phone of a shared push was not found, it contains its own token.
  let push: ParsedPush
  let outcome: Result<AcceptedPush, Rejection>
  let keyNumber: Int?
  let address: Address?
  let authorizesConnection: Bool
}

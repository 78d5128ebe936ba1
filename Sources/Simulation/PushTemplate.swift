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
  package init(
    _ request: HTTPRequest, in environment: Environment, to app: AppProfile,
    makeToken: @escaping @Sendable (Address) -> DeviceToken
  ) {
    push = ExaminedPush(request, in: environment, makeToken: makeToken)
    activity = push.type == .liveactivity ? ParsedActivityUpdate.read(request, for: app.types.map(\.contentState)) : nil
  }
}

/// A template, and the verdict of the rules on it: on one connection at one time, independent of earlier pushes.
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

/// A push with the verdict of the rules. Not copyable: everything that the world does with a push borrows it, because
/// each copy would retain its parts. Its parsed payload is passed beside it: reading an optional reference out of a
/// borrowed value costs a hundred instructions (Swift 6.3).
struct ValidatedPush: ~Copyable {
  /// As the push log keeps it. If the phone of a shared push was not found, it contains its own token.
  let push: ExaminedPush
  let outcome: Result<PushRequest, Rejection>
  let keyNumber: Int?
  let address: Address?
  let authorisesConnection: Bool

  init(
    push: ExaminedPush, outcome: Result<PushRequest, Rejection>, keyNumber: Int?, address: Address?,
    authorisesConnection: Bool = false
  ) {
    self.push = push
    self.outcome = outcome
    self.keyNumber = keyNumber
    self.address = address
    self.authorisesConnection = authorisesConnection
  }

  init(_ verdict: PushVerdict) {
    self.init(
      push: verdict.examined, outcome: verdict.outcome, keyNumber: verdict.keyNumber, address: verdict.address,
      authorisesConnection: verdict.authorisesConnection)
  }
}

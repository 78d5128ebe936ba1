import APNs
import Devices
import Timeline
import WireFormats

/// A push that a simulated provider sends to many devices. It is parsed once, and checked once for all pushes at the
/// same time; only the device token differs.
package final class PushTemplate {
  let push: ParsedPush
  /// For updates and ends of Live Activities.
  let activity: ParsedActivityUpdate?
  /// The verdict on the last push, if the next may get the same.
  private var last: Verdict?

  /// The verdict on a push up to its device token. An object, because copies of a `CheckedPush` for each device are
  /// a fortieth of the cost of its push.
  final class Verdict {
    let checked: CheckedPush
    private let connection: ProviderConnectionID
    private let wall: Instant
    private let generation: UInt64

    fileprivate init(
      _ checked: CheckedPush, on connection: ProviderConnectionID, at wall: Instant, _ generation: UInt64
    ) {
      self.checked = checked
      self.connection = connection
      self.wall = wall
      self.generation = generation
    }

    fileprivate func holds(on connection: ProviderConnectionID, at wall: Instant, _ generation: UInt64) -> Bool {
      self.connection == connection && self.wall == wall && self.generation == generation
    }
  }

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

  /// Checks the push, unless its last verdict on this connection still holds: time and keys are the same, and its
  /// provider was known.
  ///
  /// - Parameter provider: the state of the connection. Only pushes with the same provider token have been sent on it
  ///   since the last verdict.
  func verdict(
    on connection: ProviderConnectionID, _ provider: inout ProviderConnection, at wall: Instant,
    by validator: inout RequestValidator
  ) -> Verdict {
    let generation = validator.rules.generation
    if let last, last.holds(on: connection, at: wall, generation) { return last }
    let checked = validator.check(push, on: &provider, at: wall)
    let verdict = Verdict(checked, on: connection, at: wall, generation)
    last = checked.isLasting ? verdict : nil
    return verdict
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

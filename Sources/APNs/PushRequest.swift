import Timeline
import WireFormats

/// The proof that APNs accepts a push: all its fields have been read, and it has passed every rule.
///
/// Later code does not check the rules again. A value does not hold the push itself, so copying it retains nothing.
package struct PushRequest: Sendable {
  package let address: Address
  /// The token is dead, but APNs does not know it yet.
  package let isLingering: Bool

  /// Whether the push is answered 200 but not delivered: a Live Activity by certificate, if a setting says so.
  package let isDropped: Bool

  /// Nil if the token does not belong to a phone.
  init?(_ status: TokenStatus, isDropped: Bool) {
    switch status {
    case .live(let found): (address, isLingering) = (found, false)
    case .lingering(let found): (address, isLingering) = (found, true)
    case .unknown, .ofOtherCell, .expired, .unregistered: return nil
    }
    self.isDropped = isDropped
  }
}

/// The validator's verdict on a request.
package struct PushVerdict: Sendable {
  package let examined: ExaminedPush
  package let outcome: Result<PushRequest, Rejection>
  /// Number of the provider's key, once the token has been accepted; nil for a provider with a certificate.
  package let keyNumber: Int?
  /// The address of the device token, if it was looked up.
  package let address: Address?
  /// Whether this request's provider token is the first one accepted on its connection.
  package let authorisesConnection: Bool
}

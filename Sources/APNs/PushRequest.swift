import Timeline
import WireFormats

/// A push that APNs takes: every field has been read and every rule holds.
///
/// Holding one is the proof that the rules were applied; nothing later checks again.
package struct PushRequest: Sendable {
  package let examined: ExaminedPush
  package let address: Address
  /// The token is dead, and APNs does not know it yet.
  package let isLingering: Bool

  /// It is answered like any other, and goes nowhere: a Live Activity by certificate, where a setting says so.
  package let isDropped: Bool

  /// Nil where the token does not lead to a phone.
  init?(_ push: ExaminedPush, _ status: TokenStatus, isDropped: Bool) {
    switch status {
    case .live(let found): (address, isLingering) = (found, false)
    case .lingering(let found): (address, isLingering) = (found, true)
    case .unknown, .expired, .unregistered: return nil
    }
    examined = push
    self.isDropped = isDropped
  }
}

/// What became of a request at the gate.
package struct PushVerdict: Sendable {
  package let examined: ExaminedPush
  package let outcome: Result<PushRequest, Rejection>
  /// Number of the provider's key, once the token has passed; nil for a provider with a certificate.
  package let keyNumber: Int?
  /// Where the device token leads, as far as it was looked up.
  package let address: Address?
  /// This request's provider token is the first that passed on its connection.
  package let authorisesConnection: Bool
}

import Timeline
import WireFormats

/// A push that APNs takes: every field has been read and every rule holds.
///
/// Holding one is the proof that the rules were applied; nothing later checks again. Plain data: it is handed on
/// several times for every push, and the topic, which is text, is of no more use.
package struct PushRequest: Sendable {
  package let type: PushType?
  package let priority: Priority
  /// Nil when the header is absent: stored as long as APNs stores.
  package let expiration: Instant?
  /// Where the collapse id lies in the request's bytes.
  package let collapseID: Range<Int>?
  package let address: Address
  /// The token is dead, and APNs does not know it yet.
  package let isLingering: Bool
  /// Where the payload lies in the request's bytes.
  package let payload: Range<Int>
}

/// What became of a request at the gate.
package struct Verdict: Sendable {
  package let environment: Environment
  /// The client's own id, if it sent a sound one.
  package let id: NotificationID?
  package let outcome: Result<PushRequest, Refusal>
  /// Number of the provider's key, once the token has passed.
  package let keyNumber: Int?
  /// Where the device token leads, as far as it was looked up.
  package let address: Address?
  /// This request's provider token is the first that passed on its connection.
  package let authorisesConnection: Bool
}

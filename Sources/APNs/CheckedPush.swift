/// The verdict on a push before its device token is looked up: of the rules about the request line, the credential, and
/// the fields and body.
package struct CheckedPush: Sendable {
  package let push: ParsedPush
  /// Nil for a rejected push.
  let topic: Topic?
  let rejection: Rejection?
  /// Number of the provider's key; nil for a provider that is unknown or has a certificate.
  package let keyNumber: Int?
  /// See `AcceptedPush`.
  let isDropped: Bool
  /// True if this request's provider token is the first one accepted on its connection.
  package let authorizesConnection: Bool
  /// True if the provider was known before, so that the check has changed nothing on the connection: the next push with
  /// the same headers gets the same verdict at the same time.
  package let isLasting: Bool
  /// The address inside the device token, if it was opened and made from the seed. Once the token is registered again,
  /// it leads elsewhere.
  package var address: Address?
}

extension CheckedPush {
  /// An internal error: no rule decided.
  init(unchecked push: ParsedPush) {
    self.init(
      push: push, topic: nil, rejection: Rejection(.internalServerError, by: nil), keyNumber: nil, isDropped: false,
      authorizesConnection: false, isLasting: false)
  }
}

/// The proof that APNs accepts a push: all its fields have been read, and it has passed every rule.
///
/// Later code does not check the rules again. A value does not hold the push itself, so copying it retains nothing.
package struct AcceptedPush: Sendable {
  package let address: Address
  /// The token is dead, but APNs has not learned it yet.
  package let isLingering: Bool

  /// True if the push returns 200 but is not delivered: a Live Activity by certificate, if a setting asks for that.
  package let isDropped: Bool

  /// - Parameter address: the address of the status, which is live or lingering.
  init(_ status: TokenStatus, isDropped: Bool, to address: Address) {
    self.address = address
    isLingering = if case .lingering = status { true } else { false }
    self.isDropped = isDropped
  }
}

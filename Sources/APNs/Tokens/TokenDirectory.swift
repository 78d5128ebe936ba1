import Timeline

/// Looks up device tokens. The fleet implements it; the rules of APNs need only these questions.
package protocol TokenDirectory {
  /// Status of a token that a provider uses in an environment.
  func status(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStatus

  /// Status of the token that was made from an address.
  func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus

  /// True if an address belongs to a topic.
  func belongs(_ address: Address, to topic: Topic) -> Bool

  /// Counts one request to the address; false if it exceeds the rate limit.
  mutating func admit(_ address: Address, at now: Instant) -> Bool
}

/// The status of a device token at APNs.
package enum TokenStatus: Hashable, Sendable {
  /// Never issued, or issued by the other environment.
  case unknown
  /// Another cell's, by its second byte; nothing else is known of it here.
  case ofOtherCell
  case live(Address)
  /// Dead, but APNs has not learned it yet: answered like a live token.
  case lingering(Address)
  /// A Live Activity's token older than eight hours.
  case expired(Address, since: Instant)
  /// Dead, and APNs has known it since then.
  case unregistered(Address, since: Instant)

  package var address: Address? {
    switch self {
    case .unknown, .ofOtherCell: nil
    case .live(let address), .lingering(let address), .expired(let address, _), .unregistered(let address, _): address
    }
  }
}

/// Finds the addresses of tokens that were made from the seed, without asking a fleet.
package struct SealedTokens: Sendable {
  package let seal: TokenSeal
  /// The token sizes of each app, by the app's number.
  private let sizes: [TokenSizes]
  /// Number of devices in the fleet.
  private let devices: UInt32

  package init(_ seal: TokenSeal, sizes: [TokenSizes], devices: UInt32) {
    self.seal = seal
    self.sizes = sizes
    self.devices = devices
  }

  /// Nil for a token not made from this seed, and for a device beyond the fleet.
  package func address(of token: DeviceToken) -> Address? {
    let address = seal.address(of: token) { sizes.indices.contains($0) ? sizes[$0] : nil }
    guard let address, address.device.number < devices else { return nil }
    return address
  }

  /// The current or an earlier token of a slot.
  ///
  /// - Precondition: the user did not register this address's token.
  package func token(for address: Address) -> DeviceToken { seal.token(for: address, sizes: sizes[address.app]) }
}

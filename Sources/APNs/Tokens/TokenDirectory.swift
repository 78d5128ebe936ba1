import Timeline

/// Where device tokens lead. The fleet is one; the rules of APNs need only what is asked here.
package protocol TokenDirectory {
  /// What is known of a token presented to an environment at that time.
  func status(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStatus

  /// The same of the address that a token leads to.
  func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus

  /// Whether an address belongs to a topic.
  func belongs(_ address: Address, to topic: Topic) -> Bool

  /// Counts one request to the address; false when it is one too many.
  mutating func admit(_ address: Address, at now: Instant) -> Bool
}

/// What APNs knows of a device token.
package enum TokenStatus: Hashable, Sendable {
  /// Never issued, or by the other environment.
  case unknown
  case live(Address)
  /// Dead without APNs knowing it yet: answered like a live one.
  case lingering(Address)
  /// A Live Activity's token whose eight hours are over.
  case expired(Address, since: Instant)
  /// Dead, and APNs knows it since then.
  case unregistered(Address, since: Instant)

  package var address: Address? {
    switch self {
    case .unknown: nil
    case .live(let address), .lingering(let address), .expired(let address, _), .unregistered(let address, _): address
    }
  }
}

/// Finds where device tokens lead that were made from the seed, without asking a fleet.
package struct SealedTokens: Sendable {
  package let seal: TokenSeal
  /// The sizes of each app's tokens, by the app's number.
  private let sizes: [TokenSizes]
  /// Devices of the fleet.
  private let devices: UInt32

  package init(_ seal: TokenSeal, sizes: [TokenSizes], devices: UInt32) {
    self.seal = seal
    self.sizes = sizes
    self.devices = devices
  }

  /// Nil for a token that this seed never made, and for one of a device beyond the fleet.
  package func address(of token: DeviceToken) -> Address? {
    let address = seal.address(of: token) { sizes.indices.contains($0) ? sizes[$0] : nil }
    guard let address, address.device.number < devices else { return nil }
    return address
  }

  /// The present or an old token of a slot.
  ///
  /// - Precondition: the address is not of a token that the user registered.
  package func token(for address: Address) -> DeviceToken { seal.token(for: address, sizes: sizes[address.app]) }
}

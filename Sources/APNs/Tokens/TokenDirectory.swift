import Timeline

/// Where device tokens lead. The fleet is one; the rules of APNs need only what is asked here.
package protocol TokenDirectory {
  /// What is known of a token presented to an environment at that time.
  func standing(of token: DeviceToken, in environment: Environment, at now: Instant) -> TokenStanding

  /// The same of the address that a token leads to.
  func standing(of address: Address, in environment: Environment, at now: Instant) -> TokenStanding

  /// Whether an address belongs to a topic.
  func belongs(_ address: Address, to topic: Topic) -> Bool

  /// Counts one request to the address; false when it is one too many.
  mutating func admit(_ address: Address, at now: Instant) -> Bool
}

/// What APNs knows of a device token.
package enum TokenStanding: Hashable, Sendable {
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

import APNs

/// The tokens that users have registered, and their addresses.
struct RegisteredTokens: Sendable {
  private var addresses: [DeviceToken: Address] = [:]
  private var tokens: [Address: DeviceToken] = [:]
  /// Addresses to which tokens of the seed lead that were registered again, by the addresses inside them.
  private var successors: [Address: Address] = [:]

  /// - Parameter made: the address inside the token, if the seed made the token.
  mutating func add(_ token: DeviceToken, _ address: Address, made: Address?) {
    addresses[token] = address
    tokens[address] = token
    if let made { successors[made] = address }
  }

  var count: Int { addresses.count }

  @inline(__always)
  func address(of token: DeviceToken) -> Address? { addresses.isEmpty ? nil : addresses[token] }

  func token(at address: Address) -> DeviceToken? { tokens[address] }

  /// The address to which a token leads, by the address inside the token.
  @inline(__always)
  func current(_ made: Address) -> Address {
    if successors.isEmpty { return made }
    return successors[made] ?? made
  }

  #if PUSHPIT_CHECKS
    /// - Parameter generation: the current generation of a slot, if the slot is there.
    func problems(_ sealed: SealedTokens, generation: (Address) -> UInt32?) -> [String] {
      var found: [String] = []
      for (token, address) in addresses {
        if tokens[address] != token || !address.isGiven || address.generation > generation(address) ?? .max {
          found.append("The registered token \(token.text) leads to \(address), and back to another.")
        }
      }
      for (made, address) in successors where addresses[sealed.token(for: made)] != address {
        found.append("The token of \(made) leads on to \(address), for which it was not registered.")
      }
      for (address, token) in tokens where addresses[token].map({ $0.generation < address.generation }) ?? true {
        found.append("\(address) has the registered token \(token.text), which does not lead there.")
      }
      return found
    }
  #endif
}

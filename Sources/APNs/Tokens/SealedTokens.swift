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

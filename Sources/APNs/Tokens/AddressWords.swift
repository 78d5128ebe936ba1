/// An address as two words, as it lies in a token.
struct AddressWords: Hashable {
  /// Device, app, and a code of the slot.
  let high: UInt64
  /// The slot's own number, and the generation.
  let low: UInt64
}

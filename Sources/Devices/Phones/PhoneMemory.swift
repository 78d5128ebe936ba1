/// Bytes that a phone holds, and how many of them the fleet's memory budget was told of.
struct PhoneMemory: Hashable, Sendable {
  private var heldBytes: UInt32 = 0
  private var chargedBytes: UInt32 = 0

  var held: Int { Int(heldBytes) }
  var charged: Int { Int(chargedBytes) }

  mutating func grow(by bytes: Int) { heldBytes = UInt32(clamping: held + bytes) }

  /// Growth since the last call, which is charged with it.
  mutating func takeGrowth() -> Int {
    let growth = held - charged
    chargedBytes = heldBytes
    return growth
  }
}

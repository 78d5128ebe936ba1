import TestSupport
import Testing

@testable import APNs

@Suite("An address")
struct AddressTests {
  @Test("an address reads back the same after two words, including tokens set by the user")
  func roundTrip() {
    for seed: UInt64 in 0..<1000 {
      var dice = Dice(seed: seed)
      let slots: [TokenSlot] = [
        .app, .service(TopicSuffix.allCases[dice.below(TopicSuffix.allCases.count)]),
        .pushToStart(type: dice.below(1000)), .update(activity: UInt32(truncatingIfNeeded: dice.bits())),
      ]
      let address = Address(
        device: DeviceID(UInt32(truncatingIfNeeded: dice.bits())), app: dice.below(0x1_0000),
        slot: slots[dice.below(4)],
        generation: UInt32(truncatingIfNeeded: dice.bits()), isGiven: dice.below(2) == 0)
      #expect(Address(address.words) == address, "seed \(seed)")
    }
  }

  @Test("two words that are not an address give nil")
  func noAddress() {
    for kind: UInt64 in [4, 5, 0x7FFF] { #expect(Address(AddressWords(high: kind << 48, low: 0)) == nil) }
    #expect(Address(AddressWords(high: 1 << 48, low: UInt64(TopicSuffix.allCases.count))) == nil)
  }
}

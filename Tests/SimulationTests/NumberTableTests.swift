import Testing
import Timeline

@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("A table of numbers")
struct NumberTableTests {
  @Test(
    "a number table holds what a dictionary would, whatever is stored, replaced and removed",
    arguments: 0..<20 as Range<UInt64>)
  func agreesWithADictionary(seed: UInt64) {
    let chance = Chance(seed: seed)
    // Few numbers, so that many are met again; consecutive, far apart, or equal in their low bits.
    let spread: UInt64 = [1, 1 << 32, 1 << 60, 0x9E37_79B9_7F4A_7C15][Int(seed % 4)]
    var (table, dictionary) = (NumberTable<UInt64>(), [UInt64: UInt64]())
    for turn in 0..<3000 as Range<UInt64> {
      let number = chance.below(300, subject: turn, count: 0) &* spread
      switch chance.below(3, subject: turn, count: 1) {
      case 0: #expect(table.removeValue(forKey: number) == dictionary.removeValue(forKey: number))
      case 1:
        table[number] = turn
        dictionary[number] = turn
      default: #expect(table[number] == dictionary[number])
      }
      #expect(table.count == dictionary.count && table.isEmpty == dictionary.isEmpty)
    }
    for number in (0..<300 as Range<UInt64>).map({ $0 &* spread }) { #expect(table[number] == dictionary[number]) }
  }

  @Test("a number table keeps the values that a filter selects, and increments only values that exist")
  func keepsAndIncrements() {
    var table = NumberTable<UInt32>()
    for number in 0..<100 as Range<UInt64> { table[number << 32] = UInt32(number) }
    table.keep { $0.isMultiple(of: 3) }
    #expect(table.count == 34)
    for number in 0..<100 as Range<UInt64> {
      #expect(table[number << 32] == (number.isMultiple(of: 3) ? UInt32(number) : nil))
    }
    #expect(table.increment(99 << 32) == 100 && table[99 << 32] == 100)
    #expect(table.increment(98 << 32) == nil && table[98 << 32] == nil && table.count == 34)
  }

  @Test("stores nil by removing, and takes any number")
  func nilAndAnyNumber() {
    var table = NumberTable<String>()
    #expect(table[.max] == nil && table.removeValue(forKey: 0) == nil)
    table[.max] = "last"
    table[0] = "first"
    #expect(table[.max] == "last" && table[0] == "first" && table.count == 2)
    table[.max] = nil
    table[7] = nil
    #expect(table[.max] == nil && table[0] == "first" && table.count == 1)
  }
}

import APNs
import TestSupport
import Testing
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The subscriptions of a channel")
struct SubscriberListTests {
  private static func entry(_ number: UInt64) -> SubscriberList.Entry {
    .init(number: number, subscriber: .init(device: DeviceID(UInt32(number)), app: 0, activity: 1))
  }

  @Test("A channel's list keeps its order while subscriptions are added and end", arguments: 0..<8 as Range<UInt64>)
  func model(_ seed: UInt64) {
    var dice = Dice(seed: seed)
    var (list, model, next) = (SubscriberList(), [UInt64](), UInt64(0))
    for _ in 0..<6_000 {
      if dice.below(100) < (next < 3_000 ? 80 : 30) {
        next += 1 + UInt64(dice.below(3))
        list.append(Self.entry(next))
        model.append(next)
      } else if !model.isEmpty {
        let number = dice.below(4) == 0 ? next + 1 : model[dice.below(model.count)]
        list.remove(number)
        model.removeAll { $0 == number }
      }
    }
    #expect(list.count == model.count && list.all.map(\.number) == model, "seed \(seed)")
    for _ in 0..<200 {
      let (start, end) = (UInt64(dice.below(Int(next) + 5)), UInt64(dice.below(Int(next) + 5)))
      let most = 1 + dice.below(700)
      let page = list.page(from: start, before: end, most: most).map(\.number)
      #expect(page == Array(model.filter { $0 >= start && $0 < end }.prefix(most)), "seed \(seed)")
    }
  }

  @Test("A channel's list with 100,000 subscriptions returns the right page after every second one has ended")
  func work() {
    var list = SubscriberList()
    for number in 0..<100_000 as Range<UInt64> { list.append(Self.entry(number)) }
    for number in stride(from: 0 as UInt64, to: 100_000, by: 2) { list.remove(number) }
    #expect(list.count == 50_000 && list.page(from: 50_000, before: .max, most: 1) == [Self.entry(50_001)])
  }

  @Test("A table of devices returns the value of each device, in order, and nil for a device without a value")
  func table() {
    var table = DeviceTable<String>()
    for device: UInt32 in [0, 255, 256, 99_999] { table[DeviceID(device)] = "\(device)" }
    #expect(table.all.map(\.value) == ["0", "255", "256", "99999"])
    #expect(table.all.map(\.device.number) == [0, 255, 256, 99_999])
    table[DeviceID(256)] = nil
    #expect(table[DeviceID(256)] == nil && table[DeviceID(255)] == "255" && table[DeviceID(7_000_000)] == nil)
  }
}

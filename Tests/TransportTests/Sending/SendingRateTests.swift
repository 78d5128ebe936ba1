import Testing
import Transport

@Suite("When the pushes of a rate are due")
struct SendingRateTests {
  private static func due(_ rate: SendingRate, _ number: UInt64) -> Double { rate.due(number) / 1e9 }

  @Test("a steady rate has equal distances, however long it lasts")
  func steady() {
    let rate = SendingRate(100).over(seconds: 1, count: 10)
    #expect(rate.text == "100" && SendingRate(0.5, to: 20).text == "0.5..20")
    #expect(!rate.isRamp && Self.due(rate, 0) == 0 && Self.due(rate, 1000) == 10)
  }

  @Test("a ramp sends half of its mean rate's pushes late, and reaches its last rate at the end")
  func ramp() {
    let rate = SendingRate(100, to: 300).over(seconds: 10, count: nil)
    // 100·t + 10·t²: the first second has 110 pushes, all ten have 2,000.
    #expect(Self.due(rate, 0) == 0)
    #expect(abs(Self.due(rate, 110) - 1) < 1e-9)
    #expect(abs(Self.due(rate, 750) - 5) < 1e-9)
    #expect(abs(Self.due(rate, 2000) - 10) < 1e-9)
    #expect(abs(Self.due(rate, 2300) - 11) < 1e-9, "afterwards the last rate goes on")
  }

  @Test("a ramp may fall, and may begin at 0")
  func ends() {
    let falling = SendingRate(300, to: 100).over(seconds: 10, count: nil)
    #expect(abs(Self.due(falling, 290) - 1) < 1e-9 && abs(Self.due(falling, 2000) - 10) < 1e-9)
    let rising = SendingRate(0, to: 200).over(seconds: 10, count: nil)
    #expect(Self.due(rising, 0) == 0 && abs(Self.due(rising, 10) - 1) < 1e-9)
    #expect(abs(Self.due(rising, 1000) - 10) < 1e-9)
  }

  @Test(
    "the times of a ramp never decrease",
    arguments: [(0.0, 0.001), (0, 1_000_000), (1_000_000, 0.001), (5, 5.001)])
  func order(ends: (Double, Double)) {
    let rate = SendingRate(ends.0, to: ends.1).over(seconds: 7, count: nil)
    var last = -1.0
    for number in stride(from: 0, to: 200_000, by: 997) as StrideTo<UInt64> {
      let due = rate.due(number)
      #expect(due.isFinite && due >= last)
      last = due
    }
  }

  @Test("the shorter of time and count is the length of a ramp")
  func length() {
    let rate = SendingRate(100, to: 300)
    #expect(rate.over(seconds: nil, count: 2000).seconds == 10)
    #expect(rate.over(seconds: 4, count: 2000).seconds == 4)
    #expect(rate.over(seconds: 60, count: 2000).seconds == 10)
  }

  @Test("two loops together keep a ramp")
  func loops() {
    let rate = SendingRate(10, to: 30).over(seconds: 10, count: nil)
    var all: [UInt64] = []
    for loop in 0..<2 {
      var supply = PushSupply(loop: loop, of: 2, count: nil, rate: rate)
      supply.begin(at: 0)
      while let push = supply.next(at: 1_000_000_000) { all.append(push.number) }
    }
    #expect(all.sorted() == Array(0...11))
  }
}

import Testing
import Transport

@Suite("Which push is sent next")
struct PushSupplyTests {
  private static let millisecond: Int64 = 1_000_000

  private static func numbers(_ supply: inout PushSupply, at now: Int64) -> [UInt64] {
    var numbers: [UInt64] = []
    while numbers.count < 1000, let push = supply.next(at: now) { numbers.append(push.number) }
    return numbers
  }

  @Test("several loops together send each number once", arguments: [1, 2, 3, 7])
  func sharing(loops: Int) {
    var all: [UInt64] = []
    for loop in 0..<loops {
      var supply = PushSupply(loop: loop, of: loops, count: 20, rate: nil)
      all += Self.numbers(&supply, at: 0)
      #expect(supply.isExhausted)
    }
    #expect(all.sorted() == Array(0..<20))
  }

  @Test("fewer pushes than loops leave some loops without any")
  func fewer() {
    var supply = PushSupply(loop: 2, of: 3, count: 2, rate: nil)
    #expect(supply.isExhausted && supply.next(at: 0) == nil)
  }

  @Test("a rate makes pushes due at equal distances, the first at once")
  func pace() {
    var supply = PushSupply(loop: 0, of: 1, count: nil, rate: SendingRate(1000))
    supply.begin(at: 5)
    #expect(Self.numbers(&supply, at: 5) == [0])
    #expect(Self.numbers(&supply, at: 5 + Self.millisecond - 1) == [])
    let second = supply.next(at: 5 + 3 * Self.millisecond)
    #expect(second?.number == 1 && second?.dueAt == 5 + Self.millisecond)
    #expect(Self.numbers(&supply, at: 5 + 3 * Self.millisecond) == [2, 3])
    #expect(!supply.isDue(at: 5 + 3 * Self.millisecond) && supply.isDue(at: 5 + 4 * Self.millisecond))
    #expect(supply.late == 0)
  }

  @Test("two loops together keep the rate")
  func pacedLoops() {
    let numbers = (0..<2).flatMap { loop in
      var supply = PushSupply(loop: loop, of: 2, count: nil, rate: SendingRate(100))
      supply.begin(at: 0)
      return Self.numbers(&supply, at: 1_000_000_000)
    }
    #expect(numbers.sorted() == Array(0...100))
  }

  @Test("a push that could not be sent for more than 50 ms counts as late")
  func late() {
    var supply = PushSupply(loop: 0, of: 1, count: nil, rate: SendingRate(10))
    supply.begin(at: 0)
    #expect(Self.numbers(&supply, at: 150 * Self.millisecond) == [0, 1])
    #expect(supply.late == 1)
  }

  @Test("a push that comes back is sent again, even after the last number")
  func returning() {
    var supply = PushSupply(loop: 0, of: 1, count: 2, rate: nil)
    #expect(Self.numbers(&supply, at: 1) == [0, 1] && supply.isExhausted)
    supply.giveBack(0)
    #expect(!supply.isExhausted)
    let again = supply.next(at: 9)
    #expect(again?.number == 0 && again?.dueAt == 9 && supply.isExhausted)
  }

  @Test("after the end nothing is due")
  func end() {
    var supply = PushSupply(loop: 0, of: 1, count: nil, rate: nil)
    supply.giveBack(4)
    supply.end()
    #expect(supply.isExhausted && supply.next(at: 0) == nil && !supply.isDue(at: 0))
  }
}

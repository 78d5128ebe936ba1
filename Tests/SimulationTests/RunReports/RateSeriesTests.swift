import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The curve of a report")
struct RateSeriesTests {
  private static func at(_ seconds: Int64) -> Instant { Instant(seconds: 1_772_366_401 + seconds) }

  @Test("pushes count in the second in which they came, by answer")
  func seconds() {
    var series = RateSeries()
    series.add(.accepted, fault: nil, at: Self.at(0))
    series.add(.accepted, fault: nil, at: Self.at(0).advanced(by: .milliseconds(999)))
    series.add(.throttled, fault: "storm", at: Self.at(2))
    #expect(series.width == 1 && series.slots.count == 3)
    #expect(series.slots.map { $0.count(.accepted) } == [2, 0, 0])
    #expect(series.slots.map { $0.count(.throttled) } == [0, 0, 1])
    #expect(series.peak == 2)
    #expect(series.strikes.map(\.fault) == ["storm"] && series.strikes[0].counts == [0, 0, 1])
  }

  @Test("a long run has wider slots, of which no more than 600 are kept, and loses no push")
  func wider() {
    var series = RateSeries()
    for second in 0..<5000 as Range<Int64> {
      series.add(.accepted, fault: second % 100 == 0 ? "rare" : nil, at: Self.at(second))
    }
    #expect(series.width == 16 && series.slots.count == 313)
    #expect(series.slots.reduce(0) { $0 + $1.pushes } == 5000)
    #expect(series.slots[7].pushes == 16)
    #expect(series.strikes[0].counts.reduce(0, +) == 50)
    series.add(.accepted, fault: nil, at: Self.at(40 * 365 * 86_400))
    #expect(series.slots.count <= RateSeries.most)
    #expect(series.slots.reduce(0) { $0 + $1.pushes } == 5001)
    #expect(series.peak == 1)
  }

  @Test("a clock that was set back adds to the first slot")
  func setBack() {
    var series = RateSeries()
    series.add(.accepted, fault: nil, at: Self.at(10))
    series.add(.failed, fault: nil, at: Self.at(0))
    #expect(series.slots.count == 1 && series.slots[0].pushes == 2)
  }

  @Test("faults beyond the first twelve share one name")
  func manyFaults() {
    var series = RateSeries()
    for number in 0..<100 { series.add(.failed, fault: "f\(number)", at: Self.at(0)) }
    #expect(series.strikes.count == 13)
    #expect(series.strikes.last?.fault == RateSeries.otherFaults)
    #expect(series.strikes.last?.counts == [88])
  }

  @Test("processor times count from the first push on")
  func samples() {
    var series = RateSeries()
    let sample = { (second: Int64) in
      RateSeries.Sample(at: Self.at(second), length: 1_000, processor: 250, machine: 900)
    }
    series.add(sample(0))
    series.add(.accepted, fault: nil, at: Self.at(1))
    series.add(sample(1))
    series.add(sample(2))
    #expect(series.slots.map(\.sampled) == [1000, 1000])
    #expect(series.slots.map(\.processor) == [250, 250])
    #expect(series.slots.map(\.machine) == [900, 900])
  }

  @Test("a sample that is longer than a second counts in each second in proportion")
  func spreading() {
    var series = RateSeries()
    series.add(.accepted, fault: nil, at: Self.at(0))
    let start = Self.at(0).advanced(by: .milliseconds(750))
    series.add(RateSeries.Sample(at: start, length: 2_000_000_000, processor: 1_000, machine: nil))
    #expect(series.slots.map(\.sampled) == [250_000_000, 1_000_000_000, 750_000_000])
    #expect(series.slots.map(\.processor) == [125, 500, 375])
    series.add(RateSeries.Sample(at: Self.at(-1), length: 2_000_000_000, processor: 100, machine: 10))
    #expect(series.slots[0].processor == 175 && series.slots[0].machine == 5)
  }

  @Test("a sample over a long time does not make more slots than are kept, and loses nothing")
  func longSample() {
    var series = RateSeries()
    series.add(.accepted, fault: nil, at: Self.at(0))
    series.add(RateSeries.Sample(at: Self.at(0), length: 5_000_000_000_000, processor: 999, machine: nil))
    #expect(series.slots.count <= RateSeries.most)
    #expect(series.slots.reduce(0) { $0 + $1.processor } == 999)
    #expect(series.slots.reduce(0) { $0 + $1.sampled } == 5_000_000_000_000)
  }
}

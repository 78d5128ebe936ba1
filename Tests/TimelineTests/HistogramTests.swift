import Testing
import Timeline

@Suite("Histograms")
struct HistogramTests {
  @Test("numbers below 256 are exact")
  func exact() {
    var histogram = Histogram()
    for number in 0..<256 as Range<UInt64> { histogram.add(number) }
    #expect(histogram.buckets.map(\.upTo) == Array(0..<256))
    #expect(histogram.number(at: 0.5) == 127)
    #expect(histogram.number(at: 1) == 255)
    #expect(histogram.number(at: 0) == 0)
    #expect(histogram.mean == 127.5)
  }

  @Test("a number is read back never too low and at most 1/128 too high, up to the largest of all")
  func errorBound() {
    var numbers: [UInt64] = [0, 1, 127, 128, 255, 256, 257, .max - 1, .max]
    for shift in 8..<64 as Range<UInt64> {
      let power: UInt64 = 1 << shift
      numbers += [power, power - 1, power + 1, power | 0x5A5A_5A5A_5A5A_5A5A & (power - 1)]
    }
    for number in numbers {
      var histogram = Histogram()
      histogram.add(number)
      let read = histogram.buckets.first?.upTo ?? 0
      #expect(read >= number, "\(number)")
      #expect(Double(read - number) <= Double(number) / 128, "\(number) is read as \(read)")
      // With only one number, the bucket is cut to what is known.
      #expect(histogram.number(at: 0.99) == number)
    }
  }

  @Test("percentiles of many numbers are those of the sorted list, to 1/128")
  func percentiles() {
    var histogram = Histogram()
    var state: UInt64 = 7
    let numbers = (0..<10_000).map { _ -> UInt64 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> (20 + state % 40)
    }
    for number in numbers { histogram.add(number) }
    let sorted = numbers.sorted()
    for share in [0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = sorted[max(1, Int((share * 10_000).rounded(.up))) - 1]
      let read = histogram.number(at: share) ?? 0
      #expect(read >= exact && Double(read - exact) <= Double(exact) / 128, "\(share): \(exact), read as \(read)")
    }
    #expect(histogram.count == 10_000)
    #expect(histogram.buckets.reduce(0) { $0 + $1.count } == 10_000)
  }

  @Test("without numbers there is nothing to read")
  func empty() {
    #expect(Histogram().number(at: 0.5) == nil)
    #expect(Histogram().isEmpty)
  }

  @Test("adding another histogram counts what both have counted")
  func adding() {
    let numbers: [UInt64] = [3, 1_000_000, 17, 900, 3]
    var (first, second, whole) = (Histogram(), Histogram(), Histogram())
    for number in numbers.prefix(1) { first.add(number) }
    for number in numbers.dropFirst() { second.add(number) }
    for number in numbers { whole.add(number) }
    first.add(second)
    first.add(Histogram())
    #expect(first == whole)
    #expect(first.least == 3 && first.greatest == 1_000_000 && first.count == 5)
  }
}

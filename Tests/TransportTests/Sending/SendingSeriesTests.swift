import Testing
import Timeline

@testable import Transport

@Suite("The answers of a load run over time")
struct SendingSeriesTests {
  private static let second: Int64 = 1_000_000_000

  /// A series with one answer at each of the times, in seconds from 100.
  private static func series(_ times: [Double], began: Double = 0, rejected: Bool = false) -> SendingSeries {
    var series = SendingSeries()
    series.begin(at: at(began))
    for time in times { series.count(1_000_000, isRejected: rejected, at: at(time)) }
    return series
  }

  private static func at(_ seconds: Double) -> Int64 { 100 * second + Int64(seconds * 1e9) }

  private static func counts(_ series: SendingSeries) -> [UInt64] { series.windows.map { $0.latency.count } }

  @Test("Answers count in the window in which they came")
  func windows() {
    var series = Self.series([0, 0.2, 0.25, 1])
    #expect(Self.counts(series) == [2, 1, 0, 0, 1])
    series.count(5, isRejected: true, at: Self.at(1.1))
    #expect(series.windows.map(\.rejected) == [0, 0, 0, 0, 1])
    #expect(series.latency.count == 5 && series.latency.least == 5)
    series.count(5, isRejected: false, at: Self.at(-3))
    #expect(series.windows[0].latency.count == 3, "a time before the beginning is the first window")
  }

  @Test("a long run has at most 64 windows, and loses no answer")
  func wider() {
    let series = Self.series((0..<5000).map { Double($0) / 10 })
    #expect(series.windows.count <= SendingSeries.most && series.width == 8 * Self.second)
    #expect(Self.counts(series).reduce(0, +) == 5000 && Self.counts(series)[3] == 80)
    let week = Self.series([0, 7 * 86_400])
    #expect(week.windows.count <= SendingSeries.most && Self.counts(week).reduce(0, +) == 2)
  }

  @Test("The loops of one run are added at the times at which they ran, whichever began first")
  func adding() {
    for isLaterFirst in [false, true] {
      var one = Self.series([0, 0.3, 40], began: 0)
      var two = Self.series([0.6, 0.9], began: 0.6, rejected: true)
      if isLaterFirst { swap(&one, &two) }
      one.add(two)
      #expect(one.began == Self.at(0) && one.width == Self.second)
      #expect(Self.counts(one).reduce(0, +) == 5 && Self.counts(one)[0] == 4 && Self.counts(one)[40] == 1)
      #expect(one.windows[0].rejected == 2)
    }
    var none = SendingSeries()
    none.add(Self.series([1]))
    #expect(Self.counts(none) == [0, 0, 0, 0, 1])
    none.add(SendingSeries())
    #expect(Self.counts(none) == [0, 0, 0, 0, 1])
  }

  @Test("The answers of loops that began far apart still fit")
  func farApart() {
    var one = Self.series([0])
    one.add(Self.series((0..<100).map { 10_000 + Double($0) }, began: 10_000))
    #expect(one.windows.count <= SendingSeries.most && Self.counts(one).reduce(0, +) == 101)
  }

  @Test("a chart gets as many windows as fit, with the same answers")
  func merging() {
    let series = Self.series((0..<60).map { Double($0) / 4 })
    let merged = series.merged(to: 32)
    #expect(series.windows.count == 60 && merged.windows.count == 30)
    #expect(Self.counts(merged).allSatisfy { $0 == 2 } && merged.latency == series.latency)
  }
}

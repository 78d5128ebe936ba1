import Testing
import Transport
import WireFormats

@testable import ClientCommands

@Suite("The chart and the windows of a load run")
struct LoadSeriesTests {
  /// Ten answers a second of 1 ms, and twenty from the fifth second on, of 100 ms.
  private static func series(seconds: Int) -> SendingSeries {
    var series = SendingSeries()
    series.begin(at: 0)
    for second in 0..<seconds {
      for push in 0..<(second < 5 ? 10 : 20) {
        let at = Int64(second) * 1_000_000_000 + Int64(push) * (second < 5 ? 100_000_000 : 50_000_000)
        series.count(second < 5 ? 1_000_000 : 100_000_000, isRejected: second == 7, at: at)
      }
    }
    return series
  }

  @Test("a window has its rate, percentiles and rejected pushes, and the last one only the time that it lasted")
  func windows() throws {
    let series = Self.series(seconds: 1)
    let json = LoadSeries(series, ended: 900_000_000).json
    #expect(json["windowSeconds"] == .double(0.25))
    let windows = try #require(json["windows"]?.elements)
    #expect(windows.map { $0["at"]?.number } == [0, 0.25, 0.5, 0.75])
    #expect(windows.map { $0["perSecond"]?.number?.rounded() } == [12, 8, 12, 13])
    #expect(windows[0]["p50"]?.number == 1 && windows[0]["p99"]?.number == 1 && windows[0]["rejected"] == 0)
  }

  @Test("a window without an answer has no percentiles")
  func gap() throws {
    var series = SendingSeries()
    series.begin(at: 0)
    series.count(1, isRejected: false, at: 300_000_000)
    let windows = try #require(LoadSeries(series, ended: 300_000_000).json["windows"]?.elements)
    #expect(windows[0]["perSecond"]?.number == 0 && windows[0]["p50"] == .null)
    #expect(windows[1]["perSecond"]?.number?.rounded() == 20)
  }

  @Test("the chart has a line for each number, as many columns as fit, and rejected pushes only if there are any")
  func chart() {
    let lines = LoadSeries.chart(Self.series(seconds: 10), ended: 10_000_000_000)
    #expect(lines[0] == "Over time, 0.50 s a column:")
    #expect(lines[1] == "      a second  ▄▄▄▄▄▄▄▄▄▄██████████  10 to 20")
    #expect(lines[3].hasPrefix("           p99  ▁▁▁▁▁▁▁▁▁▁██████████  1.0"))
    #expect(lines[4] == "      rejected                ██      0 to 10")
    #expect(lines.count == 5)
    #expect(LoadSeries.chart(Self.series(seconds: 4), ended: 4_000_000_000).count == 4)
    #expect(LoadSeries.chart(SendingSeries(), ended: 0).isEmpty)
  }
}

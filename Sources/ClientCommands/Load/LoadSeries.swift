import Timeline
import Transport
import WireFormats

/// The answers of a load run over time, for JSON and for a chart of one line per number.
struct LoadSeries: Sendable {
  private struct Point: Sendable {
    /// Seconds from the beginning of the run to that of the window.
    let at: Double
    let seconds: Double
    var window: SendingSeries.Window

    var perSecond: Double { Double(window.latency.count) / seconds }
  }

  private let width: Double
  private let points: [Point]
  /// The percentiles that are shown.
  private static let shares: [(name: String, share: Double)] = [("p50", 0.5), ("p99", 0.99)]
  private static let mostColumns = 32
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// - Parameter ended: when the last answer came, in the same nanoseconds as the series.
  init(_ series: SendingSeries, ended: Int64) {
    let width = Double(series.width) / 1e9
    let length = max(Double(ended - (series.began ?? ended)) / 1e9, 0)
    self.width = width
    points = series.windows.enumerated().map { place, window in
      let at = Double(place) * width
      // The last window is not over, and a few answers in its first milliseconds are no rate.
      return Point(at: at, seconds: min(width, max(length - at, width / 10)), window: window)
    }
  }

  var json: JSONValue {
    [
      "windowSeconds": .double(width),
      "windows": .array(
        points.map { point in
          .object(
            [.init("at", .double(point.at)), .init("perSecond", .double(point.perSecond))]
              + Self.shares.map { share in
                let number = point.window.latency.number(at: share.share)
                return .init(share.name, number.map { .double(Double($0 / 1000) / 1000) } ?? .null)
              } + [.init("rejected", .integer(Int64(clamping: point.window.rejected)))])
        }),
    ]
  }

  /// Empty if there are too few windows for a chart.
  static func chart(_ series: SendingSeries, ended: Int64) -> [String] {
    let chart = LoadSeries(series.merged(to: mostColumns), ended: ended)
    let points = chart.points
    guard points.count > 2 else { return [] }
    var rows = [row("a second", numbers: points.map(\.perSecond)) { LoadWords.grouped(Int64($0.rounded())) }]
    rows += shares.map { share in
      row(share.name, numbers: points.map { $0.window.latency.number(at: share.share).map { Double($0) } ?? 0 }) {
        LoadWords.milliseconds(UInt64($0))
      }
    }
    if points.contains(where: { $0.window.rejected > 0 }) {
      rows.append(row("rejected", numbers: points.map { Double($0.window.rejected) }) { LoadWords.grouped(Int64($0)) })
    }
    return ["Over time, \(LoadWords.decimal(chart.width, 2)) s a column:"] + rows
  }

  private static func row(_ name: String, numbers: [Double], words: (Double) -> String) -> String {
    let most = numbers.max() ?? 0
    let bars = numbers.map { number -> Character in
      number > 0 ? blocks[max(1, Int((number / most * Double(blocks.count)).rounded(.up))) - 1] : " "
    }
    let padding = String(repeating: " ", count: max(0, 12 - name.count))
    return "  \(padding)\(name)  \(String(bars))  \(words(numbers.min() ?? 0)) to \(words(most))"
  }
}

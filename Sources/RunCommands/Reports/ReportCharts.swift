import Foundation
import Scenarios
import Simulation
import Timeline

/// The curves of the report, as inline SVG.
enum ReportCharts {
  private static let width = 960.0
  private static let left = 56.0
  private static let right = 12.0

  private static func text(_ number: Double) -> String { NumberWords.decimal(number, 1).filter { $0 != "," } }

  /// The width of a column: the axis ends with the data.
  private static func step(_ count: Int) -> Double { (width - left - right) / Double(max(count, 1)) }

  // MARK: - Rates

  /// Pushes per second over time, by answer, with the faults that struck.
  static func rates(_ series: RateSeries) -> Markup {
    let slots = series.slots
    let highest = slots.map { Double($0.pushes) / Double(series.width) }.max() ?? 0
    let scale = Scale(upTo: highest)
    let (top, bottom) = (12.0, 212.0)
    let step = step(slots.count)
    func y(_ rate: Double) -> Double { bottom - (bottom - top) * rate / scale.end }
    var parts: [Markup] = bands(series, step: step, top: top, bottom: bottom)
    for tick in scale.ticks {
      parts.append(
        """
        <path class="grid" d="M\(text(left)) \(text(y(tick)))H\(text(width - right))"/>\
        <text x="\(text(left - 6))" y="\(text(y(tick) + 4))" text-anchor="end">\(NumberWords.rate(tick))</text>
        """)
    }
    var below = [Double](repeating: 0, count: slots.count)
    for answer in RateSeries.Answer.allCases {
      var path = ""
      for (index, slot) in slots.enumerated() where slot.count(answer) > 0 {
        let rate = Double(slot.count(answer)) / Double(series.width)
        let (from, to) = (y(below[index]), y(below[index] + rate))
        path += "M\(text(left + Double(index) * step)) \(text(from))V\(text(to))h\(text(max(step, 1)))V\(text(from))z"
        below[index] += rate
      }
      if !path.isEmpty { parts.append("<path style=\"fill:var(--\("\(answer)"))\" d=\"\(Markup(verbatim: path))\"/>") }
    }
    parts += times(series, step: step, bottom: bottom)
    let label = "Pushes a second over time, at most \(NumberWords.rate(highest)) in a slot of \(series.width) s"
    return """
      <div class="wide" tabindex="0"><svg viewBox="0 0 \(Int(width)) 236" role="img" aria-label="\(label)">\(parts)\
      </svg></div>\(legend(series))
      """
  }

  /// A band continues as long as the fault strikes, and over slots without any push.
  private static func bands(_ series: RateSeries, step: Double, top: Double, bottom: Double) -> [Markup] {
    series.strikes.flatMap { strikes -> [Markup] in
      var found: [ClosedRange<Int>] = []
      var goesOn = false
      for (index, slot) in series.slots.enumerated() where slot.pushes > 0 {
        let isStruck = index < strikes.counts.count && strikes.counts[index] > 0
        if isStruck, goesOn, let last = found.popLast() {
          found.append(last.lowerBound...index)
        } else if isStruck {
          found.append(index...index)
        }
        goesOn = isStruck
      }
      return found.map { band in
        let (x, size) = (left + Double(band.lowerBound) * step, Double(band.count) * step)
        return """
          <rect class="band" x="\(text(x))" y="\(text(top))" width="\(text(max(size, 2)))" \
          height="\(text(bottom - top))"><title>\(strikes.fault)</title></rect>
          """
      }
    }
  }

  private static func times(_ series: RateSeries, step: Double, bottom: Double) -> [Markup] {
    let most = Double(Int64(max(series.slots.count, 1)) * series.width)
    return Scale(upTo: most, seconds: true).ticks.filter { $0 <= most }.map { tick in
      let x = left + tick / Double(series.width) * step
      let anchor: Markup = tick == 0 ? "start" : x > width - right - 16 ? "end" : "middle"
      return """
        <text x="\(text(x))" y="\(text(bottom + 18))" text-anchor="\(anchor)">\
        \(DurationText.write(.seconds(Int64(tick))))</text>
        """
    }
  }

  private static func legend(_ series: RateSeries) -> Markup {
    let names: [RateSeries.Answer: String] = [
      .accepted: "200", .throttled: "429", .refused: "other 4xx", .failed: "5xx", .unanswered: "not answered",
    ]
    var parts: [Markup] = RateSeries.Answer.allCases.compactMap { answer in
      let total = series.slots.reduce(0) { $0 + $1.count(answer) }
      guard total > 0, let name = names[answer] else { return nil }
      return "<li><i style=\"background:var(--\("\(answer)"))\"></i>\(name)</li>"
    }
    for strikes in series.strikes {
      let total = strikes.counts.reduce(0, +)
      parts.append(
        """
        <li><i style="background:var(--band);opacity:.4"></i>fault <bdi>\(strikes.fault)</bdi>: \
        \(NumberWords.counted(total, "push", plural: "pushes"))</li>
        """)
    }
    return "<ul class=\"legend\">\(parts)</ul>"
  }

  /// The processors that Pushpit used, over the same time.
  static func processors(_ series: RateSeries, _ processors: RunReport.Processors) -> Markup {
    let slots = series.slots
    guard slots.contains(where: { $0.sampled > 0 }) else { return "" }
    let (top, bottom) = (8.0, 76.0)
    let step = step(slots.count)
    var path = ""
    for (index, slot) in slots.enumerated() where slot.sampled > 0 {
      let share = min(1, Double(slot.processor) / Double(slot.sampled) / Double(processors.ofPushpit))
      let x = left + Double(index) * step
      path +=
        "M\(text(x)) \(text(bottom))V\(text(bottom - (bottom - top) * share))h\(text(max(step, 1)))V\(text(bottom))z"
    }
    let ticks: [Markup] = [0.0, 0.5, 1.0].map { share in
      let y = bottom - (bottom - top) * share
      return """
        <path class="grid" d="M\(text(left)) \(text(y))H\(text(width - right))"/>\
        <text x="\(text(left - 6))" y="\(text(y + 4))" text-anchor="end">\(Int(share * 100)) %</text>
        """
    }
    let label = "Processors that Pushpit used, of \(processors.ofPushpit)"
    return """
      <div class="wide" tabindex="0"><svg viewBox="0 0 \(Int(width)) 84" role="img" aria-label="\(label)">\(ticks)\
      <path style="fill:var(--first);opacity:.6" d="\(Markup(verbatim: path))"/></svg></div>\
      <p class="note">Share of the \(processors.ofPushpit) processors that Pushpit can use at the same time.</p>
      """
  }

  // MARK: - Latencies

  /// The share of the pushes that had arrived after a time; times are on a logarithmic scale.
  static func latencies(_ curves: [(name: String, color: String, histogram: Histogram)]) -> Markup {
    let measured = curves.filter { !$0.histogram.isEmpty }
    let greatest = measured.compactMap(\.histogram.greatest).max() ?? 0
    guard greatest > 0 else { return "" }
    let (top, bottom) = (12.0, 192.0)
    let decades = Decades(upTo: greatest)
    func x(_ nanoseconds: UInt64) -> Double { left + (width - left - right) * decades.place(of: nanoseconds) }
    func y(_ share: Double) -> Double { bottom - (bottom - top) * share }
    var parts: [Markup] = [0.0, 0.25, 0.5, 0.75, 1.0].map { share in
      """
      <path class="grid" d="M\(text(left)) \(text(y(share)))H\(text(width - right))"/>\
      <text x="\(text(left - 6))" y="\(text(y(share) + 4))" text-anchor="end">\(Int(share * 100)) %</text>
      """
    }
    parts += decades.marks.map { mark in
      let anchor: Markup = x(mark) > width - right - 24 ? "end" : "middle"
      return """
        <path class="grid" d="M\(text(x(mark))) \(text(top))V\(text(bottom))"/>\
        <text x="\(text(x(mark)))" y="\(text(bottom + 18))" text-anchor="\(anchor)">\(NumberWords.time(mark))</text>
        """
    }
    for curve in measured {
      var path = "M\(text(left)) \(text(bottom))"
      var seen: UInt64 = 0
      for bucket in curve.histogram.buckets {
        seen += bucket.count
        let share = Double(seen) / Double(curve.histogram.count)
        path += "H\(text(x(min(bucket.upTo, greatest))))V\(text(y(share)))"
      }
      parts.append(
        """
        <path class="line" style="stroke:var(--\(curve.color))" d="\(Markup(verbatim: path))H\(text(width - right))"/>
        """)
    }
    let names: [Markup] = measured.map { curve in
      """
      <li><i style="background:var(--\(curve.color))"></i>\(curve.name): \
      \(NumberWords.counted(curve.histogram.count, "push", plural: "pushes"))</li>
      """
    }
    return """
      <div class="wide" tabindex="0"><svg viewBox="0 0 \(Int(width)) 216" role="img" \
      aria-label="Share of pushes by latency">\(parts)</svg></div>\
      <ul class="legend">\(names)</ul>
      """
  }
}

/// Marks of an axis at round numbers.
private struct Scale {
  let ticks: [Double]
  var end: Double { ticks.last ?? 1 }

  /// - Parameter seconds: whether the marks are round minutes, hours and days.
  init(upTo greatest: Double, seconds: Bool = false) {
    let greatest = max(greatest, 1)
    let wanted = greatest / (seconds ? 8 : 4)
    var step = 1.0
    if seconds {
      let round: [Double] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200]
      step = round.first { $0 >= wanted } ?? 86_400 * (wanted / 86_400).rounded(.up)
    } else {
      while step < wanted { step *= [2, 2.5, 2][Int(Self.place(step)) % 3] }
    }
    ticks = (0...Int((greatest / step).rounded(.up))).map { Double($0) * step }
  }

  /// Returns the number of factors of the series 1, 2, 5, 10 that make a step.
  private static func place(_ step: Double) -> Int {
    var (rest, place) = (step, 0)
    while rest >= 10 { (rest, place) = (rest / 10, place + 3) }
    return place + (rest >= 5 ? 2 : rest >= 2 ? 1 : 0)
  }
}

/// A logarithmic axis of times, which ends with the greatest. Zero stands at its beginning.
private struct Decades {
  /// From 10 µs to some 30 years.
  private static let all: [UInt64] = (4...18).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }
  /// Five decades are enough to see a curve.
  private static let most = 5
  /// Parts of the axis: a mark nearer to the end than that would overlap the mark there.
  private static let nearest = 0.06

  private let first: UInt64
  private let end: UInt64

  init(upTo greatest: UInt64) {
    let last = Self.all.lastIndex { $0 < greatest } ?? 0
    first = Self.all[max(0, last - Self.most + 1)]
    end = max(greatest, 10 * first)
  }

  /// The powers of ten, and the end.
  var marks: [UInt64] { Self.all.filter { $0 >= first && place(of: $0) < 1 - Self.nearest } + [end] }

  /// From 0 to 1.
  func place(of nanoseconds: UInt64) -> Double {
    guard nanoseconds > first else { return 0 }
    return min(1, log10(Double(nanoseconds) / Double(first)) / log10(Double(end) / Double(first)))
  }
}

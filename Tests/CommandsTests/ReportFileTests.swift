import Configuration
import ScenarioFiles
import Testing

@testable import RunCommands

@Suite("The report of a run")
struct ReportFileTests {
  private static let hostile = "</script><img src=x onerror=alert(1)>\"'&"

  private static func report(_ story: String, named name: String = "s") throws -> ReportFile {
    var runs = ScenarioRuns(.simulated)
    runs.countsNumbers = true
    _ = try runs.play(try ScenarioFile.parse(story, named: name))
    return try #require(runs.numbers)
  }

  private static let throttled = """
    settings: {fleet: {devices: 20, ideal: true}}
    faults:
      - {name: "</svg><script>alert(2)</script>", when: {every: 4}, then: {answer: TooManyRequests, retryAfter: 30}}
    steps:
      - {at: 1s, push: {headers: {apns-collapse-id: "</td><script>"}, payload: {aps: {alert: A}}}}
    expect:
      - {name: "<b>nobody</b>", pushes: {}, all: {status: 410}}

    """

  @Test("the texts of a client, a fault and a scenario stay text")
  func hostile() throws {
    let page = try Self.report(Self.throttled, named: "\(Self.hostile).yaml").html
    for start in ["<script", "<img", "<b>nobody", "</svg><s", "</td><s", "onerror=alert(1)>"] {
      #expect(!page.contains(start), "\(start) is markup")
    }
    #expect(page.contains("&lt;script&gt;alert(2)&lt;/script&gt;"))
    #expect(page.contains("collapse id &lt;/td&gt;&lt;script&gt;"))
    #expect(page.contains("&lt;b&gt;nobody&lt;/b&gt;"))
  }

  @Test("the page needs nothing from elsewhere, and has a plot, a verdict and the limit")
  func standsAlone() throws {
    let page = try Self.report(Self.throttled).html
    #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"))
    #expect(page.contains("default-src 'none'") && page.contains("<svg") && page.contains("prefers-color-scheme:dark"))
    #expect(page.contains("FAIL") && page.contains("The limit: none"))
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
  }

  @Test("details of a failed expectation have labels, and times are those of a clock")
  func forms() throws {
    let page = try Self.report(Self.throttled).html
    #expect(page.contains("<dl class=\"details\"><dt>wanted</dt><dd><span>"))
    #expect(page.contains("<h3>The largest</h3>") && page.contains("A, collapse id"))
    #expect(!page.contains("T00:") && !page.contains(".000Z"), "an instant is not written for people")
    #expect(page.split(separator: "class=\"tile\"").count - 1 <= 6)
  }

  @Test("an axis ends with the data")
  func axes() throws {
    let page = try Self.report(
      """
      settings: {fleet: {devices: 20, ideal: true}}
      steps: [{at: 1s, every: 1s, until: 3s, push: {payload: {aps: {alert: A}}}}]
      expect: [{pushes: {}, count: 1..}]

      """
    ).html
    let plot = try #require(page.firstMatch(of: /Pushes a second over time(.*?)<\/svg>/.dotMatchesNewlines()))
    let labels = plot.output.1.matches(of: />(\d+)s<\/text>/).map { String($0.output.1) }
    #expect(labels.last.flatMap { Int($0) } ?? 99 <= 4, "\(labels)")
  }

  @Test("JSON and summary have the numbers of the run")
  func numbers() throws {
    let report = try Self.report(Self.throttled)
    let throttled = #"{"status":429,"reason":"TooManyRequests","count":5}"#
    for part in [#""total":20"#, #""accepted":15"#, throttled, #""neverSentAgain":5"#] {
      #expect(report.json.contains(part), "\(part) is missing from \(report.json)")
    }
    #expect(report.summary.contains("15 200, 5 429 TooManyRequests"))
    #expect(report.summary.contains("FAIL, 0 of 1 expectations"))
    #expect(report.summary.split(separator: "\n").count <= 20)
  }

  @Test("a run without pushes is called empty in all forms")
  func empty() throws {
    let report = try Self.report("settings: {fleet: {devices: 1}}\nexpect: [{events: {}, count: 0..}]\n")
    #expect(report.html.contains("the report of an empty run") && !report.html.contains("<svg"))
    #expect(report.json.contains(#""empty":true"#))
    #expect(report.summary.contains("empty run"))
  }

  @Test(
    "markup escapes what is put into it, and cuts what is long",
    arguments: [
      ("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"), ("line\nbreak", "line break"), ("bell\u{7}", "bell\u{FFFD}"),
      ("\u{202E}turned", "\u{FFFD}turned"), ("漢字 🏏", "漢字 🏏"),
    ])
  func escapes(_ words: String, _ written: String) {
    let markup: Markup = "<td title=\"\(words)\">\(words)</td>"
    #expect(markup.text == "<td title=\"\(written)\">\(written)</td>")
    #expect(Markup.escaped(String(repeating: "x", count: 1000)).count == 1000)
    #expect(Markup.escaped(String(repeating: "x", count: 3000)).count == 2001)
  }

  @Test(
    "times are written with three digits",
    arguments: [
      (0, "0 s"), (999, "1.0 µs"), (250_000, "250 µs"), (1_234_567, "1.23 ms"), (45_600_000, "45.6 ms"),
      (999_400_000, "999 ms"), (999_600_000, "1.00 s"), (59_940_000_000, "59.9 s"), (61_000_000_000, "1 min 1 s"),
      (7_260_000_000_000, "2 h 1 min"), (180_000_000_000_000, "2 d 2 h"),
    ] as [(UInt64, String)])
  func times(_ nanoseconds: UInt64, _ words: String) {
    #expect(NumberWords.time(nanoseconds) == words)
  }

  @Test("numbers have commas, shares a digit")
  func counts() {
    #expect(NumberWords.count(1_234_567) == "1,234,567" && NumberWords.count(999) == "999")
    #expect(NumberWords.count(-1000) == "-1,000")
    #expect(NumberWords.share(1, of: 3) == "33.3 %" && NumberWords.share(3, of: 3) == "100 %")
    #expect(NumberWords.share(0, of: 0) == "–")
    #expect(NumberWords.decimal(0.05, 1) == "0.1" && NumberWords.decimal(1234.56, 2) == "1,234.56")
  }
}

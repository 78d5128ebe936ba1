import Grammar
import Testing
import Timeline

@testable import ClientCommands

@Suite("Thresholds of a load run")
struct LoadThresholdTests {
  /// A thousand answers within 1 to 1,000 ms, of which 15 are rejected, and 5 pushes without one.
  private static let run = {
    var latency = Histogram()
    for number in 1...1000 as ClosedRange<UInt64> { latency.add(number * 1_000_000) }
    return LoadThreshold.Figures(latency: latency, answered: 1000, rejected: 15, unanswered: 5, perSecond: 480)
  }()

  private static func breach(_ text: String) throws -> String? { try LoadThreshold(text).breach(run) }

  private static func problem(_ text: String) -> String? {
    do throws(InputProblem) {
      _ = try LoadThreshold(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    "a threshold that holds prints nothing",
    arguments: [
      "p50>510ms", "p90>0.91s", "p99>1s", "p99.9>1.1s", "max>1s", "rejected>1.5%", "rejected>15", "unanswered>5",
      "unanswered>0.5%", "rate<480", " p99 > 1s ",
    ])
  func held(text: String) throws { #expect(try Self.breach(text) == nil) }

  @Test("a broken threshold prints what was wanted and what was found")
  func broken() throws {
    #expect(try Self.breach("max>999.5ms") == "max>999.5ms: wanted at most 1,000 ms, found 1,000 ms")
    #expect(try Self.breach("p50 > 50ms")?.hasPrefix("p50>50ms: wanted at most 50.0 ms, found 50") == true)
    #expect(try Self.breach("rejected>1%") == "rejected>1%: wanted at most 1.0 %, found 15 of 1,000, 1.5 %")
    #expect(try Self.breach("rejected>0") == "rejected>0: wanted at most 0, found 15 of 1,000, 1.5 %")
    #expect(try Self.breach("unanswered>4") == "unanswered>4: wanted at most 4, found 5 of 1,005, 0.5 %")
    #expect(try Self.breach("rate<481") == "rate<481: wanted at least 481 a second, found 480 a second")
  }

  @Test("without an answer, every limit of latency is broken, and no share")
  func nothing() throws {
    let none = LoadThreshold.Figures()
    #expect(try LoadThreshold("p50>1s").breach(none) == "p50>1s: wanted at most 1,000 ms, found no answer")
    #expect(try LoadThreshold("rejected>0%").breach(none) == nil)
  }

  @Test("an invalid threshold is rejected with the valid forms")
  func invalid() throws {
    for text in [
      "", "p99", ">", "p99>", "p99>50", "p99>-5ms", "p99>fast", "p99<50ms", "p99>=50ms", "p99>200y", "p98>5ms",
      "rejected>1.5", "rejected>101%", "rejected<1%", "rejected>", "unanswered>-1", "rate>5", "rate<0", "rate<nan",
      "rate<inf", "latency>5ms",
    ] {
      let sentence = try #require(Self.problem(text), "\(text)")
      #expect(sentence.hasPrefix("--fail-if \"\(text)\"") && sentence.contains("'p99>50ms'"), "\(sentence)")
      #expect(sentence.hasSuffix("."))
    }
  }

  @Test("a number of another name is refused with the nearest, or with all of them")
  func names() throws {
    #expect(try #require(Self.problem("p95>5ms")).contains("no number \"p95\"; did you mean p9"))
    #expect(try #require(Self.problem("rejectd>1%")).contains("did you mean rejected?"))
    #expect(try #require(Self.problem("errors>1%")).contains("they are p50, p90, p99, p99.9, max, rejected,"))
  }
}

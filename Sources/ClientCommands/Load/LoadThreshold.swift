import Grammar
import Timeline

/// A limit for a number of a load run, such as `p99>50ms`. The run fails if the condition is true.
package struct LoadThreshold: Hashable, Sendable {
  private enum Limit: Hashable, Sendable {
    /// Nanoseconds that a share of the latencies must not exceed.
    case latency(share: Double, nanoseconds: UInt64)
    case rejected(Most)
    case unanswered(Most)
    /// Pushes a second that must be answered.
    case rate(Double)
  }

  /// The largest number of pushes that is allowed.
  private enum Most: Hashable, Sendable {
    case count(UInt64)
    case share(Double)
  }

  /// The numbers of a run that thresholds are about.
  struct Figures: Sendable {
    var latency = Histogram()
    var answered: UInt64 = 0
    var rejected: UInt64 = 0
    var unanswered: UInt64 = 0
    var perSecond = 0.0
  }

  /// As given, without spaces.
  package let text: String
  private let limit: Limit

  /// The percentiles of latency that a run reports.
  package static let percentiles: [(name: String, share: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
  ]
  private static let names = percentiles.map(\.name) + ["rejected", "unanswered", "rate"]
  private static let examples = "'p99>50ms', 'rejected>1%', 'unanswered>0' or 'rate<4900'"

  /// - Parameter given: the value of --fail-if.
  package init(_ given: String) throws(InputProblem) {
    let text = given.filter { !$0.isWhitespace }
    guard let place = text.firstIndex(where: { "<>".contains($0) }) else {
      throw Self.problem(given, "has no > or <: it needs quotes, and the forms")
    }
    let name = String(text[..<place])
    let value = String(text[text.index(after: place)...])
    guard Self.names.contains(name) else {
      let near = Wording.suggestion(for: name, among: Self.names)
      throw InputProblem(
        "--fail-if \(Wording.quoted(given)): there is no number \(Wording.quoted(name))"
          + (near == "." ? "; they are \(Wording.list(Self.names))." : near) + " Valid are \(Self.examples).")
    }
    let sign: Character = name == "rate" ? "<" : ">"
    guard text[place] == sign else {
      throw Self.problem(given, "compares \(name) with \(text[place]) instead of \(sign); the forms")
    }
    guard let limit = Self.limit(name, value) else {
      let wanted =
        switch name {
        case "rejected", "unanswered": "a share such as 1%, or a number of pushes such as 0"
        case "rate": "a number of pushes a second such as 4900"
        default: "a time with its unit such as 50ms"
        }
      throw Self.problem(given, "needs \(wanted) after \(sign); the forms")
    }
    (self.text, self.limit) = (text, limit)
  }

  private static func problem(_ given: String, _ what: String) -> InputProblem {
    InputProblem("--fail-if \(Wording.quoted(given)) \(what) are \(examples).")
  }

  private static func limit(_ name: String, _ value: String) -> Limit? {
    switch name {
    case "rejected": return most(value).map { .rejected($0) }
    case "unanswered": return most(value).map { .unanswered($0) }
    case "rate":
      guard let rate = Double(value), rate > 0, rate <= 1_000_000 else { return nil }
      return .rate(rate)
    default:
      // 50 would be 50 seconds, which nobody means.
      guard let share = percentiles.first(where: { $0.name == name })?.share, value.last?.isLetter == true,
        let time = DurationText.parse(value)
      else { return nil }
      return .latency(share: share, nanoseconds: UInt64(time.wholeNanoseconds))
    }
  }

  private static func most(_ value: String) -> Most? {
    guard value.hasSuffix("%") else { return UInt64(value).map { .count($0) } }
    guard let (part, all) = Percent.parse(value), part <= all else { return nil }
    return .share(Double(part) / Double(all))
  }

  /// True for a limit of pushes without an answer, which otherwise all fail a run.
  var isAboutUnanswered: Bool { if case .unanswered = limit { true } else { false } }

  /// The sentence about a broken threshold; nil if it holds.
  func breach(_ run: Figures) -> String? {
    switch limit {
    case .latency(let share, let most):
      guard let found = run.latency.number(at: share) else { return sentence("no answer") }
      return found > most ? sentence(LoadWords.milliseconds(found)) : nil
    case .rejected(let most): return breach(most, run.rejected, of: run.answered)
    case .unanswered(let most): return breach(most, run.unanswered, of: run.answered + run.unanswered)
    case .rate(let least): return run.perSecond < least ? sentence(LoadWords.rate(run.perSecond)) : nil
    }
  }

  private func breach(_ most: Most, _ count: UInt64, of all: UInt64) -> String? {
    let isBroken =
      switch most {
      case .count(let most): count > most
      case .share(let most): Double(count) > most * Double(all)
      }
    guard isBroken else { return nil }
    let share = LoadWords.percent(Double(count) / Double(max(1, all)))
    return sentence("\(LoadWords.grouped(count)) of \(LoadWords.grouped(all)), \(share)")
  }

  private func sentence(_ found: String) -> String { "\(text): wanted \(wanted), found \(found)" }

  private var wanted: String {
    switch limit {
    case .latency(_, let most): "at most \(LoadWords.milliseconds(most))"
    case .rejected(.count(let most)), .unanswered(.count(let most)): "at most \(LoadWords.grouped(most))"
    case .rejected(.share(let most)), .unanswered(.share(let most)): "at most \(LoadWords.percent(most))"
    case .rate(let least): "at least \(LoadWords.rate(least))"
    }
  }
}

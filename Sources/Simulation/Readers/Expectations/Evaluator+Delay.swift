import APNs
import Devices
import Timeline

/// Evaluates delays.
extension Evaluator {
  func evaluate(_ tally: DelayTally) -> ExpectationSearch.Step {
    let question = tally.question
    let range = question.range.words
    let which = "from \(words(question.from)) to \(words(question.to))"
    // Open intervals within the limit are not counted; the last gap is always open.
    let overdue =
      question.isGap
      ? nil : tally.oldest.flatMap { $0.at.duration(to: now) > question.range.upperBound ? $0 : nil }
    var figures = Figures(meant: tally.pairs, met: tally.met)
    if overdue != nil { figures.overdue = 1 }
    let requirement = Requirement(
      kind: question.isSometimes ? .someDelays : .delays, range: question.count,
      nothing: "no interval began and ended, so nothing was tested")
    var verdict = verdict(requirement, figures)
    verdict.wanted = "\(question.isSometimes ? "at least one" : "every") delay of \(range) \(which)"
    if let count = question.count { verdict.wanted += ", and \(count.words) of them" }
    guard !verdict.passed else { return .done(verdict) }
    if let overdue, !question.isSometimes {
      verdict.nearest =
        "\(overdue.device.text): it began at \(time(overdue.at)), and after"
        + " \(DurationText.write(overdue.at.duration(to: now))) it had not ended"
    } else if let slowest = tally.slowest, let fastest = tally.fastest {
      let isSlow = slowest.delay > question.range.upperBound
      verdict.nearest =
        isSlow && !question.isSometimes
        ? "the slowest is \(words(slowest))" : "the slowest is \(words(slowest)), the fastest \(words(fastest))"
    } else if let oldest = tally.oldest {
      verdict.nearest = "\(oldest.device.text): it began at \(time(oldest.at)) and had not ended by then"
    } else {
      verdict.nearest = "no such interval had begun by then"
    }
    let device = overdue?.device ?? tally.slowest?.device ?? tally.oldest?.device
    return listing(device, in: verdict, tellsFate: false)
  }

  private func time(_ at: Instant) -> String { DurationText.write(began.duration(to: at)) }

  private func words(_ pair: DelayTally.Pair) -> String {
    "\(DurationText.write(pair.delay)) on \(pair.device.text), from \(time(pair.from)) to \(time(pair.to))"
  }

  private func words(_ mark: DelayQuestion.Mark) -> String {
    Self.words("\(mark.kind)", mark.filter.words(mark.kind))
  }

  private static func words(_ name: String, _ detail: String) -> String {
    detail.isEmpty ? name : "\(name) (\(detail))"
  }
}

extension ClosedRange<Duration> {
  /// In the notation of scenarios.
  package var words: String {
    let low = DurationText.exact(lowerBound)
    return upperBound == .longestDelay ? "\(low).." : "\(low)..\(DurationText.exact(upperBound))"
  }
}

extension Duration {
  /// Stands for a delay without an upper bound: a hundred years.
  package static let longestDelay = Duration.seconds(36525 * 86400)
}

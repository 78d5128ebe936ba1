import APNs
import Devices
import Timeline

/// Evaluates delays.
extension Evaluator {
  func evaluate(_ tally: DelayTally) -> Scenario.Verdict {
    let question = tally.question
    let range = question.range.words
    let which = "from \(words(question.from)) to \(words(question.to))"
    // Open intervals within the limit are not counted; the last gap is always open.
    let overdue =
      question.isGap
      ? nil : tally.oldest.flatMap { $0.at.duration(to: now) > question.range.upperBound ? $0 : nil }
    let isCounted = question.count?.contains(tally.met) ?? true
    var verdict: Scenario.Verdict
    if question.isSometimes {
      verdict = self.verdict(tally.met > 0 && isCounted)
      verdict.isSometimes = true
      verdict.wanted = "at least one delay of \(range) \(which)"
      verdict.found = tally.met == 0 ? "none of \(tally.pairs)" : "\(tally.met) of \(tally.pairs)"
    } else {
      verdict = self.verdict(tally.pairs > 0 && tally.met == tally.pairs && overdue == nil && isCounted)
      verdict.wanted = "every delay of \(range) \(which)"
      verdict.found =
        tally.pairs == 0
        ? "no interval began and ended, so nothing was tested" : "\(tally.met) of \(tally.pairs)"
      if overdue != nil { verdict.found += "; and one interval has not ended" }
    }
    if let count = question.count { verdict.wanted += ", and \(count.words) of them" }
    guard !verdict.passed else { return verdict }
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
    if let device {
      var filter = Filter()
      filter.devices = [device]
      let last = pushLog.list(filter, before: nil, limit: FailureSample<ObservedPush>.most).pushes.reversed()
      verdict.pushes = last.map { words(ObservedPush($0, step: nil, name: nil)) }
    }
    return verdict
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
    let low = DurationText.write(lowerBound)
    return upperBound == .longestDelay ? "\(low).." : "\(low)..\(DurationText.write(upperBound))"
  }
}

extension Duration {
  /// Stands for a delay without an upper bound: a hundred years.
  package static let longestDelay = Duration.seconds(36525 * 86400)
}

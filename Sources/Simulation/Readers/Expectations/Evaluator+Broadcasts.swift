import APNs
import Devices
import Timeline

/// Evaluates expectations about broadcasts.
extension Evaluator {
  func evaluate(_ question: BroadcastQuestion, _ tally: BroadcastTally) -> Verdict {
    let noun =
      question.isAboutArrivals
      ? ("arrival of a broadcast", "arrivals of broadcasts")
      : question.filter.operation == .publish ? ("broadcast", "broadcasts") : ("request", "requests about channels")
    var filter = question.filter
    if filter.operation == .publish { filter.operation = nil }
    let words = filter.words(.broadcast)
    let filtered = words.isEmpty ? "" : " (\(words))"
    let which = noun.1 + filtered
    let condition = question.claim.condition.words(.broadcast)
    var figures = tally.figures
    figures.isSeen = tally.isSeen
    var verdict = verdict(Requirement(question.claim, noun.0), figures)
    verdict.wanted =
      switch question.claim {
      case .count(let range): range.counting(noun.0, noun.1) + filtered
      case .all: "all \(which) to have \(condition)"
      case .none: "none of the \(which) to have \(condition)"
      case .sometimes: "at least one of the \(which)\(condition.isEmpty ? "" : " to have " + condition)"
      }
    guard !verdict.passed else { return verdict }
    verdict.pushes = tally.blamed.lines(describe)
    if case .none = question.claim { return verdict }
    if let nearest = tally.nearest {
      verdict.nearest = "\(describe(nearest.seen)); \(nearest.differences.joined(separator: ", "))"
    }
    return verdict
  }

  private func describe(_ seen: ObservedBroadcast) -> String {
    let channel = (seen.name ?? seen.channel?.text).map { " of channel \($0)" } ?? ""
    let at = DurationText.write(began.duration(to: seen.at))
    if let device = seen.device, let fate = seen.fate {
      let causes = fate.causes.isEmpty ? "" : " (\(fate.causes.joined(separator: ", ")))"
      return "broadcast \(seen.number)\(channel) at \(at), on \(device.text): \(fate.words)"
        + (fate.outcome.map { ", \($0)" } ?? "") + causes
    }
    let what = seen.operation == .publish ? "broadcast" : seen.operation?.rawValue ?? "request"
    return "\(what) \(seen.number)\(channel) at \(at): \(seen.status)"
      + (seen.reason.map { " \($0.rawValue)" } ?? "")
  }
}

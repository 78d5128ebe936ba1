import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// Reads expectations about delays, and about phones and backends converging.
extension ExpectationReader {
  static let delayKeys = ["from", "to"]
  static let markKeys = ["pushes", "calls", "events"]

  func delay(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    try refuseWindow(fields, "a delay")
    guard let node = fields["delay"] else { throw fields.problem(nil, "delay needs from and to.") }
    let ends = try Fields(node, "delay", known: Self.delayKeys)
    let from = try mark(ends, "from")
    let to = try mark(ends, "to")
    let claim = try claim(fields, takes: ["all", "sometimes"], beside: ["count"])
    let count = try fields.count("count")
    guard let text = try fields.spelling(claim), text.contains(".."),
      let range = Values.durations(text, longest: .longestDelay)
    else {
      throw fields.problem(
        claim, "\(claim) must be a range of durations, such as 0s..10s or 1m.. for a minute or longer.")
    }
    let question = DelayQuestion(
      from: from.mark, to: to.mark, range: range, isSometimes: claim == "sometimes", count: count)
    let counted = fields.has("count") ? ", count\(summary(fields, "count"))" : ""
    return (.delay(question), "\(claim) \(range.words) from \(from.words) to \(to.words)\(counted)")
  }

  private func mark(
    _ fields: Fields, _ key: String
  ) throws(InputProblem) -> (mark: DelayQuestion.Mark, words: String) {
    guard let node = fields[key] else {
      throw fields.problem(nil, "delay needs \(key): one of \(Wording.list(Self.markKeys, "or")).")
    }
    let inner = try Fields(node, key, known: Self.markKeys)
    let subjects = inner.those(of: Self.markKeys)
    guard let subject = subjects.first, subjects.count == 1 else {
      throw fields.problem(key, "\(key) must be one of \(Wording.list(Self.markKeys, "or")).")
    }
    let words = subject + summary(inner, subject)
    switch subject {
    case "pushes":
      try checkPushing(inner, subject)
      return (.pushes(try filter(inner, subject)), words)
    case "calls":
      try checkReporting(inner, subject)
      return (.reports(try callFilter(inner, subject)), words)
    default: return (.events(try eventFilter(inner)), words)
    }
  }

  func converged(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    try refuseWindow(fields, "what has converged")
    guard isPushing else {
      throw fields.problem("converged", "this can never be evaluated: nothing in this scenario sends pushes.")
    }
    for key in fields.those(of: Self.claims + ["show", "on"]) {
      throw InputProblem(
        fields.placeOfKey(key), "converged always applies to all selected devices; leave \(key) out.")
    }
    var selection = Selection()
    var app: Int?
    if let node = fields["converged"], !node.isNull {
      let inner = try Fields(node, "converged", known: SelectionReader.members)
      selection = try scenarioNames.selection(inner, SelectionReader.members)
      app = try scenarioNames.app(inner)
    }
    return (.converged(selection, app: app), "phones and backends have converged\(summary(fields, "converged"))")
  }

  private func refuseWindow(_ fields: Fields, _ what: String) throws(InputProblem) {
    guard fields.has("within") else { return }
    throw fields.problem(
      "within", "\(what) is evaluated at a time, over everything before; use at, or leave within out.")
  }
}

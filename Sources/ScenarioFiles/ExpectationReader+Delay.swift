import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Reads how long things may take, and what phones and backends must agree on.
extension ExpectationReader {
  static let delayKeys = ["from", "to"]
  static let markKeys = ["pushes", "reports", "events"]

  func delay(_ fields: Fields) throws(InputProblem) -> (Scenario.Question, String) {
    try refuseWindow(fields, "a delay")
    guard let node = fields["delay"] else { throw fields.problem(nil, "delay says from what to what.") }
    let ends = try Fields(node, "delay", known: Self.delayKeys)
    let from = try mark(ends, "from")
    let to = try mark(ends, "to")
    let claim = try claim(fields, takes: ["all", "sometimes"])
    guard let text = try fields.spelling(claim), text.contains(".."),
      let range = Values.durations(text, longest: .longestDelay)
    else {
      throw fields.problem(claim, "\(claim) is a range of durations, such as 0s..10s or 1m.. for a minute or longer.")
    }
    let question = DelayQuestion(from: from.mark, to: to.mark, range: range, isSometimes: claim == "sometimes")
    return (.delay(question), "\(claim) \(range.words) from \(from.words) to \(to.words)")
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
      throw fields.problem(key, "\(key) is one of \(Wording.list(Self.markKeys, "or")).")
    }
    let words = subject + summary(inner, subject)
    switch subject {
    case "pushes":
      try checkPushing(inner, subject)
      return (.pushes(try filter(inner, subject)), words)
    case "reports":
      try checkReporting(inner, subject)
      return (.reports(try reportFilter(inner, subject)), words)
    default: return (.events(try eventFilter(inner)), words)
    }
  }

  func converged(_ fields: Fields) throws(InputProblem) -> (Scenario.Question, String) {
    try refuseWindow(fields, "what has converged")
    guard isPushing else {
      throw fields.problem("converged", "this can never be judged: nobody in this scenario pushes anything.")
    }
    for key in fields.those(of: Self.claims + ["show", "on"]) {
      throw InputProblem(
        fields.placeOfKey(key), "converged is true of all devices it means or it is not; leave \(key) out.")
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
    throw fields.problem("within", "\(what) is judged at a time, by all that was before it; say at, or nothing.")
  }
}

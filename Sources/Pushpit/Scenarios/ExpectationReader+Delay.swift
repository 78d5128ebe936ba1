import Devices
import Simulation
import Timeline
import WireFormats
import Yams

/// Reads how long things may take, and what phones and backends must agree on.
extension ExpectationReader {
  static let delayKeys = ["from", "to"]
  static let markKeys = ["pushes", "reports", "events"]

  func delay(_ fields: ScenarioFields) throws(ConfigurationProblem) -> (Scenario.Question, String) {
    try refuseWindow(fields, "a delay")
    guard let node = fields["delay"] else { throw fields.problem(nil, "delay says from what to what.") }
    let ends = try ScenarioFields(node, "delay", file, known: Self.delayKeys)
    let from = try mark(ends, "from")
    let to = try mark(ends, "to")
    let claim = try claim(fields, takes: ["all", "sometimes"])
    guard let text = try fields.text(claim), let range = Self.delays(text) else {
      throw fields.problem(claim, "\(claim) is a range of durations, such as 0s..10s or 1m.. for a minute or longer.")
    }
    let question = DelayQuestion(from: from.mark, to: to.mark, range: range, isSometimes: claim == "sometimes")
    return (.delay(question), "\(claim) \(range.words) from \(from.words) to \(to.words)")
  }

  private func mark(
    _ fields: ScenarioFields, _ key: String
  ) throws(ConfigurationProblem) -> (mark: DelayQuestion.Mark, words: String) {
    guard let node = fields[key] else {
      throw fields.problem(nil, "delay needs \(key): one of \(ScenarioFields.list(Self.markKeys, "or")).")
    }
    let inner = try ScenarioFields(node, key, file, known: Self.markKeys)
    let subjects = inner.those(of: Self.markKeys)
    guard let subject = subjects.first, subjects.count == 1 else {
      throw fields.problem(key, "\(key) is one of \(ScenarioFields.list(Self.markKeys, "or")).")
    }
    let words = subject + said(inner, subject)
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

  private static func delays(_ text: String) -> ClosedRange<Duration>? {
    guard let dots = text.firstRange(of: ".."), let low = DurationText.parse(String(text[..<dots.lowerBound])) else {
      return nil
    }
    let rest = String(text[dots.upperBound...])
    if rest.isEmpty { return low ... .longestDelay }
    guard let high = DurationText.parse(rest), low <= high else { return nil }
    return low...high
  }

  func converged(_ fields: ScenarioFields) throws(ConfigurationProblem) -> (Scenario.Question, String) {
    try refuseWindow(fields, "what has converged")
    guard isPushing else {
      throw fields.problem("converged", "this can never be judged: nobody in this scenario pushes anything.")
    }
    for key in fields.those(of: Self.claims + ["show", "on"]) {
      throw ConfigurationProblem(
        fields.placeOfKey(key), "converged is true of all devices it means or it is not; leave \(key) out.")
    }
    var selection = Selection()
    var app: Int?
    if let node = fields["converged"], node.null == nil {
      let inner = try ScenarioFields(node, "converged", file, known: Self.screenKeys)
      selection = try cast.selection(inner, Self.screenKeys)
      app = try cast.app(inner)
    }
    return (.converged(selection, app: app), "phones and backends have converged\(said(fields, "converged"))")
  }

  private func refuseWindow(_ fields: ScenarioFields, _ what: String) throws(ConfigurationProblem) {
    guard fields.has("within") else { return }
    throw fields.problem("within", "\(what) is judged at a time, by all that was before it; say at, or nothing.")
  }
}

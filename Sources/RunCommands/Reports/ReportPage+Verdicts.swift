import Simulation

extension ReportPage {
  /// The details of a failed expectation, as lines with labels.
  static func details(_ verdict: Verdict) -> Markup {
    guard !verdict.passed else { return "" }
    let lists: [(String, [String])] = [
      ("wanted", [verdict.wanted]), ("found", [verdict.found]), ("nearest", verdict.nearest.map { [$0] } ?? []),
      ("pushes", verdict.pushes), ("calls", verdict.calls), ("findings", verdict.findings),
    ]
    let rows: [Markup] = lists.filter { !$0.1.isEmpty }.map { name, lines in
      let items: [Markup] = lines.map { "<span>\($0)</span>" }
      return "<dt>\(name)</dt><dd>\(items)</dd>"
    }
    return "<dl class=\"details\">\(rows)</dl>"
  }
}

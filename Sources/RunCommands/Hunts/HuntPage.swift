import Hunting
import ScenarioFiles
import Scenarios
import Timeline

/// The report of a hunt as one HTML file: no script, nothing from a network.
struct HuntPage {
  let report: HuntReport
  let folder: String?
  private var hunt: Hunt { report.hunt }

  var text: String {
    let mark: Markup =
      report.passes ? "<span class=\"mark good\">PASS</span> " : "<span class=\"mark bad\">FAIL</span> "
    let title = "a hunt with \(report.story.file.scenario.name)"
    let finds: [Markup] = hunt.finds.map(find)
    return ReportStyle.page(
      title,
      """
      <h1>\(mark)\(title)</h1>
      \(refusal)\(facts)\(plain)\(finds)\(unexamined)\(unsteady)\(modes)\(kinds)\
      <footer><p>What a hunt judges, and how to read a find: docs/hunting.md of Pushpit.</p></footer>

      """
    ).text
  }

  private var refusal: Markup {
    let sentences = [report.refusal ?? (report.isInterrupted ? HuntReport.interrupted : nil)].compactMap(\.self)
    return Markup(sentences.map { "<section class=\"warning\" role=\"note\"><p>\($0)</p></section>\n" })
  }

  private var facts: Markup {
    let tally = hunt.tally
    let reached = tally.kinds.count { $0.reach.struck > 0 }
    let unplayed = [tally.unplayedWords].compactMap(\.self).map { ("Not played", $0) }
    let values = [
      ("Story", report.story.file.scenario.file), ("Seed", "\(hunt.options.seed)"),
      ("Variants", "\(tally.played), \(tally.withoutNews) of them without news"), ("Time", report.time),
      ("Kinds of failure", "\(reached) of \(tally.kinds.count) reached the backend"),
      ("Found", "\(hunt.finds.count)"),
    ]
    let rows: [Markup] = (values + unplayed).map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }
    return "<section><h2>What was played</h2><dl>\(rows)</dl></section>\n"
  }

  private var plain: Markup {
    let failures: [Markup] = hunt.plainFailures.map { "<p>\($0.sentence)</p>" }
    return failures.isEmpty ? "" : "<section><h2>Found 0: without any trouble</h2>\(failures)</section>\n"
  }

  private func find(_ find: HuntFind) -> Markup {
    func lines(_ all: [String]) -> Markup { Markup(all.map { "<span>\($0)</span>" }) }
    let words = report.words(of: find, in: folder)
    let story: Markup = find.timeline.isEmpty ? "" : "<dt>A phone</dt><dd>\(lines(find.timeline))</dd>"
    return """
      <section><h2>\(find.number)  \(find.group.title)</h2>
      <p>\(find.sentence)</p>
      <dl class="details"><dt>With</dt><dd>\(lines(words.trouble))</dd>\(story)\
      <dt>Again</dt><dd>\(lines([words.command]))</dd></dl>
      <p class="note">\(words.counts)\(words.mode)</p></section>

      """
  }

  private var unexamined: Markup { list(hunt.unexamined, "Not examined, \(HuntReport.unexamined)") }

  private var unsteady: Markup { list(hunt.tally.unsteady, "Unsteady: \(HuntReport.unsteady)") }

  private func list(_ groups: [HuntFailure.Group], _ title: String) -> Markup {
    let rows: [Markup] = groups.map { "<li>\($0.title)</li>" }
    guard !rows.isEmpty else { return "" }
    return "<section><h2>\(title)</h2><ul class=\"plain\">\(rows)</ul></section>\n"
  }

  private var modes: Markup {
    let rows: [Markup] = report.modes.map { end, titles in
      "<dt>\(end.rawValue)</dt><dd>\(titles.joined(separator: "; "))</dd>"
    }
    return rows.isEmpty ? "" : "<section><h2>Known failure modes</h2><dl>\(rows)</dl></section>\n"
  }

  private var kinds: Markup {
    let rows: [Markup] = hunt.tally.kinds.map { kind in
      """
      <tr><td class="name">\(kind.name)</td><td class="n">\(kind.reach.played)</td>\
      <td class="n">\(kind.reach.struck)</td><td class="n">\(kind.reach.failed)</td></tr>
      """
    }
    guard !rows.isEmpty else { return "" }
    return """
      <section><h2>Kinds of trouble</h2><div class="wide"><table><tr><th>kind</th><th class="n">variants</th>\
      <th class="n">struck in</th><th class="n">failed</th></tr>\(rows)</table></div></section>

      """
  }
}

import APNs
import Devices
import Scenarios
import Simulation
import Timeline

/// The outcomes of pushes: answers, fates, retries, and the phones on which most went wrong.
extension ReportPage {
  var answers: Markup {
    let rows: [Markup] = report.answers.map { row in
      """
      <tr><td>\(ReportText.answer(row.status, row.reason))</td><td class="n">\(NumberWords.count(row.count))</td>\
      <td class="n">\(NumberWords.share(row.count, of: tally.pushes))</td></tr>
      """
    }
    let kinds: [Markup] = report.kinds.map { kind, counts in
      """
      <tr><td>\(kind.type?.rawValue ?? "none or invalid")</td><td class="n">\(kind.priority.rawValue)</td>\
      <td class="n">\(NumberWords.count(counts.accepted))</td><td class="n">\(NumberWords.count(counts.refused))</td>\
      </tr>
      """
    }
    let others: [(String, String)] = tally.otherAnswers.sorted { $0.key < $1.key }.map {
      ($0.key, NumberWords.count($0.value))
    }
    let apart: Markup =
      others.isEmpty ? "" : "<h3>Answers that were not sent as decided</h3>\(Self.list(others))"
    return """
      <section><h2>Answers</h2>
      <div class="wide" tabindex="0"><table><tr><th>as decided</th><th class="n">pushes</th><th class="n">share</th>\
      </tr>\(rows)</table></div>
      <h3>By push type and priority</h3>
      <div class="wide" tabindex="0"><table><tr><th>push type</th><th class="n">priority</th><th \
      class="n">accepted</th>\
      <th class="n">refused</th></tr>\(kinds)</table></div>\(apart)</section>

      """
  }

  var fates: Markup {
    let total = report.fates.reduce(0) { $0 + $1.count }
    let rows: [Markup] = report.fates.map { fate, count in
      """
      <tr><td>\(fate.kind?.name ?? "broadcast")</td><td>\(fate.status.words)</td><td>\(fate.outcome ?? "–")</td>\
      <td>\(fate.cause ?? "–")</td><td>\(fate.isOnScreen ? "yes" : "no")</td>\
      <td class="n">\(NumberWords.count(count))</td><td class="n">\(NumberWords.share(count, of: total))</td></tr>
      """
    }
    return """
      <section><h2>What became of accepted pushes</h2>
      <div class="wide" tabindex="0"><table><tr><th>token</th><th>status</th><th>outcome</th><th>cause</th><th>on \
      screen</th>\
      <th class="n">pushes</th><th class="n">share</th></tr>\(rows)</table></div>
      <p class="note">Each push counts once, with its latest fate; a broadcast counts once for each phone.</p></section>

      """
  }

  var throttling: Markup {
    let throttled = tally.count(.throttled)
    guard throttled > 0 else {
      return "<section><h2>Throttling</h2><p>No push was answered 429.</p></section>\n"
    }
    let rows: [Markup] = report.throttledTokens.map { address, count in
      """
      <tr><td class="name">\(RunReport.name(address, apps: report.origin.apps))</td>\
      <td class="n">\(atLeast(count, tally.throttled.dropped))</td></tr>
      """
    }
    let faults: String =
      switch tally.throttledByFaults {
      case 0: ""
      case throttled: " Faults ordered all of them, so no limit of APNs was reached."
      case let some: " Faults ordered \(NumberWords.count(some)) of them, which are not in the table."
      }
    let table: Markup =
      rows.isEmpty
      ? ""
      : """
      <div class="wide" tabindex="0"><table><tr><th>token</th><th class="n">429</th></tr>\(rows)</table></div>
      """
    return """
      <section><h2>Throttling</h2><p>\(NumberWords.counted(throttled, "push was", plural: "pushes were")) answered \
      429, \(NumberWords.share(throttled, of: tally.pushes)) of all.\(faults)</p>
      \(table)</section>

      """
  }

  /// A bounded table may have dropped what was counted before.
  private func atLeast(_ count: UInt64, _ dropped: UInt64) -> String {
    (dropped > 0 && count > 0 ? "at least " : "") + NumberWords.count(count)
  }

  var retries: Markup {
    let retries = tally.retries
    guard retries.failures > 0 else {
      return "<section><h2>Retries</h2><p>None were needed: no push was answered 429 or 5xx.</p></section>\n"
    }
    var facts: [(String, String)] = [
      ("Failed", "\(NumberWords.count(retries.failures)) pushes: 429, 5xx, or not answered"),
      (
        "Retries",
        "\(NumberWords.count(retries.retries)), of which \(NumberWords.count(retries.recovered)) were accepted and"
          + " \(NumberWords.count(retries.refused)) refused for another reason"
      ),
      ("Hasty", "\(NumberWords.count(retries.hastyRetries)) retries within a second"),
      ("Overtaken", "\(NumberWords.count(retries.overtaken)): the token got another push next"),
      ("Never again", "\(NumberWords.count(retries.abandoned)): the token got no other push"),
    ]
    if retries.forgotten > 0 {
      facts.append(("Not followed", "\(NumberWords.count(retries.forgotten)): too many failed"))
    }
    return """
      <section><h2>Retries</h2>\(Self.list(facts))\(Self.percentiles([("until the retry", retries.delays)]))
      <p class="note">A retry goes to the same token with the same apns-id or the same payload.</p></section>

      """
  }

  var phones: Markup {
    let worst = report.worstPhones
    guard !worst.isEmpty else {
      return "<section><h2>Phones</h2><p>Nothing went wrong on any phone.</p></section>\n"
    }
    let rows: [Markup] = worst.map { device, phone in
      let story: [Markup] = phone.latest.map { incident in
        let push = incident.push > 0 ? "push \(incident.push): " : ""
        return "<li>\(ReportTimes.clock(incident.at)) \(push)\(incident.words)</li>"
      }
      return """
        <tr><td>\(device.text)</td><td class="n">\(atLeast(phone.throttled, tally.phones.dropped))</td>\
        <td class="n">\(NumberWords.count(phone.refused))</td><td class="n">\(NumberWords.count(phone.lost))</td>\
        <td class="name"><ul class="plain">\(story)</ul></td></tr>
        """
    }
    return """
      <section><h2>The phones with most trouble</h2>
      <div class="wide" tabindex="0"><table><tr><th>phone</th><th class="n">throttled</th><th class="n">otherwise \
      refused</th>\
      <th class="n">accepted, but lost</th><th>the latest</th></tr>\(rows)</table></div>
      <p class="note">Lost: discarded by APNs or dropped by the phone for good, although the answer was 200. \
      Notifications that a person does not allow are not counted.</p>\
      </section>

      """
  }
}

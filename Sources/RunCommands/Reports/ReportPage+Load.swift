import Scenarios
import Simulation
import Timeline

/// The latencies of pushes to phones, and the resources that the sender used.
extension ReportPage {
  var latencies: Markup {
    let latency = tally.latency
    let curves: [(name: String, color: String, histogram: Histogram)] = [
      ("event to screen", "first", latency.whole), ("event to APNs", "third", latency.sending),
      ("APNs to screen", "second", latency.showing),
    ]
    var remarks: [String] = []
    if latency.sending.isEmpty {
      remarks.append("No push has an aps.timestamp, so the time of its event is unknown.")
    } else if latency.wholeSeconds > 0 {
      remarks.append(
        "\(NumberWords.share(latency.wholeSeconds, of: latency.sending.count)) of the event times are whole seconds,"
          + " which makes a latency up to a second too long.")
    }
    if latency.early > 0 {
      remarks.append(
        "\(NumberWords.counted(latency.early, "push", plural: "pushes")) came before the time of their event, so the"
          + " clocks differ; they count as 0.")
    }
    if latency.implausible > 0 {
      remarks.append(
        "\(NumberWords.counted(latency.implausible, "event time is", plural: "event times are")) more than a day away,"
          + " and do not count.")
    }
    if tally.unfollowed > 0 {
      remarks.append(
        "\(NumberWords.counted(tally.unfollowed, "push", plural: "pushes")) waited for a phone while 100,000 others"
          + " did; what became of them later is not in this report.")
    }
    return """
      <section><h2>Latency</h2>\(ReportCharts.latencies(curves))\
      \(Self.percentiles(curves.map { ($0.name, $0.histogram) }))
      <p class="note">\(remarks.joined(separator: " "))</p></section>

      """
  }

  static func percentiles(_ rows: [(name: String, histogram: Histogram)]) -> Markup {
    let heads: [Markup] = Histogram.shares.map { "<th class=\"n\">\($0.name)</th>" }
    let body: [Markup] = rows.map { name, histogram in
      guard let least = histogram.least, let greatest = histogram.greatest else {
        return "<tr><td>\(name)</td><td class=\"n\">0</td><td colspan=\"8\" class=\"soft\">nothing measured</td></tr>"
      }
      let cells: [Markup] = Histogram.shares.map { share in
        "<td class=\"n\">\(NumberWords.time(histogram.number(at: share.share) ?? 0))</td>"
      }
      return """
        <tr><td>\(name)</td><td class="n">\(NumberWords.count(histogram.count))</td>\
        <td class="n">\(NumberWords.time(least))</td>\(cells)<td class="n">\(NumberWords.time(greatest))</td></tr>
        """
    }
    return """
      <div class="wide" tabindex="0"><table><tr><th></th><th class="n">count</th><th class="n">min</th>\(heads)\
      <th class="n">max</th></tr>\(body)</table></div>
      """
  }

  var fanOuts: Markup {
    let found = report.fanOuts
    guard found.count > 0 else {
      return "<section><h2>Fan-outs</h2><p>No two pushes brought the same news to different phones.</p></section>\n"
    }
    let rows: [Markup] = found.largest.map { fanOut in
      """
      <tr><td class="name"><bdi>\(fanOut.name)</bdi></td><td>\(ReportTimes.clock(fanOut.firstSent))</td>\
      <td class="n">\(NumberWords.count(fanOut.pushes))</td><td class="n">\(NumberWords.count(fanOut.accepted))</td>\
      <td class="n">\(NumberWords.count(fanOut.shown))</td><td class="n">\(NumberWords.count(fanOut.late))</td>\
      <td class="n">\(Self.time(fanOut.sendingTime))</td><td class="n">\
      \(fanOut.showingTime.map(Self.time) ?? "–")</td></tr>
      """
    }
    return """
      <section><h2>Fan-outs</h2>
      <p>\(NumberWords.counted(found.count, "piece of news went", plural: "pieces of news went")) to more than one \
      phone: pushes \
      of one topic and type with the same collapse id or, without one, the same payload apart from its timestamp, \
      with no \
      pause of 10 s; and broadcasts.</p>
      \(Self.percentiles([("first to last push", found.sending), ("first to last phone", found.showing)]))
      <h3>The largest</h3>
      <div class="wide" tabindex="0"><table><tr><th>news</th><th>first push</th><th class="n">pushes</th><th \
      class="n">accepted</th>\
      <th class="n">on screens</th><th class="n">later</th><th class="n">first to last push</th>\
      <th class="n">first to last phone</th></tr>\(rows)</table></div>
      <p class="note">Later: on the screen more than a minute after the last push, such as on a phone that was \
      offline. They \
      are not in the time to the last phone.</p></section>

      """
  }

  static func time(_ duration: Duration) -> String {
    NumberWords.time(UInt64(clamping: duration.wholeNanoseconds))
  }

  var connections: Markup {
    let connections = tally.connections
    let all = connections.pushesPerConnection
    var facts: [(String, String)] = [
      ("Connections", "\(NumberWords.count(connections.opened)), at most \(connections.mostOpen) at a time"),
      ("Pushes on one", Self.sizes(all)),
    ]
    if !report.origin.isVirtual, !connections.reads.isEmpty {
      facts.append(("Streams at once", "at least: \(Self.sizes(connections.reads)) (pushes that one read brought)"))
    }
    for (name, count) in tally.connectionStrikes.sorted(by: { $0.key < $1.key }) {
      facts.append(("Fault", "\(name) struck \(NumberWords.counted(count, "connection", plural: "connections"))"))
    }
    for (kind, count) in tally.troubles.sorted(by: { $0.key < $1.key }) {
      facts.append(("Trouble", "\(kind): \(NumberWords.count(count))"))
    }
    if tally.calls > 0 {
      facts.append(
        (
          "Calls of apps",
          "\(NumberWords.count(tally.calls)) to the backend, of which \(NumberWords.count(tally.failedCalls)) failed"
        ))
    }
    return "<section><h2>Connections and streams</h2>\(Self.list(facts))</section>\n"
  }

  static func list(_ facts: [(String, String)]) -> Markup {
    let rows: [Markup] = facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }
    return "<dl>\(rows)</dl>"
  }

  private static func sizes(_ histogram: Histogram) -> String {
    guard let least = histogram.least, let greatest = histogram.greatest else { return "none" }
    let shares = [0.5, 0.9].map { NumberWords.count(histogram.number(at: $0) ?? 0) }
    return "min \(NumberWords.count(least)), p50 \(shares[0]), p90 \(shares[1]), max \(NumberWords.count(greatest))"
  }
}

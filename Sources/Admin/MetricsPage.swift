import APNs
import Devices
import Reporting
import Simulation

/// The counts in Prometheus' text format 0.0.4.
enum MetricsPage {
  static func text(_ station: Station, version: String) -> String {
    let metrics = station.chronicle.metrics
    var page = MetricsText()
    page.family("build_info", .gauge, "Which Pushpit this is; always 1.", [.init(1, [("version", version)])])
    pushes(metrics, &page)
    outcomes(station, &page)
    connections(station, &page)
    page.family(
      "troubles_total", .counter, "What went wrong before or beside a push, by kind.",
      metrics.troubles.map { .init($0.count, [("kind", $0.kind)]) })
    world(station, &page)
    return page.text
  }

  private static func pushes(_ metrics: Metrics, _ page: inout MetricsText) {
    var answers: [MetricsText.Sample] = []
    var refused: UInt64 = 0
    for environment in Environment.allCases {
      answers.append(answer(environment, 200, "", metrics.count(environment, nil)))
      for reason in RejectionReason.allCases {
        let count = metrics.count(environment, reason)
        refused += count
        if count > 0 { answers.append(answer(environment, reason.status, reason.rawValue, count)) }
      }
    }
    page.family(
      "pushes_total", .counter,
      "Pushes by what APNs decided: environment, status and reason (empty for 200). What was sent is push_answers.",
      answers)
    var sent: [MetricsText.Sample] = []
    for environment in Environment.allCases {
      for (how, count) in metrics.sent(environment) {
        sent.append(
          .init(count, [("environment", environment.rawValue), ("sent", how.name), ("detail", how.detail)]))
      }
    }
    page.family(
      "push_answers", .gauge,
      "Pushes by what was sent in answer by now: detail is the status, the code of a reset, or why nothing has left."
        + " A pending answer moves on when it leaves or is given up.",
      sent)
    page.family(
      "push_fates_total", .counter,
      "Stations that pushes have reached. They overlap: one that was stored is delivered or discarded later as well.",
      [
        .init(metrics.delivered, [("fate", "delivered")]), .init(metrics.stored, [("fate", "stored")]),
        .init(metrics.discarded, [("fate", "discarded")]), .init(refused, [("fate", "refused")]),
      ])
    page.family(
      "silent_drops_total", .counter, "Pushes that phones dropped in silence after a 200, by cause.",
      DropCause.allCases.filter { metrics.drops($0) > 0 }.map { .init(metrics.drops($0), [("cause", $0.rawValue)]) })
  }

  private static func outcomes(_ station: Station, _ page: inout MetricsText) {
    let apps = station.world.fleet.plan.apps
    page.family(
      "push_outcomes_total", .counter,
      "What phones made of the pushes that reached them, each counted once: app, kind of token, outcome (banner,"
        + " list-only and nothing say what the person saw), and the cause where there is one.",
      station.chronicle.metrics.outcomes.list.map { key, count in
        let app = key.app.flatMap { apps.indices.contains($0) ? apps[$0].bundleID : nil } ?? "other"
        return .init(
          count, [("app", app), ("kind", key.kind.name), ("outcome", key.outcome), ("cause", key.cause ?? "")])
      })
    page.family(
      "fault_strikes", .gauge, "How often each fault that is set has struck, by its name.",
      station.world.faults.armed.map { armed in
        let labels = [("fault", armed.fault.label), ("session", armed.fault.session ?? "")]
        return .init(armed.struck, labels.map { (name: $0.0, value: $0.1) })
      })
  }

  private static func answer(
    _ environment: Environment, _ status: Int, _ reason: String, _ count: UInt64
  ) -> MetricsText.Sample {
    .init(count, [("environment", environment.rawValue), ("status", String(status)), ("reason", reason)])
  }

  private static func connections(_ station: Station, _ page: inout MetricsText) {
    page.family(
      "connections_opened_total", .counter, "Connections that providers have opened.",
      [.init(station.chronicle.metrics.connectionsOpened)])
    page.family(
      "connections_open", .gauge, "Connections of providers that are open.",
      [.init(station.world.openConnections.count)])
  }

  private static func world(_ station: Station, _ page: inout MetricsText) {
    let metrics = station.chronicle.metrics
    let fleet = station.world.fleet
    page.family(
      "tokens_issued_total", .counter, "Device tokens issued since the start.", [.init(metrics.tokensIssued)])
    page.family(
      "activities_started_total", .counter, "Live Activities started since the start.",
      [.init(metrics.activitiesStarted)])
    page.family(
      "activities_ended_total", .counter, "Live Activities ended since the start.", [.init(metrics.activitiesEnded)])
    let failures = CallOutcome.Failure.allCases.filter { metrics.callsFailed($0) > 0 }
    page.family(
      "app_calls_total", .counter, "Calls of apps to their backends, by how they ended.",
      [.init(metrics.callsAnswered, [("end", "answered")]), .init(metrics.callsRefused, [("end", "refused")])]
        + failures.map { .init(metrics.callsFailed($0), [("end", $0.rawValue)]) })
    page.family(
      "app_calls_open", .gauge, "Calls of apps that wait for their backend.", [.init(station.world.openCalls)])
    page.family("devices", .gauge, "Devices in the fleet.", [.init(Int(fleet.plan.devices))])
    page.family(
      "devices_touched", .gauge, "Devices that something has happened to, and that are stored.",
      [.init(fleet.touchedCount)])
    page.family("ledger_pushes", .gauge, "Pushes in the ledger.", [.init(station.chronicle.ledger.count)])
    page.family(
      "ledger_capacity", .gauge, "Pushes the ledger can hold.", [.init(station.chronicle.ledger.capacity)])
  }
}

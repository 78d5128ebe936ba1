import APNs
import Devices
import Grammar
import Reporting
import Scenarios
import Simulation

/// The counts in Prometheus' text format 0.0.4.
///
/// The numbers are copied under the simulator's lock; the text is written after it was released.
struct MetricsPage: Sendable {
  private let version: String
  private let metrics: Metrics
  private let processorTime: Double
  private let loops: Int
  private let connections: Int
  private let openCalls: Int
  private let openSessions: Int
  private let devices: Int
  private let touched: Int
  private let kept: Int
  private let capacity: Int
  private let holds: LockTimes
  private let waits: LockTimes
  private let phones: PhoneCounts
  private let names: WorldNames
  private let strikes: [(fault: String, session: String, count: UInt64)]

  init(_ simulator: Simulator, version: String, _ server: ServerDescription) {
    self.version = version
    processorTime = server.processorTime()
    loops = server.loops
    metrics = simulator.readers.logs.metrics
    connections = simulator.world.openConnectionCount
    openCalls = simulator.world.openCalls
    openSessions = simulator.readers.sessions.openCount
    devices = Int(simulator.world.fleet.plan.ownDevices)
    touched = simulator.world.fleet.touchedCount
    kept = simulator.readers.logs.pushLog.count
    capacity = simulator.readers.logs.pushLog.capacity
    holds = simulator.holds
    waits = simulator.waits
    phones = simulator.world.phoneCounts
    names = simulator.world.names
    // Not the faults themselves: the next push would have to copy their counts.
    strikes = simulator.world.faults.active.map { ($0.fault.label, $0.fault.session ?? "", $0.struck) }
  }

  var text: String {
    var page = MetricsText()
    page.family(
      "build_info", kind: .gauge, help: "The version of Pushpit; always 1.", samples: [.init(1, [("version", version)])]
    )
    page.seconds(
      "process_cpu_seconds_total", help: "Processor time that the server has used, all threads together.",
      value: processorTime)
    page.family(
      "loops", kind: .gauge, help: "Threads that serve the connections of providers.", samples: [.init(loops)])
    pushes(&page)
    outcomes(&page)
    connections(&page)
    page.family(
      "troubles_total", kind: .counter, help: "Problems of clients, by kind.",
      samples: metrics.troubles.map { .init($0.count, [("kind", $0.kind)]) })
    world(&page)
    lock(&page)
    return page.text
  }

  private func pushes(_ page: inout MetricsText) {
    var answers: [MetricsText.Sample] = []
    var refused: UInt64 = 0
    for environment in Environment.allCases {
      answers.append(Self.answer(in: environment, status: 200, reason: "", count: metrics.count(environment, nil)))
      for reason in RejectionReason.allCases {
        let count = metrics.count(environment, reason)
        refused += count
        if count > 0 {
          answers.append(Self.answer(in: environment, status: reason.status, reason: reason.rawValue, count: count))
        }
      }
    }
    page.family(
      "pushes_total", kind: .counter,
      help:
        "Pushes by decided answer: environment, status and reason (empty for 200). For sent answers see push_answers.",
      samples: answers)
    var sent: [MetricsText.Sample] = []
    for environment in Environment.allCases {
      for (how, count) in metrics.sent(environment) {
        sent.append(
          .init(count, [("environment", environment.rawValue), ("sent", how.name), ("detail", how.detail)]))
      }
    }
    page.family(
      "push_answers", kind: .gauge,
      help: "Pushes by sent answer so far: detail is the status, the code of a reset, or why nothing was sent."
        + " A pending answer is counted again when it is sent or dropped.",
      samples: sent)
    page.family(
      "push_fates_total", kind: .counter,
      help: "Fates of pushes. They overlap: a stored push is later also delivered or discarded.",
      samples: [
        .init(metrics.delivered, [("fate", "delivered")]), .init(metrics.stored, [("fate", "stored")]),
        .init(metrics.discarded, [("fate", "discarded")]), .init(refused, [("fate", "refused")]),
      ])
    page.family(
      "silent_drops_total", kind: .counter, help: "Pushes that phones dropped silently after a 200, by cause.",
      samples: DropCause.allCases.filter { metrics.drops($0) > 0 }.map {
        .init(metrics.drops($0), [("cause", $0.rawValue)])
      })
  }

  private func outcomes(_ page: inout MetricsText) {
    let apps = names.apps
    page.family(
      "push_outcomes_total", kind: .counter,
      help: "Pushes that reached phones, each counted once: app, kind of token, outcome (banner,"
        + " list-only and nothing are what the person saw), and the cause if there is one.",
      samples: metrics.outcomes.list.map { key, count in
        let app = key.app.flatMap { apps.indices.contains($0) ? apps[$0].bundleID : nil } ?? "other"
        return .init(
          count, [("app", app), ("kind", key.kind.name), ("outcome", key.outcome), ("cause", key.cause ?? "")])
      })
    page.family(
      "fault_strikes", kind: .gauge, help: "How often each current fault has struck, by its name.",
      samples: strikes.map { strike in .init(strike.count, [("fault", strike.fault), ("session", strike.session)]) })
  }

  private static func answer(
    in environment: Environment, status: Int, reason: String, count: UInt64
  ) -> MetricsText.Sample {
    .init(count, [("environment", environment.rawValue), ("status", String(status)), ("reason", reason)])
  }

  private func connections(_ page: inout MetricsText) {
    page.family(
      "connections_opened_total", kind: .counter, help: "Connections that providers have opened.",
      samples: [.init(metrics.connectionsOpened)])
    page.family(
      "connections_open", kind: .gauge, help: "Connections of providers that are open.",
      samples: [.init(connections)])
  }

  private func world(_ page: inout MetricsText) {
    page.family(
      "tokens_issued_total", kind: .counter, help: "Device tokens issued since the start.",
      samples: [.init(metrics.tokensIssued)])
    page.family(
      "activities_started_total", kind: .counter, help: "Live Activities started since the start.",
      samples: [.init(metrics.activitiesStarted)])
    page.family(
      "activities_ended_total", kind: .counter, help: "Live Activities ended since the start.",
      samples: [.init(metrics.activitiesEnded)])
    let failures = CallOutcome.Failure.allCases.filter { metrics.callsFailed($0) > 0 }
    page.family(
      "app_calls_total", kind: .counter, help: "Calls of apps to their backends, by result.",
      samples: [.init(metrics.callsAnswered, [("end", "answered")]), .init(metrics.callsRefused, [("end", "refused")])]
        + failures.map { .init(metrics.callsFailed($0), [("end", $0.rawValue)]) })
    page.family(
      "app_calls_open", kind: .gauge, help: "Calls of apps waiting for their backend.", samples: [.init(openCalls)])
    page.family("sessions_open", kind: .gauge, help: "Open sessions.", samples: [.init(openSessions)])
    battery(&page)
    page.family("devices", kind: .gauge, help: "Devices in the fleet.", samples: [.init(devices)])
    page.family(
      "devices_touched", kind: .gauge, help: "Devices that have been used and are stored.",
      samples: [.init(touched)])
    page.family("ledger_pushes", kind: .gauge, help: "Pushes in the ledger.", samples: [.init(kept)])
    page.family(
      "ledger_capacity", kind: .gauge, help: "Maximum number of pushes in the ledger.", samples: [.init(capacity)])
  }

  /// Writes the cost of pushes for the batteries of phones, and what phones deferred.
  private func battery(_ page: inout MetricsText) {
    page.family(
      "phone_drawings_total", kind: .counter,
      help: "Drawings of Live Activities: two updates within the spacing are one.",
      samples: [.init(phones.drawings)])
    let launches: [Launch] = [.byLiveActivity, .byToken, .byBackgroundPush, .byCall, .byTouch]
    page.family(
      "phone_wakes_total", kind: .counter, help: "Apps that got runtime in the background, by cause.",
      samples: launches.map { .init(phones.wakes($0), [("cause", $0.rawValue)]) })
    let holds = Reaction.Hold.allCases
    page.family(
      "phone_held_total", kind: .counter,
      help: "Pushes that phones have held, by cause; one that was replaced in the meantime counts, too.",
      samples: holds.map { .init(phones.holds($0), [("cause", $0.rawValue)]) })
    page.family(
      "phone_late_updates_total", kind: .counter,
      help: "Updates and ends of Live Activities that were applied after a hold.",
      samples: [.init(phones.late)])
  }

  private func lock(_ page: inout MetricsText) {
    page.histogram(
      "lock_seconds",
      help: "Processor time for which the admin API, the clock and app calls held the lock that pushes wait for.",
      bounds: LockTimes.bounds, counts: holds.counts, seconds: Double(holds.nanoseconds) / 1e9)
    page.family(
      "lock_longest_microseconds", kind: .gauge, help: "The longest of these times.",
      samples: [.init(holds.longest / 1000)])
    page.histogram(
      "lock_wait_seconds",
      help: "Time for which pushes waited for this lock; reads that found it free are not counted.",
      bounds: LockTimes.bounds, counts: waits.counts, seconds: Double(waits.nanoseconds) / 1e9)
  }
}

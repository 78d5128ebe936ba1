import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("The metrics page")
struct MetricsTests {
  @Test("the metrics page contains a line for each count, with its help and type before it")
  func lines() {
    var office = Office()
    office.push(office.token("d3"))
    office.push(String(repeating: "0", count: 64))
    _ = office.act("d3", ["do": "startActivity"])
    _ = office.act("d3", ["do": "endActivity"])
    _ = office.post("/v1/sessions", ["devices": ["d1"]])
    let response = office.ask("GET", "/metrics")
    #expect(response.contentType == "text/plain; version=0.0.4; charset=utf-8")
    let lines = response.text.split(separator: "\n").map(String.init)
    for line in [
      #"pushpit_pushes_total{environment="sandbox",status="200",reason=""} 1"#,
      #"pushpit_pushes_total{environment="production",status="200",reason=""} 0"#,
      #"pushpit_pushes_total{environment="sandbox",status="400",reason="BadDeviceToken"} 1"#,
      #"pushpit_push_fates_total{fate="delivered"} 1"#, #"pushpit_push_fates_total{fate="refused"} 1"#,
      "pushpit_connections_opened_total 1", "pushpit_connections_open 1", "pushpit_sessions_open 1",
      "pushpit_tokens_issued_total 1",
      "pushpit_activities_started_total 1", "pushpit_activities_ended_total 1", "pushpit_devices 20",
      "pushpit_phone_drawings_total 1", #"pushpit_phone_wakes_total{cause="byToken"} 0"#,
      #"pushpit_phone_held_total{cause="update-budget"} 0"#, "pushpit_phone_late_updates_total 0",
      "pushpit_devices_touched 1", "pushpit_ledger_pushes 2", "pushpit_ledger_capacity 100",
      #"pushpit_build_info{version="0.1.0"} 1"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!response.text.contains("TooManyRequests"))
    for line in lines where !line.hasPrefix("#") {
      var name = String(line.prefix { $0 != "{" && $0 != " " })
      var type = name.hasSuffix("_total") ? "counter" : "gauge"
      // The rows of the histograms.
      for histogram in ["pushpit_lock_seconds", "pushpit_lock_wait_seconds"] where name.hasPrefix(histogram) {
        (name, type) = (histogram, "histogram")
      }
      #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") })
      #expect(lines.contains("# TYPE \(name) \(type)"), "\(line)")
    }
  }

  @Test("the metrics page counts troubles by kind, with any name of a kind")
  func escaping() {
    var office = Office()
    for kind in ["odd \"kind\"\\\n", "http1", "http1"] {
      office.report(kind, peer: "127.0.0.1:1", "A sentence.")
    }
    let text = office.ask("GET", "/metrics").text
    #expect(text.contains("pushpit_troubles_total{kind=\"odd \\\"kind\\\"\\\\\\n\"} 1\n"))
    #expect(text.contains("pushpit_troubles_total{kind=\"http1\"} 2\n"))
  }
}

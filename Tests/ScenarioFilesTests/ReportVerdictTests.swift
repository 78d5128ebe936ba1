import APNs
import Devices
import Reporting
import Scenarios
import Simulation
import Testing

@Suite("Verdicts about calls of apps")
struct ReportVerdictTests {
  private static let story = """
    for: 5m
    settings:
      fleet: {devices: 3, ideal: true, os: {"26.1": 1}, apps: [{profile: sightscreen}]}
      reports: {backend: "http://127.0.0.1:9"}
      timing: {immediate: true}
    steps:
      - {do: terminate, where: {}}
      - {do: open, where: {}}
      - {at: 1m, do: use, action: follow, arguments: {matchId: m1}, device: d1}
    expect:

    """

  /// Says no to the third phone's device token, and nothing to what is asked of a match.
  private func play(_ expectation: String) throws -> ScenarioReport {
    try Rehearsal.play(Self.story + "  - " + expectation) { call in
      if call.call.url.hasSuffix("/follow") { return .failed(.timedOut, "no answer within 10s") }
      let isRefused = call.device.number == 2 && call.call.event == "deviceToken"
      return .answered(status: isRefused ? 503 : 200, body: nil)
    }
  }

  @Test(
    "a verdict about calls passes what is true and fails what is not",
    arguments: [
      ("{calls: {event: deviceToken}, count: 3}", true), ("{calls: {event: deviceToken}, count: 4..}", false),
      ("{calls: {event: deviceToken, status: 200}, count: 2}", true),
      ("{calls: {event: launch}, count: 3}", true), ("{calls: {event: launch.cold}, count: 3}", true),
      ("{calls: {event: launch.background}, none: true}", true),
      ("{calls: {event: deviceToken}, all: {status: 200}}", false),
      ("{calls: {event: deviceToken, devices: [d0, d1]}, all: {status: 200}}", true),
      ("{calls: {event: deviceToken}, none: {status: 503}}", false),
      ("{calls: {event: pushToStartToken}, none: {status: 503}}", true),
      ("{calls: {event: action.follow}, all: {failure: timedOut}}", true),
      ("{calls: {failure: timedOut}, none: true}", false), ("{calls: {}, sometimes: {failure: lost}}", false),
      ("{calls: {}, sometimes: {status: 503}}", true), ("{calls: {status: 404}, sometimes: true}", false),
      ("{calls: {event: action.unfollow}, all: {status: 200}}", false),
      ("{calls: {event: pushToStartToken}, all: {body: {attributesType: MatchAttributes}}}", true),
      ("{calls: {event: pushToStartToken}, all: {body: {attributesType: RaceAttributes}}}", false),
      ("{calls: {event: deviceToken, app: com.sightscreen.app}, count: 3}", true),
      ("{at: 30s, calls: {event: action.follow}, count: 0}", true),
      ("{within: 30s, calls: {event: action.follow}, count: 1}", false),
    ])
  func truth(expectation: String, holds: Bool) throws {
    let report = try play(expectation)
    #expect(report.verdicts.count == 1 && report.passed == holds, "\(report.text)")
  }

  @Test("a failure names the nearest call, its differences, and the faults that matched")
  func failure() throws {
    let text = try play("{calls: {event: deviceToken}, all: {status: 200}}").text
    #expect(text.contains("wanted   all calls (event deviceToken) to have status 200"), "\(text)")
    #expect(text.contains("found    2 of 3"), "\(text)")
    let words = "of d2 at 3s: POST http://127.0.0.1:9/devices at deviceToken: answered 503, after "
    #expect(text.contains("nearest  call ") && text.contains(words), "\(text)")
    #expect(text.contains("status is 503, not 200"), "\(text)")
    #expect(text.contains("calls    call "), "\(text)")
  }

  @Test("the nearest shows the missing parts of its body")
  func body() throws {
    let text = try play("{calls: {event: pushToStartToken, device: d0}, all: {body: {attributesType: RaceAttributes}}}")
      .text
    #expect(text.contains(#"body.attributesType is "MatchAttributes", not "RaceAttributes""#), "\(text)")
  }
}

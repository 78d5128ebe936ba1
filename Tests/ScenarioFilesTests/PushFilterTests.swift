import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Pushes that match an expectation")
struct PushFilterTests {
  private static let story = """
    settings: {fleet: {devices: 2, ideal: true, os: {"26.1": 1}}, prompt: {policy: never}, timing: {immediate: true}}
    faults:
      - {name: down, when: {devices: [d1]}, limit: 1, then: {answer: ServiceUnavailable}}
    steps:
      - name: one
        push:
          priority: 5
          headers: {apns-collapse-id: c, apns-id: 11111111-2222-3333-4444-555555555555}
          device: d0
          payload: {aps: {alert: {title: One}, badge: 1}, extra: {a: 1, b: 2}}
      - name: two
        push: {payload: {aps: {alert: {title: Two}}}}
      - name: start
        push:
          tokenKind: pushToStart
          payload:
            aps:
              timestamp: "{{time.unix}}"
              event: start
              attributes-type: MatchAttributes
              attributes: {}
              content-state: {}
              alert: {title: Go}
      - name: store
        push: {app: com.example.store, payload: {aps: {alert: Three}}}
    expect:

    """

  private func play(_ expectation: String) throws -> ScenarioReport {
    ScenarioPlayer.play(try ScenarioFile.parse(Self.story + "  - " + expectation, named: "s.yaml").scenario)
  }

  @Test(
    "matching pushes are selected by headers, payload, fault, connection, environment and id",
    arguments: [
      ("{pushes: {headers: {apns-collapse-id: c}}, count: 1}", true),
      ("{pushes: {headers: {apns-collapse-id: null}}, count: 6}", true),
      ("{pushes: {headers: {apns-collapse-id: d}}, none: true}", true),
      ("{pushes: {step: one}, all: {headers: {apns-priority: \"5\", apns-expiration: null}}}", true),
      ("{pushes: {step: two}, all: {headers: {apns-priority: 5}}}", false),
      ("{pushes: {payload: {aps: {alert: {title: One}}}}, count: 1}", true),
      ("{pushes: {payload: {extra: {b: 2}}}, count: 1}", true),
      ("{pushes: {payload: {extra: {b: 3}}}, count: 1}", false),
      ("{pushes: {event: start}, count: 2}", true), ("{pushes: {event: end}, none: true}", true),
      ("{pushes: {tokenKind: pushToStart}, all: {event: update}}", false),
      ("{pushes: {fault: down}, count: 1}", true), ("{pushes: {fault: down}, all: {device: d1, status: 503}}", true),
      ("{pushes: {status: 200}, none: {fault: down}}", true), ("{pushes: {status: 503}, none: {fault: down}}", false),
      ("{pushes: {environment: production}, count: 2}", true), ("{pushes: {connection: 2}, count: 2}", true),
      ("{pushes: {connection: 1}, all: {environment: sandbox}}", true),
      ("{pushes: {apnsId: 11111111-2222-3333-4444-555555555555}, count: 1}", true),
      ("{pushes: {step: two}, sometimes: {apnsId: 11111111-2222-3333-4444-555555555555}}", false),
      ("{connections: {}, count: 2}", true), ("{connections: {environment: production}, count: 1}", true),
      ("{connections: {}, count: 3..}", false),
    ])
  func truth(expectation: String, holds: Bool) throws {
    let report = try play(expectation)
    #expect(report.verdicts.count == 1 && report.passed == holds, "\(report.text)")
  }

  @Test(
    "a failure shows how the nearest differs",
    arguments: [
      ("{pushes: {step: two}, all: {headers: {apns-collapse-id: c}}}", "apns-collapse-id is absent, not c"),
      ("{pushes: {step: one}, all: {payload: {extra: {a: 2}}}}", "payload.extra.a is 1, not 2"),
      ("{pushes: {step: one}, all: {payload: {aps: {sound: x}}}}", "payload.aps.sound is missing"),
      ("{pushes: {tokenKind: pushToStart}, all: {event: update}}", "event is start, not update"),
      ("{pushes: {step: one}, all: {fault: down}}", "fault is none, not down"),
      ("{pushes: {step: one}, all: {environment: production}}", "environment is sandbox, not production"),
      ("{pushes: {step: one}, all: {connection: 2}}", "connection is 1, not 2"),
      ("{connections: {environment: sandbox}, count: 2}", "connection 1 to sandbox, from scenario"),
    ])
  func failure(expectation: String, words: String) throws {
    let report = try play(expectation)
    #expect(!report.passed && report.text.contains(words), "\(report.text)")
  }
}

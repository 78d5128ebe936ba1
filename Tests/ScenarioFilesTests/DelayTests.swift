import ScenarioFiles
import Scenarios
import Simulation
import Testing

@Suite("Delays")
struct DelayTests {
  private static let story = """
    for: 10m
    settings: {fleet: {devices: 2, ideal: true}}
    steps:
      - {name: one, push: {payload: {aps: {alert: {title: One}}}}}
      - {at: 10s, do: unlock, device: d0}
      - {at: 1m, do: goOffline, device: d1}
      - {name: two, at: 2m, push: {payload: {aps: {alert: {title: Two}}}}}
      - {at: 3m, do: unlock, device: d1}
      - {at: 4m, do: goOnline, device: d1}
    expect:

    """

  private func play(_ expectation: String) throws -> ScenarioReport {
    ScenarioPlayer.play(try ScenarioFile.parse(Self.story + "  - " + expectation, named: "s.yaml").scenario)
  }

  private static let toUnlock = "delay: {from: {pushes: {step: one}}, to: {events: {event: unlocked}}}"
  private static let toBanner = "delay: {from: {pushes: {step: two}}, to: {pushes: {step: two, outcome: banner}}}"

  @Test(
    "the delay from one event to the next on a device must be within a range",
    arguments: [
      ("{\(toUnlock), all: 0s..3m}", true), ("{\(toUnlock), all: 0s..1m}", false), ("{\(toUnlock), all: 10s..}", true),
      ("{\(toUnlock), all: 11s..}", false), ("{\(toUnlock), sometimes: 0s..10s}", true),
      ("{\(toUnlock), sometimes: 0s..9s}", false), ("{at: 1m, \(toUnlock), all: 0s..30s}", false),
      ("{at: 1m, \(toUnlock), all: 0s..2m}", true),
      // A claim may say how many delays it wants, so that one that happens to fit is not enough.
      ("{\(toUnlock), all: 0s..3m, count: 2}", true), ("{\(toUnlock), all: 0s..3m, count: 3..}", false),
      ("{\(toUnlock), sometimes: 0s..10s, count: 1}", true), ("{\(toUnlock), sometimes: 0s..10s, count: 2..}", false),
      // A push is on the phone when its fate says so.
      ("{\(toBanner), all: 0s..2m}", true), ("{\(toBanner), all: 0s..1m}", false),
      // What has begun and may still end is judged by nobody; what began too long ago is.
      ("{delay: {from: {pushes: {step: two}}, to: {events: {event: rebooted}}}, all: 0s..9m}", false),
      ("{delay: {from: {pushes: {}}, to: {events: {event: rebooted}}}, all: 0s..1m}", false),
      // What is both begins the next.
      ("{delay: {from: {pushes: {device: d0}}, to: {pushes: {device: d0}}}, all: 2m..2m}", true),
    ])
  func truth(expectation: String, holds: Bool) throws {
    let report = try play(expectation)
    #expect(report.verdicts.count == 1 && report.passed == holds, "\(report.text)")
  }

  @Test("the description of a delay has the number that is wanted")
  func description() throws {
    let report = try play("{\(Self.toUnlock), all: 0s..3m, count: 3..}")
    #expect(report.verdicts.first?.name.hasSuffix(", count 3..") == true, "\(report.text)")
    let short = try play("{\(Self.toUnlock), all: 0.00001s..1s}")
    #expect(short.text.contains("every delay of 0.01ms..1s"), "\(short.text)")
  }

  @Test("a failed delay names the slowest event, or an event without its end")
  func failure() throws {
    let slow = try play("{\(Self.toUnlock), all: 0s..1m}").text
    #expect(slow.contains("found    1 of 2"), "\(slow)")
    #expect(slow.contains("nearest  the slowest is 3m on d1, from 0s to 3m"), "\(slow)")
    let few = try play("{\(Self.toUnlock), all: 0s..3m, count: 3..}").text
    #expect(few.contains("wanted   every delay of 0s..3m") && few.contains("and 3.. of them"), "\(few)")
    #expect(few.contains("found    2 of 2"), "\(few)")
    let open = try play("{at: 9m, delay: {from: {pushes: {}}, to: {events: {event: rebooted}}}, all: 0s..1m}").text
    #expect(open.contains("d0: it began at 0s, and after 9m it had not ended"), "\(open)")
    #expect(open.contains("no interval began and ended, so nothing was tested"), "\(open)")
  }
}

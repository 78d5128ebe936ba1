import APNs
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("What was the limit of a run")
struct LoadLimitTests {
  private static let processors = RunReport.Processors(ofPushpit: 2, ofMachine: 4)

  /// Ten seconds with twenty pushes each, and the processor time of each second.
  private func limit(
    own: UInt64?, machine: UInt64? = nil, throttled: Int = 0, by rule: Rule? = .requestRate, pace: Double? = nil,
    isVirtual: Bool = false
  ) -> LoadLimit {
    var run = CountedRun(pace: pace)
    run.rule = rule
    for second in 0..<10 {
      for push in 0..<20 {
        run.push(
          UInt32(push), at: Double(second) + Double(push) / 20, .init(), push < throttled ? .tooManyRequests : nil)
      }
      guard let own else { continue }
      run.logs.tally?.add(
        RateSeries.Sample(
          at: CountedRun.at(Double(second)), length: 1_000_000_000, processor: own, machine: machine))
    }
    return run.report(isVirtual: isVirtual, processors: own == nil ? nil : Self.processors).limit
  }

  @Test("a twentieth of answers of 429 is throttling, whatever the processors did")
  func throttling() {
    #expect(limit(own: 2_000_000_000, throttled: 1) == .throttling(share: 0.05))
  }

  @Test("an answer of 429 that a fault ordered is no limit of APNs")
  func ordered() {
    #expect(limit(own: 1_000_000_000, throttled: 10, by: nil) == .sender(0.5))
  }

  @Test("a run by the simulated clock has no limit, because its rates are those of the scenario")
  func simulatedClock() {
    #expect(limit(own: 1_000_000_000, throttled: 10, pace: 60) == .simulatedClock)
  }

  @Test("Pushpit is the limit if its processors were busy, the machine if all were, else the sender")
  func processorTimes() {
    #expect(limit(own: 1_700_000_000) == .pushpit(0.85))
    #expect(limit(own: 1_000_000_000, machine: 3_600_000_000) == .machine(0.9, pushpit: 0.5))
    #expect(limit(own: 1_000_000_000, machine: 2_000_000_000) == .sender(0.5))
    #expect(limit(own: 1_000_000_000) == .sender(0.5))
  }

  @Test("without processor times nobody can tell, and in virtual time there is no limit")
  func untold() {
    #expect(limit(own: nil) == .unknown)
    #expect(limit(own: nil, isVirtual: true) == .virtualTime)
  }

  @Test("fewer than a hundred pushes are not judged")
  func tooSmall() {
    var run = CountedRun()
    for push in 0..<99 { run.push(0, at: Double(push)) }
    #expect(run.report().limit == .tooSmall)
    run.push(0, at: 99)
    #expect(run.report().limit == .unknown)
  }
}

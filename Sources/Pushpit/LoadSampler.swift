import Scenarios
import Simulation
import Timeline
import Transport

/// Takes processor times once a second, for the report of a run.
final class LoadSampler {
  private struct Reading {
    let at: Instant
    let steady: UInt64
    let processor: Double
    let machine: Double?

    static var now: Reading {
      Reading(
        at: SystemClock.now, steady: SystemClock.steadyNanoseconds, processor: ProcessorTimes.ofThisProcess,
        machine: ProcessorTimes.ofTheMachine)
    }
  }

  let processors: RunReport.Processors
  private let gateway: Gateway
  private var last = Reading.now

  init(on main: MainLoop, _ gateway: Gateway, loops: Int, cores: Int) {
    processors = RunReport.Processors(ofPushpit: max(1, min(loops, cores)), ofMachine: cores)
    self.gateway = gateway
    main.every(.seconds(1)) { [weak self] in self?.sample() }
  }

  /// Also called at the end, for the last part of a second.
  func sample() {
    let now = Reading.now
    let length = now.steady &- last.steady
    guard length > 0 else { return }
    let machine: UInt64? =
      if let busy = now.machine, let before = last.machine { Self.nanoseconds(from: before, to: busy) } else { nil }
    let own = Self.nanoseconds(from: last.processor, to: now.processor)
    gateway.add(RateSeries.Sample(at: last.at, length: length, processor: own, machine: machine))
    last = now
  }

  private static func nanoseconds(from before: Double, to now: Double) -> UInt64 {
    UInt64(max(0, (now - before) * 1e9))
  }
}

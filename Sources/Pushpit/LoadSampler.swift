import Simulation
import Timeline
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes processor times once a second, for the report of a run.
final class LoadSampler {
  private struct Reading {
    let at: Instant
    let steady: UInt64
    let processor: UInt64
    let machine: UInt64?

    static var now: Reading {
      Reading(
        at: SystemClock.now, steady: SystemClock.steadyNanoseconds, processor: SystemClock.processNanoseconds,
        machine: LoadSampler.busyNanoseconds)
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
    let machine: UInt64? = if let busy = now.machine, let before = last.machine { busy &- before } else { nil }
    gateway.add(
      RateSeries.Sample(at: last.at, length: length, processor: now.processor &- last.processor, machine: machine))
    last = now
  }

  /// Time that the processors of this machine were not idle, from Linux's /proc/stat (proc_stat(5): user, nice, system,
  /// idle, iowait, irq, softirq, steal, in clock ticks); nil elsewhere.
  private static var busyNanoseconds: UInt64? {
    let file = open("/proc/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    let line = String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "\n" }
    let fields = line.split(separator: " ")
    let ticks = fields.dropFirst().compactMap { UInt64($0) }
    let perSecond = sysconf(Int32(_SC_CLK_TCK))
    guard fields.first == "cpu", ticks.count >= 8, perSecond > 0 else { return nil }
    let busy = [0, 1, 2, 5, 6, 7].reduce(0) { $0 + ticks[$1] }
    return busy &* (1_000_000_000 / UInt64(perSecond))
  }
}

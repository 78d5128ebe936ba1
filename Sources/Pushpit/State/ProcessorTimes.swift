#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Processor times, to show who was busy.
package enum ProcessorTimes {
  /// Seconds used by this process, all threads.
  package static var ofThisProcess: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Number of processors.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Seconds that the processors of this machine were not idle, from Linux's /proc/stat (proc_stat(5): user, nice,
  /// system, idle, iowait, irq, softirq, steal, in clock ticks); nil elsewhere.
  package static var ofTheMachine: Double? {
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
    return Double([0, 1, 2, 5, 6, 7].reduce(0) { $0 + ticks[$1] }) / Double(perSecond)
  }
}

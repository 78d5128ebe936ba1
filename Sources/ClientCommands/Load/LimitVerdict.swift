import Transport

/// The limit that kept a load run from sending faster. A pure function of numbers, so that every sentence can be
/// tested.
package struct LimitVerdict: Hashable, Sendable {
  package enum Limit: String, Sendable {
    case tooShort
    case throttling
    case rate
    case ownProcessor
    case serverProcessor
    case machine
    case flowControl
    case streams
    case unknown
  }

  /// The numbers of a run. Processors are counted as in "1.5 processors were busy on average".
  package struct Numbers: Hashable, Sendable {
    package var seconds = 0.0
    /// Pushes that were answered.
    package var answered: UInt64 = 0
    /// The number of answers with status 429.
    package var throttled: UInt64 = 0
    /// The 429 answers that faults ordered.
    package var throttledByFaults: UInt64 = 0
    package var isBroadcast = false
    /// True if the run was given up.
    package var isAborted = false
    package var askedRate: SendingRate?
    /// Pushes that were sent more than 50 ms after they were due.
    package var late: UInt64 = 0
    package var connections = 1
    package var threads = 1
    package var own = 0.0
    /// Nil if the server does not report it.
    package var server: Double?
    /// Threads of the server that serve connections.
    package var serverLoops: Int?
    /// Nil if the server is on another machine, or the system does not report it.
    package var machine: Double?
    package var processors = 1
    /// Share of the time in which all streams of a connection were in use, on average.
    package var fullShare = 0.0
    /// Share of the time in which the server took no data.
    package var blockedShare = 0.0

    package init() {}

    /// Answers of 429 for which APNs's own limits are the cause.
    fileprivate var throttledByAPNs: UInt64 { throttled - min(throttled, throttledByFaults) }
  }

  package let limit: Limit
  package let sentence: String

  /// Shorter runs have too few ticks of the processor clocks, and are mostly TLS handshakes.
  static let leastSeconds = 0.5
  static let throttledShare = 0.05
  /// Assumed: the shares from which on something is the limit; the same as in the report of a run.
  static let busyShare = 0.85
  static let lateShare = 0.01
  static let blockedShare = 0.5

  package init(_ numbers: Numbers) {
    limit = Self.limit(numbers)
    sentence = Self.sentence(limit, numbers) + Self.faults(numbers)
  }

  private static func limit(_ run: Numbers) -> Limit {
    guard run.answered > 0, !run.isAborted else { return .unknown }
    if Double(run.throttledByAPNs) >= throttledShare * Double(run.answered) { return .throttling }
    if run.askedRate != nil, Double(run.late) <= lateShare * Double(run.answered) { return .rate }
    guard run.seconds >= leastSeconds else { return .tooShort }
    if run.own >= busyShare * Double(run.threads) { return .ownProcessor }
    // A connection is served by one thread, so a few connections cannot keep all threads busy.
    if let server = run.server, let loops = run.serverLoops, loops > 0,
      server >= busyShare * Double(min(loops, run.connections))
    {
      return .serverProcessor
    }
    if let machine = run.machine, machine >= busyShare * Double(run.processors) { return .machine }
    if run.blockedShare >= blockedShare { return .flowControl }
    if run.fullShare >= busyShare { return .streams }
    return .unknown
  }

  private static func sentence(_ limit: Limit, _ run: Numbers) -> String {
    let own = LoadWords.decimal(run.own, 2)
    let server = run.server.map { LoadWords.decimal($0, 2) } ?? "an unknown number"
    let rate = run.askedRate.map { LoadWords.rate($0) } ?? ""
    switch limit {
    case .tooShort:
      return "The run took less than \(leastSeconds) s, which is too short to tell."
    case .throttling: return throttling(run)
    case .rate: return "The requested rate of \(rate) was reached; neither side was at its limit."
    case .ownProcessor:
      return "pushpit load itself: it used \(own) processors with \(LoadWords.count(run.threads, "thread")). If"
        + " there are processors left, use more --threads."
    case .serverProcessor:
      return "The server's processor: Pushpit used \(server) processors, with"
        + " \(LoadWords.count(run.serverLoops ?? 0, "thread")) that serve connections."
    case .machine:
      let others = max(0, (run.machine ?? 0) - run.own - (run.server ?? 0))
      return "The processors of this machine: all \(run.processors) were busy. pushpit load used \(own), Pushpit"
        + " \(server), other programs \(LoadWords.decimal(others, 2))."
    case .flowControl:
      return "Flow control: for \(LoadWords.percent(run.blockedShare)) of the time the server took no more data, while"
        + " it used \(server) processors."
    case .streams:
      return "The streams: all of them were in use, while pushpit load used \(own) processors and Pushpit \(server)."
        + " The rate depends on the time until an answer; use more --streams or --connections."
    case .unknown where run.answered == 0: return "No push was answered."
    case .unknown where run.isAborted: return "Unknown, because the run was aborted."
    case .unknown:
      return "Nothing that is measured was at its limit: pushpit load used \(own) processors, Pushpit \(server)."
    }
  }

  private static func throttling(_ run: Numbers) -> String {
    let share = LoadWords.percent(Double(run.throttled) / Double(run.answered))
    let limit =
      run.isBroadcast
      ? "APNs limits the broadcasts to a channel, and those that wait for it (rules.broadcastRate). Use a lower --rate."
      : "APNs limits how fast pushes go to one token. Use more --devices, or set the server's limit with"
        + " --token-requests-per-second."
    return "\(share) of the answers were 429 TooManyRequests: \(limit)"
  }

  /// The end of a sentence about answers of 429 that are no limit of APNs.
  private static func faults(_ run: Numbers) -> String {
    guard run.throttledByFaults > 0 else { return "" }
    let (count, all) = (LoadWords.grouped(run.throttledByFaults), LoadWords.grouped(run.throttled))
    return " Faults, not a limit of APNs, were the cause of \(count) of \(all) answers of 429."
  }
}

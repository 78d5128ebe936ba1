import Synchronization
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Microseconds of processor time that a call may cost in the outgoing client of virtual apps. Not calls per second:
/// these depend on what else runs on the machine (29,000 alone, 6,000 beside a build).
let limit = 60.0
let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
/// Bytes: a token in JSON, as an app reports one.
let body = [UInt8](repeating: 0x78, count: 200)

guard (1...10_000_000).contains(count) else {
  print("\"\(CommandLine.arguments[1])\" is no number of calls: from 1 to 10000000.")
  exit(2)
}

/// Processor seconds of the thread that asks.
@Sendable func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

struct Tally {
  var answered = 0
  var failed: String?
  var threadSeconds = 0.0
}

let main = MainLoop()
let server = try PlainServer(
  on: main, at: BoundSocket(host: "127.0.0.1", port: 0), limit: 1000,
  owner: PlainServer.Owner(
    answer: { _, _ in HTTPResponse(status: 200, fields: HTTPFields([]), body: []) },
    refuse: { HTTPResponse(status: $0.status, fields: HTTPFields([]), body: []) }, trouble: { _ in }))
let url = "http://127.0.0.1:\(server.port)/v1/tokens"
var isKept = true
for connections in [1, 8, 64] {
  let tally = Mutex(Tally())
  let clock = ContinuousClock()
  var options = AppCallerOptions()
  options.connections = connections
  options.connectionsPerHost = connections
  options.queue = count
  let total = count
  // The closure cannot hold the loop, which belongs to this thread; a timer checks whether all calls have ended.
  let caller = try AppCaller(options) { ends in
    tally.withLock { tally in
      for end in ends {
        if case .success(let answer) = end.result, answer.status == 200 { tally.answered += 1 }
        if case .failure(let failure) = end.result { tally.failed = failure.description }
      }
      tally.threadSeconds = threadSeconds()
    }
  }
  let began = clock.now
  caller.start(
    (0..<total).map {
      AppCall(
        number: UInt64($0), method: "POST", url: url, headers: [("content-type", "application/json")], body: body,
        timeout: .seconds(600))
    })
  let watch = main.every(.milliseconds(2)) {
    if tally.withLock({ $0.answered == total || $0.failed != nil }) { main.stop() }
  }
  main.run()
  watch.cancel()
  let seconds = (clock.now - began) / .seconds(1)
  caller.stop()
  let result = tally.withLock { $0 }
  if let failed = result.failed { print("a call failed: \(failed)") }
  let rate = Double(result.answered) / seconds
  let cost = result.threadSeconds / Double(total) * 1e6
  isKept = isKept && result.failed == nil && cost <= limit
  print(
    "\(result.answered) calls over \(connections) connections: \(Int(rate)) a second, "
      + "\((cost * 10).rounded() / 10) us of processor a call in the client")
}
print("limit \(Int(limit)) us: \(isKept ? "kept" : "BROKEN")")
exit(isKept ? 0 : 1)

import APNs
import Pushpit
import Transport
import WireFormats

/// Clocks and counts before or after a run.
struct LoadReading {
  private let at = ContinuousClock.now
  private let own = ProcessorTimes.ofThisProcess
  private let machine = ProcessorTimes.ofTheMachine
  private let server: (seconds: Double, loops: Int)?
  private let faults: [LoadFault]

  init(_ server: RunningServer) {
    self.server = server.processorTime()
    faults = server.faults()
  }

  /// The processors that were busy between two readings, on average.
  ///
  /// - Parameter seesMachine: false if the server is on another machine: only the processors of this one can be seen.
  func compare(_ before: LoadReading, seesMachine: Bool, _ numbers: inout LimitVerdict.Numbers) {
    let passed = max((at - before.at) / .seconds(1), 0.001)
    numbers.own = (own - before.own) / passed
    if let before = before.server, let after = server {
      numbers.server = max(after.seconds - before.seconds, 0) / passed
      numbers.serverLoops = after.loops
    }
    if seesMachine, let before = before.machine, let machine {
      numbers.machine = max(machine - before, 0) / passed
    }
    numbers.processors = ProcessorTimes.count
  }

  /// The faults that have struck since an earlier reading, with the number of their strikes since then.
  func strikes(since before: LoadReading) -> [LoadFault] {
    faults.compactMap { fault in
      let earlier = before.faults.first { $0.name == fault.name && $0.session == fault.session }?.struck ?? 0
      // A fault that was replaced begins to count again.
      let struck = fault.struck >= earlier ? fault.struck - earlier : fault.struck
      return struck > 0 ? fault.with(struck: struck) : nil
    }
  }
}

/// A fault of the server that strikes pushes or broadcasts.
struct LoadFault: Hashable, Sendable {
  let name: String
  let session: String?
  /// The reason with which it answers; nil if it does something else.
  let reason: String?
  private(set) var struck: UInt64

  init(name: String, session: String? = nil, reason: String?, struck: UInt64) {
    (self.name, self.session, self.reason, self.struck) = (name, session, reason, struck)
  }

  fileprivate func with(struck: UInt64) -> LoadFault {
    var fault = self
    fault.struck = struck
    return fault
  }

  /// True if its answers are 429, like those of a limit of APNs.
  var throttles: Bool { reason.flatMap { RejectionReason(rawValue: $0) }?.status == 429 }

  var words: String {
    let pushes = "\(LoadWords.grouped(struck)) \(struck == 1 ? "push" : "pushes")"
    return TerminalText.clean(name) + (reason.map { " answered \(pushes) with \($0)" } ?? " struck \(pushes)")
  }

  var json: JSONValue {
    [
      "name": .string(name), "session": JSONValue(session), "answer": JSONValue(reason),
      "struck": .integer(Int64(clamping: struck)),
    ]
  }
}

extension RunningServer {
  /// The faults that are set and how often they have struck; none if the server does not report them.
  fileprivate func faults() -> [LoadFault] {
    var order = AdminAPI.Order("v1", "faults")
    order.query = [("limit", "1000")]
    let rows = (try? api.perform(order).value)?["faults"]?.elements ?? []
    return rows.compactMap { row in
      guard let name = row["name"]?.string, let struck = row["struck"]?.integer else { return nil }
      return LoadFault(
        name: name, session: row["session"]?.string, reason: row["then"]?["answer"]?.string,
        struck: UInt64(clamping: struck))
    }
  }

  /// The processor time that the server's process has used, and its threads that serve connections; nil if it does not
  /// say.
  fileprivate func processorTime() -> (seconds: Double, loops: Int)? {
    guard let reply = try? WebCall("GET", admin + "/metrics", version: .http1).perform(), reply.status == 200 else {
      return nil
    }
    var seconds: Double?
    var loops: Int?
    for line in String(decoding: reply.body, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2 else { continue }
      if words[0] == "pushpit_process_cpu_seconds_total" { seconds = Double(words[1]) }
      if words[0] == "pushpit_loops" { loops = Int(words[1]) }
    }
    guard let seconds, let loops else { return nil }
    return (seconds, loops)
  }
}

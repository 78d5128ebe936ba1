import Grammar
import Pushpit
import Timeline
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit load`: many pushes to a running server, and what limited their rate.
package struct LoadRun {
  let order: LoadOrder
  let server: RunningServer
  private let payload: LoadPayload

  /// Apple wants a provider token renewed after 20 minutes at the earliest and 60 at the latest.
  private static let renewal = Duration.seconds(40 * 60)
  /// The time for which the run waits for answers after Ctrl-C.
  private static let interruptedPatience = Duration.seconds(1)

  /// - Throws: `InputProblem` if the order is not valid.
  package init(_ order: LoadOrder, _ server: RunningServer) throws(InputProblem) {
    try order.check()
    payload = try LoadPayload(order.payload, order.kind)
    self.order = order.completed
    self.server = server
  }

  /// Sends, and waits for the end of the run.
  ///
  /// - Parameters:
  ///   - say: receives sentences about the run.
  ///   - progress: receives a line each second.
  package func play(say: (String) -> Void, progress: @escaping (String) -> Void) throws -> LoadReport {
    guard let address = WebAddress(server.gateway) else { throw InputProblem("\(server.gateway) is not a URL.") }
    let addresses = try LoadHost.addresses(address.host, port: address.port, allowed: order.allowedHosts)
    try server.checkListeners()
    try checkServer()
    let target = try LoadTarget(order, payload: payload, server: server)
    let signer = try server.signer(order.keyID)
    let tls: ClientTLSContext
    do {
      tls = try ClientTLSContext(authority: server.authority)
    } catch {
      throw CommandFailure("\(server.authority.place) cannot be used: \(error).")
    }
    var sending = SendingOrder(
      host: address.host, addresses: addresses, port: address.port, tls: tls,
      fields: target.fields(try signer.token()), target: target.requests)
    sending.body = payload.body
    sending.connections = order.connections
    sending.streams = order.streams
    sending.threads = order.threads
    sending.rate = order.rate
    sending.count = order.count
    sending.duration = order.duration
    sending.idPrefix = order.hasIDs ? Self.newIDPrefix() : nil
    say(plan(target))
    let before = LoadReading(server)
    let (tally, isInterrupted) = send(sending, signer: signer, target: target, progress: progress)
    return report(tally, isInterrupted: isInterrupted, target: target, before: before, idPrefix: sending.idPrefix)
  }

  /// The random part of the run's ids.
  static func newIDPrefix() -> String {
    let text = String(UInt64.random(in: .min ... .max), radix: 16)
    let digits = String(repeating: "0", count: 16 - text.count) + text
    return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-4\(digits.dropFirst(12).prefix(3))-8000-"
  }

  private func plan(_ target: LoadTarget) -> String {
    let rate = order.rate.map { "\(LoadWords.rate($0)), " } ?? "as fast as possible, "
    let ends = [
      order.count.map { "\(LoadWords.grouped($0)) \(order.kind == .broadcast ? "broadcasts" : "pushes")" },
      order.duration.map { "for \(DurationText.write($0))" },
    ].compactMap(\.self)
    return "Sending to \(target.words) at \(server.gateway), \(target.topic): "
      + rate + ends.joined(separator: " or ")
      + ", over \(LoadWords.count(order.connections, "connection")) of \(LoadWords.count(order.streams, "stream"))"
  }

  // MARK: Sending

  /// The results that the threads of a run have returned; used on the main loop.
  private final class Collected {
    var tally = SendingTally()
    var threads = 0
    var interruptions = 0
  }

  private func send(
    _ sending: SendingOrder, signer: ProviderSigner, target: LoadTarget, progress: @escaping (String) -> Void
  ) -> (tally: SendingTally, isInterrupted: Bool) {
    let main = MainLoop()
    let results = Mailbox<SendingTally>()
    let collected = Collected()
    let reader = MailboxReader(results, on: main.base) { [unowned main] tally in
      collected.tally.add(tally)
      collected.threads += 1
      if collected.threads == sending.threads { main.stop() }
    }
    let sender = PushSender(sending) { results.post($0) }
    for signal in [SIGINT, SIGTERM] {
      main.onSignal(signal) {
        collected.interruptions += 1
        if collected.interruptions > 1 { _exit(130) }
        sender.stop(patience: Self.interruptedPatience)
      }
    }
    main.every(Self.renewal) {
      if let token = try? signer.token() { sender.use(target.fields(token)) }
    }
    let began = ContinuousClock.now
    var last: UInt64 = 0
    main.every(.seconds(1)) {
      let (all, sound) = sender.answered
      let time = (ContinuousClock.now - began).components.seconds
      let refused = all > sound ? ", \(LoadWords.grouped(all - sound)) not 200" : ""
      progress("\(time) s: \(LoadWords.grouped(all)) answered, \(LoadWords.grouped(all - last)) a second\(refused)")
      last = all
    }
    main.run()
    withExtendedLifetime(reader) {}
    return (collected.tally, collected.interruptions > 0)
  }

  // MARK: The result

  private func report(
    _ tally: SendingTally, isInterrupted: Bool, target: LoadTarget, before: LoadReading, idPrefix: String?
  ) -> LoadReport {
    let after = LoadReading(server)
    let faults = after.strikes(since: before)
    var numbers = LimitVerdict.Numbers()
    numbers.seconds = tally.seconds
    numbers.answered = tally.answered
    numbers.throttled = tally.refused.filter { $0.key.status == 429 }.values.reduce(0, +)
    // Other senders may have been struck, too.
    numbers.throttledByFaults = min(numbers.throttled, faults.filter(\.throttles).reduce(0) { $0 + $1.struck })
    numbers.isBroadcast = order.kind == .broadcast
    numbers.askedRate = order.rate
    numbers.late = tally.late
    numbers.connections = order.connections
    numbers.threads = order.threads
    after.compare(before, seesMachine: order.allowedHosts.isEmpty, &numbers)
    let time = tally.seconds * 1e9 * Double(order.connections)
    if time > 0 {
      numbers.fullShare = min(Double(tally.fullTime) / time, 1)
      numbers.blockedShare = min(Double(tally.blockedTime) / time, 1)
    }
    var report = LoadReport(order, tally: tally, numbers: numbers, target: target.words, tokens: target.count)
    report.idPrefix = idPrefix
    report.faults = faults
    report.isInterrupted = isInterrupted
    if let channel = target.channel, !isInterrupted { report.reach = LoadReach(channel, server) }
    return report
  }
}

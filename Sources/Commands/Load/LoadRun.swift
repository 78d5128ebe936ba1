import APNs
import Grammar
import Pushpit
import Timeline
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit load`: many pushes to a running server, and what limited their rate.
package struct LoadRun {
  private let order: LoadOrder
  private let server: RunningServer
  private let payload: LoadPayload

  /// Apple wants a provider token renewed after 20 minutes at the earliest and 60 at the latest.
  private static let renewal = Duration.seconds(40 * 60)
  /// How long the run waits for answers after Ctrl-C.
  private static let interruptedPatience = Duration.seconds(1)

  /// - Throws: `InputProblem` if the order is not valid.
  package init(_ order: LoadOrder, _ server: RunningServer) throws(InputProblem) {
    try order.check()
    payload = try LoadPayload(order.payload, pushType: order.pushType)
    var order = order
    if order.count == nil, order.duration == nil { order.duration = LoadOrder.usualDuration }
    self.order = order
    self.server = server
  }

  /// Sends, and waits for the end of the run.
  ///
  /// - Parameters:
  ///   - say: receives sentences about the run.
  ///   - progress: receives a line each second.
  package func play(say: (String) -> Void, progress: @escaping (String) -> Void) throws -> LoadReport {
    guard let target = WebAddress(server.gateway) else { throw InputProblem("\(server.gateway) is not a URL.") }
    let addresses = try LoadHost.addresses(target.host, port: target.port, allowed: order.allowedHosts)
    try server.checkListeners()
    try checkServer()
    let tokens = try LoadTokens(order, event: payload.event, server)
    let signer = try server.signer(order.keyID)
    let tls: ClientTLSContext
    do {
      tls = try ClientTLSContext(authority: server.authority)
    } catch {
      throw CommandFailure("\(server.authority.place) cannot be used: \(error).")
    }
    var sending = SendingOrder(
      host: target.host, addresses: addresses, port: target.port, tls: tls,
      fields: fields(try signer.token(), tokens.topic),
      tokens: tokens.tokens)
    sending.body = payload.body
    sending.connections = order.connections
    sending.streams = order.streams
    sending.threads = order.threads
    sending.rate = order.rate
    sending.count = order.count
    sending.duration = order.duration
    sending.idPrefix = order.hasIDs ? Self.newIDPrefix() : nil
    say(plan(tokens))
    let before = Reading(server)
    let (tally, isInterrupted) = send(sending, signer, tokens.topic, progress)
    var report = report(tally, tokens.tokens.count, sending, before)
    report.isInterrupted = isInterrupted
    return report
  }

  /// A server that is no Pushpit gets no push.
  private func checkServer() throws {
    switch server.probe() {
    case .sound: break
    case .stranger:
      throw CommandFailure("\(server.gateway) is not Pushpit; pushpit load sends to nothing else.")
    case .untrusted(let why):
      throw CommandFailure(
        "\(server.gateway) has a certificate that \(server.authority.place) has not signed (\(why)): does the "
          + "server run with another state folder (--state)?")
    case .unreachable(let why):
      throw CommandFailure(
        "Nothing listens at \(server.gateway) (\(why)): is `pushpit serve` running?", .noServer)
    case .noTLS(let why): throw CommandFailure("\(server.gateway) does not speak TLS: \(why).")
    }
  }

  private func fields(_ token: String, _ topic: String) -> [(name: String, value: String)] {
    let priority = order.priority ?? (order.pushType == "background" ? "5" : nil)
    return [
      ("authorization", "bearer \(token)"), ("apns-topic", topic), ("apns-push-type", order.pushType),
    ] + (priority.map { [("apns-priority", $0)] } ?? [])
  }

  /// The random part of the run's ids.
  private static func newIDPrefix() -> String {
    let text = String(UInt64.random(in: .min ... .max), radix: 16)
    let digits = String(repeating: "0", count: 16 - text.count) + text
    return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-4\(digits.dropFirst(12).prefix(3))-8000-"
  }

  private func plan(_ tokens: LoadTokens) -> String {
    let rate = order.rate.map { "\(LoadWords.rate($0)), " } ?? "as fast as possible, "
    let ends = [
      order.count.map { "\(LoadWords.grouped($0)) pushes" }, order.duration.map { "for \(DurationText.write($0))" },
    ].compactMap(\.self)
    return "Sending to \(LoadWords.count(tokens.tokens.count, "token")) at \(server.gateway), topic \(tokens.topic): "
      + rate + ends.joined(separator: " or ")
      + ", over \(LoadWords.count(order.connections, "connection")) of \(LoadWords.count(order.streams, "stream"))"
  }

  // MARK: Sending

  /// What the threads of a run have returned; used on the main loop.
  private final class Collected {
    var tally = SendingTally()
    var threads = 0
    var interruptions = 0
  }

  private func send(
    _ sending: SendingOrder, _ signer: ProviderSigner, _ topic: String, _ progress: @escaping (String) -> Void
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
      if let token = try? signer.token() { sender.use(fields(token, topic)) }
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

  /// Clocks at one moment.
  private struct Reading {
    let at = ContinuousClock.now
    let own = ProcessorTimes.ofThisProcess
    let machine = ProcessorTimes.ofTheMachine
    let server: (seconds: Double, loops: Int)?

    init(_ server: RunningServer) { self.server = server.processorTime() }
  }

  private func report(
    _ tally: SendingTally, _ tokens: Int, _ sending: SendingOrder, _ before: Reading
  ) -> LoadReport {
    let after = Reading(server)
    let passed = max((after.at - before.at) / .seconds(1), 0.001)
    var numbers = LimitVerdict.Numbers()
    numbers.seconds = tally.seconds
    numbers.answered = tally.answered
    numbers.throttled = tally.refused.filter { $0.key.status == 429 }.values.reduce(0, +)
    numbers.askedRate = order.rate
    numbers.late = tally.late
    numbers.connections = order.connections
    numbers.threads = order.threads
    numbers.own = (after.own - before.own) / passed
    if let before = before.server, let after = after.server {
      numbers.server = max(after.seconds - before.seconds, 0) / passed
      numbers.serverLoops = after.loops
    }
    // Only this machine's processors can be seen.
    if order.allowedHosts.isEmpty, let before = before.machine, let after = after.machine {
      numbers.machine = max(after - before, 0) / passed
    }
    numbers.processors = ProcessorTimes.count
    let time = tally.seconds * 1e9 * Double(order.connections)
    if time > 0 {
      numbers.fullShare = min(Double(tally.fullTime) / time, 1)
      numbers.blockedShare = min(Double(tally.blockedTime) / time, 1)
    }
    return LoadReport(
      tally: tally, verdict: LimitVerdict(numbers), numbers: numbers, tokens: tokens, streams: order.streams,
      idPrefix: sending.idPrefix)
  }
}

extension RunningServer {
  /// The processor time that the server's process has used, and its threads that serve connections; nil if it does not
  /// say.
  func processorTime() -> (seconds: Double, loops: Int)? {
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

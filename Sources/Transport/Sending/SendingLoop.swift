import CLibevent
import HTTP2
import Synchronization
import Timeline

/// A thread of a load run with its connections. Created and used only on that thread.
final class SendingLoop {
  enum Letter: Sendable {
    /// Send nothing more, and wait this long for answers.
    case stop(patience: Duration)
    /// The fields of all requests from now on.
    case use([Field])
  }

  struct Field: Sendable {
    let name: String
    let value: String
  }

  let base: OpaquePointer
  let order: SendingOrder
  let pool = SlotPool()
  private(set) var head: RequestHead
  let input: UnsafeMutableRawBufferPointer
  let output: UnsafeMutableRawBufferPointer

  private var supply: PushSupply
  private var tally = SendingTally()
  private let progress: SendingProgress
  private var ids: PushIDs?
  private var seats: [Seat]
  /// The seat that is tried first for the next paced push.
  private var turn = 0
  /// Connections that ended in this turn. A call of theirs may be active, so they are released afterwards.
  private var doomed: [SendingConnection] = []
  private var reaper: LoopEvent?
  private var pacer: LoopEvent?
  private var watch: LoopEvent?
  private var deadline: LoopEvent?
  private var reader: MailboxReader<Letter>?
  /// Steady nanoseconds at which waiting for answers ends; set when nothing more is sent.
  private var patience: Int64?
  private var lastAnswer: Int64 = 0
  /// Since when no connection is open.
  private var aloneSince: Int64
  private var lastProblem = ""

  /// A place for a connection. A lost connection is replaced by a new one.
  private struct Seat {
    var connection: SendingConnection?
    /// Attempts in a row that failed.
    var failures = 0
    /// Steady nanoseconds before which it is not tried again.
    var notBefore: Int64 = 0
  }

  private static let inputCount = 256 * 1024
  private static let outputCount = 64 * 1024
  static let tick = Duration.milliseconds(1)
  private static let watchTick = Duration.milliseconds(100)
  /// Nanoseconds without an answer, and without an open connection, after which a run is given up.
  private static let mostSilence: Int64 = 30_000_000_000
  private static let mostAlone: Int64 = 5_000_000_000
  private static let longestPause: Int64 = 1_000_000_000
  /// The longest wait for answers after the time of a run is over.
  private static let usualPatience = Duration.seconds(10)

  init(_ order: SendingOrder, index: Int, mailbox: Mailbox<Letter>, progress: SendingProgress) {
    self.order = order
    self.progress = progress
    base = Libevent.makeBase(isPrecise: order.rate != nil)
    input = .allocate(byteCount: Self.inputCount, alignment: 64)
    output = .allocate(byteCount: Self.outputCount, alignment: 64)
    head = RequestHead(
      authority: order.authority, order.fields, idName: order.idPrefix == nil ? nil : order.idName)
    ids = order.idPrefix.map { PushIDs(prefix: $0) }
    supply = PushSupply(loop: index, of: order.threads, count: order.count, rate: order.rate)
    // The connections are shared out among the loops like the pushes.
    let own = (order.connections - index - 1) / order.threads + 1
    seats = Array(repeating: Seat(), count: own)
    aloneSince = Libevent.steadyNanoseconds
    reaper = LoopEvent(on: base) { [unowned self] in doomed = [] }
    watch = LoopEvent(on: base, events: EV_PERSIST) { [unowned self] in lookAround() }
    reader = MailboxReader(mailbox, on: base) { [unowned self] in read($0) }
  }

  deinit {
    reader = nil
    (reaper, pacer, watch, deadline) = (nil, nil, nil, nil)
    seats = []
    doomed = []
    event_base_free(base)
    input.deallocate()
    output.deallocate()
  }

  /// Runs until everything is sent and answered, or the run is given up.
  func run() -> SendingTally {
    watch?.add(timeout: Self.watchTick)
    connectAll(at: Libevent.steadyNanoseconds)
    event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY)
    tally.late = supply.late
    return tally
  }

  private func read(_ letter: Letter) {
    switch letter {
    case .stop(let patience): stop(patience)
    case .use(let fields):
      let name = order.idPrefix == nil ? nil : order.idName
      head = RequestHead(authority: order.authority, fields.map { ($0.name, $0.value) }, idName: name)
      for seat in seats { seat.connection?.session.use(head) }
    }
  }

  // MARK: Connections

  private func connectAll(at now: Int64) {
    for index in seats.indices where seats[index].connection == nil && seats[index].notBefore <= now {
      let address = order.addresses[seats[index].failures % order.addresses.count]
      seats[index].connection = SendingConnection(to: address, seat: index, on: self)
      if seats[index].connection == nil { failed(index, "no socket is left in this process (ulimit -n)", at: now) }
    }
  }

  private func failed(_ seat: Int, _ problem: String, at now: Int64) {
    lastProblem = problem
    seats[seat].failures += 1
    // The other addresses of a host are tried without a pause.
    let round = seats[seat].failures / order.addresses.count
    if round > 0 { seats[seat].notBefore = now + min(50_000_000 << Int64(min(round, 5)), Self.longestPause) }
  }

  func ended(_ connection: SendingConnection, _ why: SendingConnection.End) {
    let now = Libevent.steadyNanoseconds
    connection.session.giveUp()
    takeEnded(of: connection, at: now)
    tally.fullTime += connection.full.total(at: now)
    tally.blockedTime += connection.blocked.total(at: now)
    // The moved reference is the last one: the caller, a callback, has none.
    if let last = seats[connection.seat].connection { doomed.append(last) }
    seats[connection.seat].connection = nil
    reaper?.activate()
    switch why {
    case .done: return
    case .notOpened(let problem): failed(connection.seat, problem, at: now)
    case .saidGoodbye: lost(connection, Self.text(of: connection.session.farewell), at: now)
    case .closed: lost(connection, "closed", at: now)
    case .broken(let text): lost(connection, text, at: now)
    }
    if !seats.contains(where: { $0.connection?.isOpen ?? false }), aloneSince == 0 { aloneSince = now }
    if patience == nil { connectAll(at: now) }
  }

  /// A server that ends each connection before its first answer is not flooded with new ones.
  private func lost(_ connection: SendingConnection, _ how: String, at now: Int64) {
    tally.connectionsLost[how, default: 0] += 1
    if connection.hasAnswers {
      seats[connection.seat].failures = 0
    } else {
      failed(connection.seat, "the connection was lost: \(how)", at: now)
    }
  }

  private static func text(of farewell: ClientSession.Farewell?) -> String {
    guard let farewell else { return "all stream numbers are used" }
    return "GOAWAY \(farewell.code)" + (farewell.debug.isEmpty ? "" : " \(farewell.debug)")
  }

  // MARK: Pushes

  /// A connection has read something: counts the answers, and sends what is next.
  func tookAnswers(of connection: SendingConnection) {
    let now = Libevent.steadyNanoseconds
    let session = connection.session
    takeEnded(of: connection, at: now)
    if session.isReady {
      if tally.series.began == nil { begin(at: now) }
      aloneSince = 0
      if !connection.isCounted {
        connection.isCounted = true
        tally.connectionsOpened += 1
      }
      tally.streams = max(tally.streams, session.limit)
    }
    feed(connection, most: .max, at: now)
    connection.flush(at: now)
    endIfDone(at: now)
  }

  private func begin(at now: Int64) {
    tally.series.begin(at: now)
    tally.ended = now
    lastAnswer = now
    supply.begin(at: now)
    if supply.isPaced {
      pacer = LoopEvent(on: base, events: EV_PERSIST) { [unowned self] in paceTick() }
      pacer?.add(timeout: Self.tick)
    }
    if let duration = order.duration {
      deadline = LoopEvent(on: base) { [unowned self] in stop(Self.usualPatience) }
      deadline?.add(timeout: duration)
    }
  }

  /// Shares the pushes that are due among the connections.
  private func paceTick() {
    let now = Libevent.steadyNanoseconds
    var idle = 0
    while idle < seats.count, supply.isDue(at: now) {
      turn = (turn + 1) % seats.count
      guard let connection = seats[turn].connection, connection.session.canSend else {
        idle += 1
        continue
      }
      idle = 0
      feed(connection, most: 1, at: now)
    }
    for seat in seats {
      if let connection = seat.connection, connection.session.wantsWrite { connection.flush(at: now) }
    }
    endIfDone(at: now)
  }

  private func feed(_ connection: SendingConnection, most: Int, at now: Int64) {
    let session = connection.session
    var left = most
    while left > 0, session.canSend, let push = supply.next(at: now) {
      let id = ids?.id(of: push.number) ?? InlineArray(repeating: 0)
      guard session.send(push.number, id: id, body: order.body(push.number), at: push.dueAt) else {
        supply.giveBack(push.number)
        break
      }
      left -= 1
    }
  }

  private func takeEnded(of connection: SendingConnection, at now: Int64) {
    let session = connection.session
    guard !session.ended.isEmpty else { return }
    for ended in session.ended {
      if ended.status != 0, ended.code == .noError {
        tally.count(ended, at: now)
        connection.hasAnswers = true
        lastAnswer = now
      } else if ended.status == 0, ended.code == .refusedStream, patience == nil {
        tally.sentAgain += 1
        supply.giveBack(ended.number)
      } else {
        tally.unanswered[Self.cause(ended), default: 0] += 1
      }
    }
    session.clearEnded()
    progress.set(answered: tally.answered, sound: tally.sound)
  }

  private static func cause(_ ended: ClientSession.Ended) -> String {
    switch ended.code {
    case .cancel: "the connection or the run ended before the answer"
    case .noError: "the stream was ended without an answer"
    case let code: "the stream was reset with \(code)"
    }
  }

  // MARK: The end

  /// True if any push waits for its answer.
  private var isWaiting: Bool { seats.contains { ($0.connection?.session.openCount ?? 0) > 0 } }

  /// Every tenth of a second: reconnects, and gives up the run if it gets no connection or no answers.
  private func lookAround() {
    let now = Libevent.steadyNanoseconds
    if patience == nil { connectAll(at: now) }
    if aloneSince != 0, now - aloneSince > Self.mostAlone {
      return giveUp("no connection could be opened for 5 s: \(lastProblem)")
    }
    if tally.series.began != nil, !isWaiting, !supply.isDue(at: now) { lastAnswer = now }
    if tally.series.began != nil, now - lastAnswer > Self.mostSilence {
      return giveUp("no push was answered for 30 s" + (lastProblem.isEmpty ? "" : "; \(lastProblem)"))
    }
    endIfDone(at: now)
  }

  private func giveUp(_ why: String) {
    tally.trouble = why
    finish()
  }

  /// Sends nothing more, and waits for the answers.
  private func stop(_ time: Duration) {
    let now = Libevent.steadyNanoseconds
    supply.end()
    patience = min(patience ?? .max, now + time.wholeNanoseconds)
    endIfDone(at: now)
  }

  private func endIfDone(at now: Int64) {
    guard supply.isExhausted else { return }
    if !isWaiting || patience.map({ now >= $0 }) ?? false { finish() }
  }

  private func finish() {
    supply.end()
    patience = 0
    for seat in seats { seat.connection?.end(.done) }
    event_base_loopbreak(base)
  }
}

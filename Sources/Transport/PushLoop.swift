import CLibevent
import HTTP2
import Synchronization
import Timeline

/// The loop of a thread with the connections it serves. Created and used only on that thread.
final class PushLoop {
  let base: OpaquePointer
  let options: TransportOptions
  let sink: any PushSink
  let pool = SlotPool()
  /// Buffer for data read from any connection, used until it is processed.
  let input: UnsafeMutableRawBufferPointer
  /// Buffer for data to write to any connection.
  let output: UnsafeMutableRawBufferPointer
  let held: BufferedBytes
  /// The effects of one batch.
  var effects = Effects()

  private let handle: LoopHandle
  private let reports: Mailbox<LoopReport>
  private var connections: [UInt64: PushConnection] = [:]
  private var lastNumber: UInt64 = 0
  /// Connections that ended in this turn. A call of theirs may be active, so they are released afterwards.
  private var doomed: [PushConnection] = []
  private var reaper: LoopEvent?
  private var reader: MailboxReader<LoopHandle.Letter>?
  private var isDraining = false

  /// Room for dozens of requests in one read.
  private static let inputCount = 256 * 1024
  /// Four TLS records.
  private static let outputCount = 64 * 1024

  init(_ handle: LoopHandle, options: TransportOptions, sink: any PushSink, reports: Mailbox<LoopReport>) {
    self.handle = handle
    self.options = options
    self.sink = sink
    self.reports = reports
    held = handle.held
    base = Libevent.makeBase()
    input = .allocate(byteCount: Self.inputCount, alignment: 64)
    output = .allocate(byteCount: Self.outputCount, alignment: 64)
    reaper = LoopEvent(on: base) { [unowned self] in doomed = [] }
    reader = MailboxReader(handle.mailbox, on: base, refuse: { handle.refuse($0) }) { [unowned self] in read($0) }
  }

  deinit {
    reader = nil
    reaper = nil
    doomed = []
    event_base_free(base)
    input.deallocate()
    output.deallocate()
  }

  /// Runs until a message says stop.
  func run() {
    event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY)
    reports.post(.stopped)
  }

  private func read(_ letter: LoopHandle.Letter) {
    switch letter {
    case .serve(let visitor): serve(visitor)
    case .apply(let effects, let number): connections[number]?.perform(effects)
    case .drain(let debug):
      isDraining = true
      for connection in Array(connections.values) { connection.drain(debug: debug) }
      reportIfDrained()
    case .stop:
      for connection in Array(connections.values) { connection.end(.stopped) }
      event_base_loopbreak(base)
    }
  }

  private func serve(_ visitor: LoopHandle.AcceptedSocket) {
    lastNumber += 1
    guard !isDraining,
      let connection = PushConnection(visitor, number: lastNumber, loopIndex: handle.index, on: self)
    else {
      return handle.refuse(.serve(visitor))
    }
    connections[lastNumber] = connection
    connection.begin(visitor.greeting)
  }

  /// A connection has ended; it is released at the end of the turn.
  func forget(_ connection: PushConnection) {
    // The moved reference is the last one: the caller, a C callback, has none.
    guard let last = connections.removeValue(forKey: connection.id.number) else { return }
    doomed.append(last)
    handle.connectionCount.subtract(1, ordering: .relaxed)
    reaper?.activate()
    reportIfDrained()
  }

  private func reportIfDrained() {
    if isDraining, connections.isEmpty { reports.post(.drained(loop: handle.index)) }
  }
}

/// Messages from a serving loop to the server.
enum LoopReport: Sendable {
  case drained(loop: Int)
  case stopped
}

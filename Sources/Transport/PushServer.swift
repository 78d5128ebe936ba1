import CLibevent
import Dispatch
import HTTP2
import Synchronization
import Timeline

/// The listeners and the loops that serve their connections. Used on the main loop.
package final class PushServer {
  /// Sends effects to connections, from any thread.
  package let poster: EffectPoster
  /// Sets faults of listeners, from any thread.
  package let listenerPoster = ListenerPoster(mailbox: Mailbox())
  package private(set) var listeners: [PushListener] = []

  private let main: MainLoop
  private let options: TransportOptions
  private let sink: any PushSink
  private let loops: [LoopHandle]
  private let reports = Mailbox<LoopReport>()
  private var threads: [LoopThread] = []
  private var reader: MailboxReader<LoopReport>?
  private var listenerOrders: MailboxReader<ListenerPoster.Order>?

  private enum Life {
    case serving
    /// Waiting until these loops have no connections left.
    case draining(Set<Int>, deadline: LoopTimer, then: () -> Void)
    case stopped
  }
  private var life = Life.serving

  /// Starts the threads; nothing listens yet.
  package init(on main: MainLoop, options: TransportOptions, sink: any PushSink) throws(ServerFailure) {
    self.main = main
    self.options = options
    self.sink = sink
    let held = BufferedBytes()
    loops = (0..<max(options.loops, 1)).map { LoopHandle(index: $0, held) }
    poster = EffectPoster(loops: loops)
    for handle in loops {
      let reports = reports
      let made = DispatchSemaphore(value: 0)
      let thread = LoopThread {
        let loop = PushLoop(handle, options: options, sink: sink, reports: reports)
        made.signal()
        loop.run()
      }
      guard let thread else {
        stopThreads()
        throw .noThread
      }
      threads.append(thread)
      // Whoever uses up the process's descriptors once it serves must not take those of a loop.
      made.wait()
    }
    reader = MailboxReader(reports, on: main.base) { [unowned self] in read($0) }
    listenerOrders = MailboxReader(listenerPoster.mailbox, on: main.base) { [unowned self] in
      set($0.trouble, listener: $0.listener)
    }
  }

  deinit {
    for listener in listeners { listener.close() }
    stopThreads()
  }

  /// Opens an address for clients. Every connection carries `tag`, a number of the caller's choice. Port 0 lets the
  /// system choose.
  @discardableResult
  package func listen(tag: Int, host: String, port: Int, tls: TLSContext) throws(ListenFailure) -> PushListener {
    try listen(tag: tag, at: BoundSocket(host: host, port: port), tls: tls)
  }

  /// Opens an address for relays, which have ended TLS and say who each client is. Nobody else must be able to reach
  /// it.
  @discardableResult
  package func listenToRelays(tag: Int, at bound: BoundSocket) throws(ListenFailure) -> PushListener {
    try listen(tag: tag, at: bound, tls: nil)
  }

  private func listen(tag: Int, at bound: BoundSocket, tls: TLSContext?) throws(ListenFailure) -> PushListener {
    let listener = try PushListener(
      tag: tag, bound: bound, tls: tls, on: main.base,
      accepted: { [unowned self] in accept($0, from: $1, at: $2) },
      failed: { [unowned self] in sink.trouble(ConnectionTrouble(.outOfDescriptors, listener: $0.tag, peer: "")) })
    listeners.append(listener)
    return listener
  }

  /// Sets or removes a fault of the listeners with this tag, on the main loop. Other threads use `listenerPoster`.
  package func set(_ trouble: ListenerFaultMode?, listener tag: Int) {
    guard case .serving = life else { return }
    for listener in listeners where listener.tag == tag {
      do throws(ListenFailure) {
        try listener.set(trouble)
      } catch {
        sink.trouble(ConnectionTrouble(.cannotListenAgain(error), listener: tag, peer: ""))
      }
    }
  }

  /// Stops: accepts no new connections, sends GOAWAY with `debug` on every open one, and finishes requests in flight;
  /// what is not finished after `limit` is aborted. `then` is called on the main loop, once, when all threads have
  /// ended.
  package func drain(debug: [UInt8], within limit: Duration, then: @escaping () -> Void) {
    guard case .serving = life else { return }
    for listener in listeners { listener.close() }
    let deadline = main.after(limit) { [unowned self] in finish() }
    life = .draining(Set(loops.indices), deadline: deadline, then: then)
    for loop in loops { loop.mailbox.post(.drain(debug: debug)) }
  }

  private func accept(_ socket: Socket, from peer: String, at listener: PushListener) {
    guard poster.connectionCount < options.limits.connections else {
      socket.close()
      return sink.trouble(
        ConnectionTrouble(.tooManyConnections(limit: options.limits.connections), listener: listener.tag, peer: peer))
    }
    var chosen = loops[0]
    for loop in loops.dropFirst()
    where loop.connectionCount.load(ordering: .relaxed) < chosen.connectionCount.load(ordering: .relaxed) {
      chosen = loop
    }
    chosen.serve(
      LoopHandle.AcceptedSocket(
        socket: socket, listener: listener.tag, peer: peer, tls: listener.context, greeting: listener.greeting))
  }

  private func read(_ reports: LoopReport) {
    guard case .draining(var waiting, let deadline, let then) = life, case .drained(let loop) = reports else { return }
    waiting.remove(loop)
    life = .draining(waiting, deadline: deadline, then: then)
    if waiting.isEmpty { finish() }
  }

  private func finish() {
    guard case .draining(_, let deadline, let then) = life else { return }
    life = .stopped
    deadline.cancel()
    stopThreads()
    then()
  }

  private func stopThreads() {
    for loop in loops { loop.mailbox.post(.stop) }
    for thread in threads { thread.join() }
    threads = []
  }
}

package enum ServerFailure: Error, Hashable, CustomStringConvertible {
  case noThread

  package var description: String { "the system allows no more threads" }
}

import HTTP2
import Transport

/// A server on a thread of its own, on a free port of 127.0.0.1, stopped with the value.
final class TestServer: Sendable {
  enum Order: Sendable {
    case drain(within: Duration)
    case replaceTLS(TLSContext)
    /// Say when all that was ordered of the main loop before is done.
    case report
    case stop
  }

  let sink: RecordingSink
  let port: Int
  let poster: EffectPoster
  let listenerPoster: ListenerPoster
  private let orders: Mailbox<Order>

  static let listenerTag = 7

  /// An IPv4 address of loopback.
  let host: UInt32

  init(
    host: UInt32 = 0x7F00_0001, _ change: (inout TransportOptions) -> Void = { _ in },
    takes: Int? = nil, ofRelay: Bool = false,
    welcome: @escaping RecordingSink.Welcome = { _, _ in },
    answer: @escaping RecordingSink.Answer = { $1.respond($0.stream, .success) }
  ) async throws {
    var options = TransportOptions()
    // Longer than any wait for the thread pool of the tests.
    options.limits.handshake = .seconds(3600)
    options.limits.writeStall = .seconds(3600)
    change(&options)
    let (sink, orders, settings) = (RecordingSink(takes: takes, welcome: welcome, answer), Mailbox<Order>(), options)
    let identity = Identity.server
    let tls = ofRelay ? nil : try TLSContext(certificates: identity.certificate, key: identity.key)
    let (ready, announce) = AsyncThrowingStream.makeStream(of: (Int, EffectPoster, ListenerPoster).self)
    let thread = LoopThread {
      do {
        try Self.serve(sink, orders, host, settings, tls) { announce.yield(($0, $1, $2)) }
      } catch {
        announce.finish(throwing: error)
      }
    }
    guard let thread else { throw ServerFailure.noThread }
    thread.detach()
    var iterator = ready.makeAsyncIterator()
    guard let (port, poster, listenerPoster) = try await iterator.next() else { throw ServerFailure.noThread }
    (self.sink, self.orders, self.port, self.poster, self.listenerPoster) = (sink, orders, port, poster, listenerPoster)
    self.host = host
  }

  deinit { orders.post(.stop) }

  func order(_ order: Order) { orders.post(order) }

  var url: String { "https://127.0.0.1:\(port)/3/device/00" }

  static func name(of host: UInt32) -> String {
    stride(from: 24, through: 0, by: -8).map { "\(host >> $0 & 255)" }.joined(separator: ".")
  }

  private static func serve(
    _ sink: RecordingSink, _ orders: Mailbox<Order>, _ host: UInt32, _ options: TransportOptions, _ tls: TLSContext?,
    ready: (Int, EffectPoster, ListenerPoster) -> Void
  ) throws {
    let main = MainLoop()
    let server = try PushServer(on: main, options: options, sink: sink)
    let listener =
      if let tls {
        try server.listen(tag: listenerTag, host: name(of: host), port: 0, tls: tls)
      } else {
        try server.listenToRelays(tag: listenerTag, at: BoundSocket(host: name(of: host), port: 0))
      }
    let reader = MailboxReader(orders, on: main.base) { order in
      switch order {
      case .drain(let limit):
        server.drain(debug: Array(#"{"reason":"Shutdown"}"#.utf8), within: limit) { sink.record.yield(.drained) }
        sink.record.yield(.draining)
      case .replaceTLS(let context): listener.replace(context)
      case .report: sink.record.yield(.reported)
      case .stop: main.stop()
      }
    }
    ready(listener.port, server.poster, server.listenerPoster)
    withExtendedLifetime(reader) { main.run() }
  }
}

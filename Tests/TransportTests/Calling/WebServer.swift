import Glibc
import Synchronization
import Transport

/// A small HTTP/1.1 server on a free port of 127.0.0.1, a thread for each connection, that does as the test says.
final class WebServer: Sendable {
  struct Request: Sendable {
    /// Connections and requests are counted from 1.
    let connection: Int
    let number: Int
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    subscript(header: String) -> String? { headers.first { $0.name == header }?.value }
  }

  enum Reaction: Sendable {
    case answer(Int, body: String = "", headers: [String] = [])
    /// Bytes as they are; the connection stays open.
    case bytes(String)
    case bytesAndClose(String)
    case bytesAndReset(String)
    /// A head, then the same bytes again and again with pauses, then the end.
    case drips(head: String, String, count: Int, pause: Duration)
    /// Nothing, until the client leaves.
    case silence
  }

  enum Event: Sendable {
    case request(Request)
    /// The client has left.
    case closed(connection: Int)
  }

  struct NoSocket: Error {}

  let port: Int
  let events: AsyncStream<Event>
  private let core: Core

  init(_ react: @escaping @Sendable (Request) -> Reaction) throws {
    let (events, record) = AsyncStream.makeStream(of: Event.self)
    self.events = events
    let (listener, port) = try Self.listen()
    let core = Core(listener, record, react)
    (self.core, self.port) = (core, port)
    guard let thread = LoopThread({ core.accept() }) else { throw NoSocket() }
    thread.detach()
  }

  deinit { core.close() }

  var url: String { "http://127.0.0.1:\(port)/" }
  var requests: [Request] { core.seen.withLock { $0.requests } }
  /// Connections taken so far, also those that are closed by now.
  var accepted: Int { core.seen.withLock { $0.accepted } }

  func requests(_ count: Int) async -> [Request] {
    var found: [Request] = []
    for await event in events {
      if case .request(let request) = event { found.append(request) }
      if found.count == count { break }
    }
    return found
  }

  func nextClosed() async -> Int? {
    for await event in events {
      if case .closed(let connection) = event { return connection }
    }
    return nil
  }

  /// A port on which nobody listens, as far as anybody can promise.
  static func freePort() throws -> Int {
    let (listener, port) = try listen()
    Glibc.close(listener)
    return port
  }

  private static func listen() throws -> (Int32, Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var count = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, count) == 0 && Glibc.listen(listener, 512) == 0 && getsockname(listener, $0, &count) == 0
      }
    }
    guard result else { throw NoSocket() }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }
}

/// The state that the threads of a `WebServer` share.
private final class Core: Sendable {
  struct Seen {
    var requests: [WebServer.Request] = []
    var accepted = 0
    var open: Set<Int32> = []
    var isClosing = false
  }

  let seen = Mutex(Seen())
  private let listener: Int32
  private let record: AsyncStream<WebServer.Event>.Continuation
  private let react: @Sendable (WebServer.Request) -> WebServer.Reaction

  init(
    _ listener: Int32, _ record: AsyncStream<WebServer.Event>.Continuation,
    _ react: @escaping @Sendable (WebServer.Request) -> WebServer.Reaction
  ) {
    self.listener = listener
    self.record = record
    self.react = react
  }

  /// Shuts down the sockets; the threads that read them close them. Both under the lock, because the number of a closed
  /// socket may be that of another one in this process.
  func close() {
    seen.withLock { seen in
      seen.isClosing = true
      for descriptor in seen.open.union([listener]) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else {
        if seen.withLock({ $0.isClosing }) { break }
        // The process has no descriptor left for a moment; the client waits.
        usleep(10_000)
        continue
      }
      let number = seen.withLock { seen in
        seen.accepted += 1
        seen.open.insert(descriptor)
        if seen.isClosing { shutdown(descriptor, Int32(SHUT_RDWR)) }
        return seen.accepted
      }
      let thread = LoopThread { [self] in
        serve(WebStream(descriptor), connection: number)
        end(descriptor, connection: number)
      }
      if let thread { thread.detach() } else { end(descriptor, connection: number) }
    }
    Glibc.close(listener)
  }

  private func end(_ descriptor: Int32, connection: Int) {
    seen.withLock { seen in
      seen.open.remove(descriptor)
      Glibc.close(descriptor)
    }
    record.yield(.closed(connection: connection))
  }

  private func serve(_ stream: WebStream, connection: Int) {
    while let (head, body) = stream.next() {
      let request = seen.withLock { seen in
        let request = WebServer.Request(
          connection: connection, number: seen.requests.count + 1, method: head.method, target: head.target,
          headers: head.headers, body: body)
        seen.requests.append(request)
        return request
      }
      record.yield(.request(request))
      switch react(request) {
      case .answer(let status, let body, let headers):
        let lines = (["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers).joined(separator: "\r\n")
        stream.send("\(lines)\r\n\r\n\(head.method == "HEAD" ? "" : body)")
      case .bytes(let text): stream.send(text)
      case .bytesAndClose(let text):
        stream.send(text)
        return
      case .bytesAndReset(let text):
        stream.send(text)
        stream.resetOnClose()
        return
      case .drips(let head, let bytes, let count, let pause):
        stream.send(head)
        for _ in 0..<count {
          usleep(UInt32(pause / .microseconds(1)))
          stream.send(bytes)
        }
        return
      case .silence:
        stream.readToEnd()
        return
      }
    }
  }
}
